package canonical

import (
	"bytes"
	"math"
	"strconv"
)

// AppendNumber appends a finite double in ECMAScript's shortest form.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if f < 0 {
		dst = append(dst, '-')
		f = -f
	}
	if f < 1<<53 && f == math.Trunc(f) {
		return strconv.AppendUint(dst, uint64(f), 10)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64) // d[.ddd]e±xx
	mantissa := len(e) - 1
	for e[mantissa] != 'e' {
		mantissa--
	}
	exp, _ := strconv.Atoi(string(e[mantissa+1:]))
	digits := append(buf[:0:1], e[0])
	if mantissa > 2 {
		digits = append(e[:0], e[0])
		digits = append(digits, e[2:mantissa]...)
	}
	return layOut(dst, digits, exp+1)
}

// layOut writes digits with the decimal point after the n-th, as ECMAScript's
// Number::toString does.
func layOut(dst, digits []byte, n int) []byte {
	k := len(digits)
	switch {
	case k <= n && n <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, n-k)
	case 0 < n && n <= 21:
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	case -6 < n && n <= 0:
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, -n)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if n > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(n-1), 10)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// numberEnd returns the end of the JSON number at b[i:], or -1. integer is
// false when it has a fraction or an exponent.
func numberEnd(b []byte, i int) (end int, integer bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i >= len(b) {
		return -1, false
	}
	switch {
	case b[i] == '0':
		i++
	case '1' <= b[i] && b[i] <= '9':
		i = digitsEnd(b, i)
	default:
		return -1, false
	}
	integer = true
	if i < len(b) && b[i] == '.' {
		integer = false
		end := digitsEnd(b, i+1)
		if end == i+1 {
			return -1, false
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		integer = false
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := digitsEnd(b, i)
		if end == i {
			return -1, false
		}
		i = end
	}
	return i, integer
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' < 10 }

// A decimal of at most 15 digits is the shortest one of the double that it
// rounds to, so it needs no conversion to be known as canonical: only its form
// counts.
const maxPlainDigits = 15

// isPlainInteger reports whether the integer literal needs no conversion to be
// known as canonical.
func isPlainInteger(lit []byte) bool {
	if lit[0] == '-' {
		return len(lit) <= maxPlainDigits+1 && lit[1] != '0'
	}
	return len(lit) <= maxPlainDigits || len(lit) == len(maxExact) && string(lit) <= maxExact
}

const maxExact = "9007199254740992" // 2^53

// isPlainFraction is isPlainInteger for a literal with a point or an exponent.
func isPlainFraction(lit []byte) bool {
	if lit[0] == '-' {
		lit = lit[1:]
	}
	return len(lit) <= maxPlainDigits+1 && lit[len(lit)-1] != '0' &&
		string(lit[:min(len(lit), len(tooSmall))]) != tooSmall &&
		bytes.IndexByte(lit, 'e') < 0 && bytes.IndexByte(lit, 'E') < 0
}

// tooSmall starts the fractions that are written with an exponent.
const tooSmall = "0.000000"

// isPlainNumber reports whether the literal is canonical for certain.
func isPlainNumber(lit []byte, integer bool) bool {
	if integer {
		return isPlainInteger(lit)
	}
	return isPlainFraction(lit)
}

// appendLiteral appends the canonical form of a JSON number literal.
func appendLiteral(dst, lit []byte, integer bool) ([]byte, error) {
	if isPlainNumber(lit, integer) {
		return append(dst, lit...), nil
	}
	f, err := strconv.ParseFloat(string(lit), 64)
	if err != nil && math.IsInf(f, 0) {
		return dst, ErrNumber
	}
	return AppendNumber(dst, f), nil
}

// isCanonicalNumber reports whether a JSON number literal is in canonical form.
func isCanonicalNumber(lit []byte, integer bool) bool {
	if isPlainNumber(lit, integer) {
		return true
	}
	if len(lit) > 32 {
		return false
	}
	var buf [40]byte
	out, err := appendLiteral(buf[:0], lit, integer)
	return err == nil && string(out) == string(lit)
}
