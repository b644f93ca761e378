package shard

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant makes a file, and its folders, in a directory.
func plant(t *testing.T, dir, name, text string) {
	t.Helper()
	place := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.WriteFile(place, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func commitRecord(t *testing.T, in intent) string {
	t.Helper()
	text, err := in.encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func stagedPath(id ID) string { return Folder + "/" + stagedName(id.FileName()) }

// TestDirPlantedRecord: a commit record that nobody wrote changes no file but
// those that it names by their IDs, and what it cannot do is said at once.
func TestDirPlantedRecord(t *testing.T) {
	one, two := addition("one"), addition("two")
	var many []ID
	for i := range MaintenanceLimits().Files + 1 {
		many = append(many, testID(i+1))
	}
	for what, c := range map[string]struct {
		record string
		plant  func(t *testing.T, path string)
		texts  []string // of the snapshot; nil when it fails with ErrUnavailable
		commit error
	}{
		"deletes a shard": {record: commitRecord(t, intent{Delete: []ID{one.ID}}), texts: []string{"two"}},
		"deletes what is not there": {
			record: commitRecord(t, intent{Delete: []ID{testID(0xf1)}}), texts: []string{"one", "two"},
		},
		"adds what is not there": {
			record: commitRecord(t, intent{Add: []ID{testID(0xf1)}}), texts: []string{"one", "two", "vanished"},
			commit: ErrHeadMoved,
		},
		"replaces a shard": {
			record: commitRecord(t, intent{Add: []ID{one.ID}}),
			plant:  func(t *testing.T, path string) { plant(t, path, stagedPath(one.ID), "other\n") },
			texts:  []string{"other", "two"}, commit: ErrIdentityCollision,
		},
		"adds a symlink": {
			record: commitRecord(t, intent{Add: []ID{testID(0xf1)}}),
			plant: func(t *testing.T, path string) {
				if err := os.Symlink("/etc/passwd", filepath.Join(path, filepath.FromSlash(stagedPath(testID(0xf1))))); err != nil {
					t.Fatal(err)
				}
			},
			texts: []string{"not-regular", "one", "two"},
		},
		"more than a change may hold": {record: commitRecord(t, intent{Delete: many})},
		"too large":                   {record: strings.Repeat(" ", maxIntent+1)},
		"a path":                      {record: `{"add":[],"delete":["../../x"],"state":false,"version":1}` + "\n"},
	} {
		t.Run(what, func(t *testing.T) {
			path := fastDir(t)
			d := openDir(t, path)
			before := commit1(t, d, "", Change{Add: []Addition{one, two}})
			plant(t, path, folderName+"/"+intentName, c.record)
			if c.plant != nil {
				c.plant(t, path)
			}
			files := tree(t, path)
			snap, err := d.Snapshot(t.Context(), ProjectionLimits())
			if c.texts == nil {
				_, commitErr := d.Commit(t.Context(), before, adding("three"))
				if !errors.Is(err, ErrUnavailable) || !errors.Is(commitErr, ErrUnavailable) || !maps.Equal(files, tree(t, path)) {
					t.Errorf("Snapshot: %v; Commit: %v", err, commitErr)
				}
				return
			}
			if err != nil || !slices.Equal(texts(snap), c.texts) {
				t.Fatalf("%v, %v", texts(snap), err)
			}
			if !maps.Equal(files, tree(t, path)) {
				t.Error("reading changed a file")
			}
			if _, err = d.Commit(t.Context(), snap.Head, adding("three")); !errors.Is(err, c.commit) {
				t.Errorf("Commit: %v, want %v", err, c.commit)
			}
			if data, err := os.ReadFile(filepath.Join(path, filepath.FromSlash(two.ID.Path()))); err != nil || string(data) != "two\n" {
				t.Errorf("a shard that the record does not name holds %q, %v", data, err)
			}
		})
	}
}

// TestDirRecordBlocked: where the commit record could not be put away, nothing
// is committed that would stay unfinished for ever.
func TestDirRecordBlocked(t *testing.T) {
	path := fastDir(t)
	d := openDir(t, path)
	head := commit1(t, d, "", adding("one"))
	place := filepath.Join(path, folderName, intentDone)
	if err := errors.Join(os.Remove(place), os.Mkdir(place, 0o755)); err != nil {
		t.Fatal(err)
	}
	files := tree(t, path)
	if _, err := d.Commit(t.Context(), head, adding("two")); !errors.Is(err, ErrIdentityCollision) {
		t.Errorf("Commit: %v", err)
	}
	if !maps.Equal(files, tree(t, path)) {
		t.Error("a file changed")
	}
}

// TestDirStaysReadable: a commit never makes a directory larger than can be
// read, since then nobody could make it smaller.
func TestDirStaysReadable(t *testing.T) {
	limits := MaintenanceLimits()
	disk := &memDisk{}
	d := &Dir{root: memFolder{disk, disk.node(true)}}
	var most Change
	for i := range limits.Files {
		most.Add = append(most.Add, Addition{ID: testID(i + 1), Data: []byte("x\n")})
	}
	head, err := d.Commit(t.Context(), "", most)
	if err != nil {
		t.Fatal(err)
	}
	another := Change{Add: []Addition{{ID: testID(limits.Files + 1), Data: []byte("x\n")}}}
	var limit *LimitError
	if _, err := d.Commit(t.Context(), head, another); !errors.As(err, &limit) || limit.What != "files" {
		t.Errorf("one file too many: %v", err)
	}
	another.Delete = []ID{testID(1)}
	if _, err := d.Commit(t.Context(), head, another); err != nil {
		t.Errorf("one file for another: %v", err)
	}

	full := &Snapshot{}
	for i := range int(limits.Bytes / limits.FileBytes) {
		full.Shards = append(full.Shards, Shard{ID: testID(i + 1), Size: limits.FileBytes})
	}
	room := int(limits.Bytes % limits.FileBytes)
	for _, c := range []struct {
		size   int
		delete []ID
		fits   bool
	}{{room, nil, true}, {room + 1, nil, false}, {room + 1, []ID{testID(1)}, true}} {
		adding := &commit{change: Change{Add: []Addition{{ID: testID(0xf000), Data: make([]byte, c.size)}}}}
		err := adding.fits(full, intent{Add: []ID{testID(0xf000)}, Delete: c.delete})
		if (err == nil) != c.fits || !c.fits && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d bytes more: %v", c.size, err)
		}
	}
}

// TestDirLargerLimits: a shard that the caller's limits admit is read, however
// large it is, and the head does not depend on the limits.
func TestDirLargerLimits(t *testing.T) {
	path := fastDir(t)
	d := openDir(t, path)
	plant(t, path, testID(1).Path(), strings.Repeat("x", maxShardBytes)+"\n")
	usual := snapshot(t, d)
	snap, err := d.Snapshot(t.Context(), Limits{Files: 1, Bytes: 1 << 30, FileBytes: 1 << 30})
	if err != nil || len(snap.Shards[0].Data) != maxShardBytes+1 || snap.Head != usual.Head {
		t.Errorf("%d bytes, %v", len(snap.Shards[0].Data), err)
	}
	if usual.Shards[0].Fault != FaultSize {
		t.Errorf("within the usual limits it is %q", usual.Shards[0].Fault)
	}
}
