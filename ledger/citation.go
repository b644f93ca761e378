package ledger

import (
	"strings"
	"unicode/utf8"
)

// blankChars are the characters that ECMAScript's trim removes; a text of
// nothing else is blank.
const blankChars = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// Blank reports whether a text holds nothing but white space, by ECMAScript's
// definition of it.
func Blank(s string) bool { return strings.Trim(s, blankChars) == "" }

// Admits reports whether a text is one that the field may hold. It decides
// nothing for fields that are not text.
func (f Field) Admits(s string) bool {
	switch f.Kind {
	case TextField:
		if Blank(s) {
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

// ValidCitationPath reports whether s names a file of the repository: segments
// separated by single slashes, none of them ".." or ".", no scheme, no
// backslash, no control character and none of the three percent-encodings that
// would hide such a thing (%2e, %2f, %5c).
func ValidCitationPath(s string) bool {
	if Blank(s) || hasScheme(s) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == 0x7f || c == '\\' {
			return false
		}
		if s[i] == '%' && i+2 < len(s) {
			switch strings.ToLower(s[i+1 : i+3]) {
			case "2e", "2f", "5c":
				return false
			}
		}
	}
	for segment := range strings.SplitSeq(s, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// hasScheme reports whether s starts like a URL: a letter, then letters,
// digits, plus signs, dots and hyphens, then a colon.
func hasScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
		case i > 0 && (isAlphanumeric(c) || c == '+' || c == '.' || c == '-'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}
