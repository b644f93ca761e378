package ledger

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// patternsAdmit is IsRepositoryPath by what the tools' schema says.
func patternsAdmit(tb testing.TB) func(path string) bool {
	tb.Helper()
	path := citationSchema()["properties"].(object)["path"].(object)
	must := []*regexp.Regexp{regexp.MustCompile(path["pattern"].(string))}
	var mustNot []*regexp.Regexp
	for _, part := range path["allOf"].([]object) {
		if not, ok := part["not"].(object); ok {
			mustNot = append(mustNot, regexp.MustCompile(not["pattern"].(string)))
		} else {
			must = append(must, regexp.MustCompile(part["pattern"].(string)))
		}
	}
	return func(path string) bool {
		for _, p := range must {
			if !p.MatchString(path) {
				return false
			}
		}
		for _, p := range mustNot {
			if p.MatchString(path) {
				return false
			}
		}
		return true
	}
}

// The patterns of the tools' schema and the check of notes are one rule. All
// short paths of the characters that matter are compared, and random long ones.
func TestCitationPatternsAreTheCheck(t *testing.T) {
	admits := patternsAdmit(t)
	chars := []string{"a", "Z", "1", ".", "/", `\`, "%", "2", "e", "F", "5", "C", ":", "+", " ", "\n", "\x00", "\x7f", "\ufeff", "é"}
	valid, invalid := 0, 0
	compare := func(path string) {
		got, want := IsRepositoryPath(path), admits(path)
		if got != want {
			t.Errorf("%q: the check says %v, the patterns say %v", path, got, want)
		}
		if got {
			valid++
		} else {
			invalid++
		}
	}
	var all func(prefix string, more int)
	all = func(prefix string, more int) {
		compare(prefix)
		for _, c := range chars[:len(chars)*min(more, 1)] {
			all(prefix+c, more-1)
		}
	}
	all("", 3)
	r := rand.New(rand.NewPCG(1, 2))
	parts := append(chars, "..", "a/", "../", "%2e", "%2F", "%5c", "http:", "docs/", ".hidden")
	for range 20_000 {
		var path strings.Builder
		for range 1 + r.IntN(8) {
			path.WriteString(parts[r.IntN(len(parts))])
		}
		compare(path.String())
	}
	if valid < 1000 || invalid < 1000 {
		t.Errorf("compared %d valid paths and %d invalid ones", valid, invalid)
	}
}
