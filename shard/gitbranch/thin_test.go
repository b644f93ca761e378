package gitbranch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/shard"
)

// applyDelta is the reading side of a pack's delta, to check the writing side.
func applyDelta(t *testing.T, base, delta []byte) []byte {
	t.Helper()
	from, n := binary.Uvarint(delta)
	delta = delta[n:]
	size, n := binary.Uvarint(delta)
	delta = delta[n:]
	if from != uint64(len(base)) {
		t.Fatalf("the delta is for a base of %d bytes, not %d", from, len(base))
	}
	var out []byte
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			out = append(out, delta[:op]...)
			delta = delta[op:]
			continue
		}
		var at, length int
		for i := range 4 {
			if op&(1<<i) != 0 {
				at |= int(delta[0]) << (8 * i)
				delta = delta[1:]
			}
		}
		for i := range 3 {
			if op&(0x10<<i) != 0 {
				length |= int(delta[0]) << (8 * i)
				delta = delta[1:]
			}
		}
		out = append(out, base[at:at+length]...)
	}
	if uint64(len(out)) != size {
		t.Fatalf("the delta gives %d bytes and says %d", len(out), size)
	}
	return out
}

func randomTree(random *rand.Rand, from []entry, drop, add int) ([]entry, []byte) {
	entries := slices.Clone(from)
	for range min(drop, len(entries)) {
		entries = slices.Delete(entries, 0, 1)
		random.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	}
	for range add {
		e := entry{name: fmt.Sprintf("%016x.jsonl", random.Uint64()), mode: modeFile}
		binary.BigEndian.PutUint64(e.id[:], random.Uint64())
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	var raw bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&raw, "%s %s\x00", e.mode, e.name)
		raw.Write(e.id[:])
	}
	return entries, raw.Bytes()
}

func TestTreeDelta(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][3]int{{0, 0, 1}, {1, 1, 0}, {1, 0, 0}, {5, 2, 3}, {300, 1, 1}, {300, 300, 300}, {3000, 0, 1}, {9000, 5, 5}, {9000, 9000, 0}} {
		if testing.Short() && c[0]+c[1] > 3000 {
			continue
		}
		entries, base := randomTree(random, nil, 0, c[0])
		_, target := randomTree(random, entries, c[1], c[2])
		delta := treeDelta(base, target)
		if !bytes.Equal(applyDelta(t, base, delta), target) {
			t.Errorf("%v: the delta gives another tree", c)
		}
		if changed := c[1] + c[2]; len(delta) > 100+changed*80+len(base)/maxCopy*8 {
			t.Errorf("%v: the delta has %d bytes", c, len(delta))
		}
	}
}

// TestPushGrowsWithTheChange: a push to a branch of many shards carries what is
// new and not the names of the others.
func TestPushGrowsWithTheChange(t *testing.T) {
	t.Parallel()
	f := newFaultBench(t, Options{})
	f.bulk(t, 700)
	for _, thin := range []bool{true, false} {
		b := f.stranger(t)
		snap := snapshotOf(t, b)
		if !thin {
			f.server.Once(gittest.PushRefs, gittest.Rewrite(func(body []byte) []byte {
				// The capability takes the place of another of the same length.
				return bytes.Replace(body, []byte("atomic "), []byte("no-thin"), 1)
			}))
		}
		f.server.ResetStats()
		change := adding(newID(t), "one more\n")
		change.State = []byte("{}\n")
		change.Delete = []shard.ID{snap.Shards[350].ID}
		if _, err := b.Commit(t.Context(), snap.Head, change); err != nil {
			t.Fatal(err)
		}
		if sent := f.server.Stats().In; thin != (sent < 3000) {
			t.Errorf("thin %t: %d bytes sent", thin, sent)
		}
	}
	f.must(t, "", "fsck", "--strict", "--full")
}

func TestReplacePack(t *testing.T) {
	command := "0008abcd"
	for request, want := range map[string]string{
		command + "0000PACKold":           command + "0000PACKnew",
		command + command + "0000PACKold": command + command + "0000PACKnew",
		"0000PACKold":                     "0000PACKnew",
		command + "0000":                  "",
		command + "0000old":               "",
		command:                           "",
		"0008ab":                          "",
		"zzzz0000PACK":                    "",
		"00020000PACK":                    "",
		"":                                "",
	} {
		got, ok := replacePack([]byte(request), []byte("PACKnew"))
		if string(got) != want || ok != (want != "") {
			t.Errorf("%q became %q, %t; want %q", request, got, ok, want)
		}
	}
}

func FuzzTreeDelta(f *testing.F) {
	one := []byte("100644 a\x0012345678901234567890")
	f.Add(one, append(bytes.Clone(one), "100644 b\x0012345678901234567890"...))
	f.Fuzz(func(t *testing.T, base, target []byte) {
		if !forEntries(base, func(entry) bool { return true }) || !forEntries(target, func(entry) bool { return true }) {
			return
		}
		if !bytes.Equal(applyDelta(t, base, treeDelta(base, target)), target) {
			t.Error("the delta gives another tree")
		}
	})
}
