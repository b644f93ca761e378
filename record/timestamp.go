package record

import "time"

// TimeLayout is the form of a timestamp for [time.Time.Format], which must be
// given UTC (S2-04).
const TimeLayout = "2006-01-02T15:04:05.000Z"

const timePattern = "dddd-dd-ddTdd:dd:dd.dddZ"

// validTimestamp reports whether b is a real calendar instant in the form of
// TimeLayout.
func validTimestamp(b []byte) bool {
	if len(b) != len(timePattern) {
		return false
	}
	for i := range b {
		if timePattern[i] == 'd' {
			if b[i] < '0' || b[i] > '9' {
				return false
			}
		} else if b[i] != timePattern[i] {
			return false
		}
	}
	two := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) &&
		two(11) < 24 && two(14) < 60 && two(17) < 60
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// FormatTime returns t as a timestamp, in UTC and cut to milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }
