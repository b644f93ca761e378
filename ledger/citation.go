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

// citationSchema states what a citation may be (S4.3-17), by patterns that every
// dialect of regular expressions reads alike: the path names a file of the
// repository by segments between single slashes, none of them . or .., without a
// scheme, a backslash, a control character or a percent-encoding that would hide
// such a thing.
func citationSchema() object {
	const char = `[^/\\\x00-\x1f\x7f]`
	const segment = `([^./\\\x00-\x1f\x7f]` + char + `*|\.[^./\\\x00-\x1f\x7f]` + char + `*|\.\.` + char + `+)`
	line := object{"type": "integer", "minimum": 1, "maximum": int64(MaxAmount)}
	return object{
		"type": "object", "required": []string{"type", "path"}, "additionalProperties": false,
		"description": "A place in this repository that supports the note. An end_line is not before its start_line.",
		"properties": object{
			"type": object{"type": "string", "enum": []string{"repository"}},
			"path": object{"type": "string", "description": "From the repository's root, with forward slashes, no . or .. segments and no URL.",
				"pattern": "^" + segment + "(/" + segment + ")*$",
				"allOf": []object{
					{"pattern": "[^" + blankChars + "]"},
					{"not": object{"pattern": "^[A-Za-z][A-Za-z0-9+.-]*:"}},
					{"not": object{"pattern": "%(2[eEfF]|5[cC])"}},
				}},
			"start_line": line, "end_line": line,
		},
	}
}
