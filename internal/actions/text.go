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
		if !Shows(r) {
			r = '·'
		}
		b.WriteRune(r)
	}
	clean := strings.ReplaceAll(b.String(), "##[", "##·[")
	if strings.HasPrefix(strings.TrimLeft(clean, " "), "::") {
		clean = "·" + clean
	}
	return clean
}

// Shows reports whether a character is printable and can be seen: variation
// selectors, for example, are the one and not the other, and whole texts can hide
// in them.
func Shows(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
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
