package ledger

import (
	"strings"
	"unicode/utf8"
)

// blankChars are the characters that ECMAScript's trim removes; a text of
// nothing else is blank.
const blankChars = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// Admits reports whether a text is one that the field may hold. It decides
// nothing for fields that are not text.
func (f Field) Admits(s string) bool {
	switch f.Kind {
	case TextField:
		if strings.Trim(s, blankChars) == "" {
			return false
		}
	case NameField, NoteIDField:
		if s == "" {
			return false
		}
	case VoteField:
		return s == "up" || s == "down"
	}
	return (f.MaxBytes == 0 || len(s) <= f.MaxBytes) && (f.MaxChars == 0 || utf8.RuneCountInString(s) <= f.MaxChars)
}
