package canonical

import (
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func FuzzCompareUTF16(f *testing.F) {
	f.Add("a", "b")
	f.Add("x\U0001f600", "x\ue000")
	f.Add("\uffff", "\U00010000")
	f.Add("\ud7ff", "\U00010000")
	f.Add("", "\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := CompareUTF16(a, b); got != want {
			t.Errorf("%+q, %+q: %d, want %d", a, b, got, want)
		}
	})
}
