package canonical

import "unicode/utf8"

// units walks the UTF-16 code units of canonical string text.
type units struct {
	text []byte
	low  uint16 // second half of a pair, still to be given
}

func (u *units) next() (unit uint16, ok bool) {
	if u.low != 0 {
		unit, u.low = u.low, 0
		return unit, true
	}
	if len(u.text) == 0 {
		return 0, false
	}
	if u.text[0] == '\\' {
		unit, end := readEscape(u.text, 0)
		if end < 0 { // not canonical text; treat the backslash as itself
			unit, end = '\\', 1
		}
		u.text = u.text[end:]
		return unit, true
	}
	r, n := utf8.DecodeRune(u.text)
	u.text = u.text[n:]
	if r >= 0x10000 {
		r -= 0x10000
		u.low = 0xdc00 + uint16(r&0x3ff)
		return 0xd800 + uint16(r>>10), true
	}
	return uint16(r), true
}

// CompareText compares the text of two canonical strings, without their
// quotes, by UTF-16 code units.
func CompareText(a, b []byte) int {
	ua, ub := units{text: a}, units{text: b}
	for {
		x, okA := ua.next()
		y, okB := ub.next()
		switch {
		case !okA && !okB:
			return 0
		case !okA:
			return -1
		case !okB:
			return 1
		case x != y:
			return int(x) - int(y)
		}
	}
}

// TextLen returns the length of canonical string text in UTF-16 code units.
func TextLen(text []byte) int {
	n := 0
	for u := (units{text: text}); ; n++ {
		if _, ok := u.next(); !ok {
			return n
		}
	}
}
