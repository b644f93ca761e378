package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Text makes text that may come from strangers safe to print on one line: control
// and format characters do not reach the terminal, no workflow command is left
// of it, and it is cut after so many characters.
//
// A runner takes :: for a command at the start of a line, after white space, and
// the older ##[ wherever it stands.
func Text(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		b.WriteRune(visible(r))
	}
	clean := strings.ReplaceAll(b.String(), "##[", "##·[")
	if strings.HasPrefix(strings.TrimLeft(clean, " "), "::") {
		clean = "·" + clean
	}
	return clean
}

// visible puts a dot for a character that is not printable, and for what counts as
// printable and shows nothing, such as variation selectors, in which whole texts
// can hide.
func visible(r rune) rune {
	if !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return '·'
	}
	return r
}

// plainJSON is a value as one line of JSON in ASCII, which no terminal and no
// runner takes for anything else.
func plainJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r >= 0x7f || r == '#': // both only ever stand in strings
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), nil
}
