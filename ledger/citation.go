package ledger

import "strings"

// IsRepositoryPath reports whether p is one that a citation may have (S4.3-17):
// a relative path inside the repository, with no empty, "." or ".." part, no
// scheme, no backslash, no control character, and no dot, slash or backslash in
// percent-encoded form.
func IsRepositoryPath(p string) bool {
	if !(Field{Kind: TextField}).Admits(p) || hasScheme(p) || hasEncodedSeparator(p) {
		return false
	}
	for i := range len(p) {
		if p[i] == '\\' || p[i] < 0x20 || p[i] == 0x7f {
			return false
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// hasScheme reports whether p starts like a URL: a letter, then letters,
// digits, plus signs, dots and hyphens, then a colon.
func hasScheme(p string) bool {
	for i := range len(p) {
		c := p[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '.' || c == '-'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// hasEncodedSeparator reports whether p holds a dot, slash or backslash in
// percent-encoded form.
func hasEncodedSeparator(p string) bool {
	for i := 0; i+3 <= len(p); i++ {
		high, low := p[i+1], p[i+2]|0x20
		if p[i] == '%' && (high == '2' && (low == 'e' || low == 'f') || high == '5' && low == 'c') {
			return true
		}
	}
	return false
}

// citationSchema states what a citation may be to whoever writes one. The rule
// of [IsRepositoryPath] stands here in patterns that every dialect of regular
// expressions reads alike; a test compares the two.
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
