package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gitledger/gitledger/internal/actions"
)

// cut keeps so many characters of a text.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// visible shows what a text holds instead of letting it act: control characters,
// those that turn the direction of text around, and those that show nothing, such
// as variation selectors, in which whole texts can hide, are spelled out. On a
// page, line ends and tabs are left as they are.
func visible(text string, onPage bool) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case actions.Shows(r), onPage && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// bytesText is a number of bytes for a person.
func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
