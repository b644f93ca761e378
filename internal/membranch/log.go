package membranch

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// Version is the branch after one commit. Its files must not be modified.
type Version struct {
	Head  shard.Head
	Files map[string]File
}

// Keep makes the branch keep its history from now on, for [Branch.Log].
func (b *Branch) Keep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = &[]Version{}
	}
}

// Kept returns the history that was kept, the oldest version first.
func (b *Branch) Kept() []Version {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		return nil
	}
	return slices.Clip(*b.kept)
}

// Log returns the history that was kept, one commit after another.
func (b *Branch) Log(name string) shard.Log {
	l := &history{Reader: b, name: name, folders: map[shard.Object][]shard.Entry{}, files: map[shard.Object][]byte{}}
	var parents []shard.Head
	for _, v := range b.Kept() {
		l.commits = append(l.commits, shard.Commit{ID: v.Head, Tree: l.folder(v.Files), Parents: parents})
		parents = []shard.Head{v.Head}
	}
	return l
}

// history is a [shard.Log].
type history struct {
	shard.Reader
	name    string
	commits []shard.Commit
	folders map[shard.Object][]shard.Entry
	files   map[shard.Object][]byte
}

var _ shard.Log = (*history)(nil)

// folder enters a folder of files by path, and what is in it.
func (l *history) folder(files map[string]File) shard.Object {
	var entries []shard.Entry
	within := map[string]map[string]File{}
	for path, f := range files {
		name, rest, deeper := strings.Cut(path, "/")
		if deeper {
			if within[name] == nil {
				within[name] = map[string]File{}
			}
			within[name][rest] = f
			continue
		}
		e := shard.Entry{Name: name, Kind: shard.EntryFile, Object: object("file", f.Data)}
		if f.Irregular {
			e.Kind = shard.EntryIrregular
		}
		l.files[e.Object] = f.Data
		entries = append(entries, e)
	}
	for name := range maps.Keys(within) {
		entries = append(entries, shard.Entry{Name: name, Kind: shard.EntryFolder, Object: l.folder(within[name])})
	}
	slices.SortFunc(entries, shard.Entry.Compare)
	var text []byte
	for _, e := range entries {
		text = append(append(append(text, byte(e.Kind)), e.Name...), e.Object...)
	}
	id := object("folder", text)
	l.folders[id] = entries
	return id
}

func object(kind string, data []byte) shard.Object {
	sum := record.Sum(append([]byte(kind), data...))
	return shard.Object(sum[:])
}

func (l *history) Name() string { return l.name }

func (l *history) Commits(ctx context.Context) iter.Seq2[shard.Commit, error] {
	return func(yield func(shard.Commit, error) bool) {
		for _, c := range l.commits {
			if err := ctx.Err(); err != nil {
				yield(shard.Commit{}, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (l *history) Folder(ctx context.Context, folder shard.Object) ([]shard.Entry, error) {
	entries, ok := l.folders[folder]
	if !ok {
		return nil, &shard.DamagedError{Object: folder, Damage: shard.DamageMissing}
	}
	return entries, ctx.Err()
}

func (l *history) File(ctx context.Context, file shard.Object, limit int64) ([]byte, error) {
	data, ok := l.files[file]
	switch {
	case !ok:
		return nil, &shard.DamagedError{Object: file, Damage: shard.DamageMissing}
	case int64(len(data)) > limit:
		return nil, &shard.LimitError{What: "bytes", Limit: limit}
	}
	return data, ctx.Err()
}
