package canonical

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// generator writes random JSON texts, in all the ways that JSON allows.
type generator struct{ *rand.Rand }

func (g generator) document() string { return g.space() + g.value(g.IntN(4)) + g.space() }

func (g generator) space() string {
	if g.IntN(6) > 0 {
		return ""
	}
	return [...]string{" ", "\n", "\t", "\r", "  "}[g.IntN(5)]
}

func (g generator) value(depth int) string {
	if depth > 0 && g.IntN(3) > 0 {
		return g.container(depth)
	}
	switch g.IntN(8) {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2:
		return "false"
	case 3, 4:
		return g.number()
	}
	return g.string()
}

func (g generator) container(depth int) string {
	var parts []string
	object := g.IntN(4) > 0
	for range g.IntN(6) {
		v := g.space() + g.value(depth-1) + g.space()
		if object {
			v = g.space() + g.key() + g.space() + ":" + v
		}
		parts = append(parts, v)
	}
	if object {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// key is often one of those that orders disagree on, and often repeated.
func (g generator) key() string {
	switch g.IntN(4) {
	case 0:
		return `"` + [...]string{"0", "1", "9", "10", "00", "-1", "4294967294", "4294967295", "1e3", "", "99999999999"}[g.IntN(11)] + `"`
	case 1:
		return fmt.Sprintf(`"%d"`, g.IntN(20))
	}
	return g.string()
}

func (g generator) string() string {
	var b strings.Builder
	b.WriteByte('"')
	for range g.IntN(g.IntN(24) + 1) {
		switch g.IntN(12) {
		case 0:
			b.WriteString([...]string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`}[g.IntN(8)])
		case 1:
			b.WriteString(g.escape(uint16(g.IntN(0x100))))
		case 2:
			b.WriteString(g.escape(0xd800 + uint16(g.IntN(0x800))))
		case 3:
			b.WriteString(g.escape(0xd800+uint16(g.IntN(0x400))) + g.escape(0xdc00+uint16(g.IntN(0x400))))
		case 4:
			b.WriteString(g.escape(uint16(g.IntN(1 << 16))))
		case 5:
			b.WriteRune([...]rune{0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff}[g.IntN(10)])
		case 6:
			b.WriteRune(rune(0xa0 + g.IntN(0x500)))
		case 7:
			b.WriteRune([...]rune{'€', 'ö', '😀', '\ufb33'}[g.IntN(4)])
		default:
			b.WriteByte([]byte("abcAZ09 -_{}[]:,")[g.IntN(16)])
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (g generator) escape(u uint16) string {
	s := fmt.Sprintf("%04x", u)
	if g.IntN(3) == 0 {
		s = strings.ToUpper(s)
	}
	return `\u` + s
}

func (g generator) number() string {
	switch g.IntN(8) {
	case 0:
		return strconv.Itoa(g.IntN(200) - 100)
	case 1:
		return strconv.FormatInt(int64(g.Uint64())>>g.IntN(64), 10)
	case 2:
		return [...]string{"-0", "0.0", "-0.0", "1.0", "1e0", "1E+2", "1e-7", "1e21", "1e400", "-1e400", "1e-400", "9007199254740993", "0e99999"}[g.IntN(13)]
	case 3:
		return g.decimal()
	case 4:
		return strconv.FormatFloat(g.double(), 'g', -1, 64)
	case 5:
		return strconv.FormatFloat(g.double(), 'E', 17, 64)
	}
	return slowNumber(g.double())
}

// decimal is a short fraction, such as an amount, around the bounds between
// which a literal is known to be canonical without conversion.
func (g generator) decimal() string {
	digits := fmt.Sprintf("%0*d", 1+g.IntN(18), g.IntN(1_000_000))
	point := g.IntN(len(digits) + 1)
	whole := strings.TrimLeft(digits[:point], "0")
	if whole == "" {
		whole = "0"
	}
	s := [...]string{"", "-"}[g.IntN(2)] + whole
	if point < len(digits) {
		s += "." + digits[point:]
	}
	return s
}

// double is a finite double with each exponent equally likely, and with few,
// many or almost no bits set.
func (g generator) double() float64 {
	for {
		fraction := g.Uint64() & (1<<52 - 1)
		switch g.IntN(6) {
		case 0:
			fraction = 0
		case 1:
			fraction = 1<<52 - 1 - fraction>>g.IntN(52)
		case 2:
			fraction &^= 1<<g.IntN(53) - 1
		case 3:
			fraction >>= g.IntN(52)
		}
		f := math.Float64frombits(g.Uint64()&(1<<63) | g.Uint64N(2047)<<52 | fraction)
		if g.IntN(8) == 0 {
			f = math.Nextafter(math.Pow10(g.IntN(616)-308), [...]float64{0, math.Inf(1)}[g.IntN(2)])
		}
		if !math.IsInf(f, 0) {
			return f
		}
	}
}

// damage changes a text in one place.
func (g generator) damage(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	text = slices.Clone(text)
	i := g.IntN(len(text))
	switch g.IntN(4) {
	case 0:
		text[i] ^= 1 << g.IntN(8)
	case 1:
		text[i] = []byte(`{}[]:,"\0123456789.eE+- utfn`)[g.IntN(27)]
	case 2:
		text = slices.Delete(text, i, i+1)
	case 3:
		j := g.IntN(len(text))
		text[i], text[j] = text[j], text[i]
	}
	return text
}
