package ledger

import (
	"strconv"
	"strings"
	"testing"
)

// Names of strangers are shown on lines that a runner reads: none of them is a
// command there, which those of the old form are even within quotes.
func TestQuotedNames(t *testing.T) {
	for name, want := range map[string]string{
		"findings":            "findings",
		"":                    `""`,
		"##[add-mask]x.jsonl": `"##\x5badd-mask]x.jsonl"`,
		"###[":                `"###\x5b"`,
		"::add-mask::x":       `"::add-mask::x"`,
		"a\n::error::\x1b[2J": `"a\n::error::\x1b[2J"`,
		"f\u0456ndings\u202e": `"f\u0456ndings\u202e"`,
	} {
		got := quoted(name)
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		if strings.HasPrefix(got, `"`) && name != "" {
			if back, err := strconv.Unquote(got); err != nil || back != name {
				t.Errorf("%q: reads as %q, %v", name, back, err)
			}
		}
	}
}
