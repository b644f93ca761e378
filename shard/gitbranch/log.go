package gitbranch

import (
	"context"
	"errors"
	"iter"

	git "github.com/libgit2/git2go/v34"

	"github.com/gitledger/gitledger/shard"
)

// log is the history of one branch. Of a remote one, all objects are fetched
// before the first commit is given.
type log struct{ reader }

var _ shard.Log = (*log)(nil)

// Log returns the history of the named branch, to check it as a whole. Each of
// its calls is bounded by Options.Timeout.
func (r *Repository) Log(name string) (shard.Log, error) {
	b, err := r.reader(name)
	if err != nil {
		return nil, err
	}
	return &log{*b}, nil
}

// Name implements [shard.Log].
func (l *log) Name() string { return l.name }

// Commits implements [shard.Log].
func (l *log) Commits(ctx context.Context) iter.Seq2[shard.Commit, error] {
	return func(yield func(shard.Commit, error) bool) {
		var w *walk
		err := l.repo.do(ctx, func(ctx context.Context, h *handle) error {
			head, err := l.repo.store.head(ctx, h, l.ref)
			if err != nil || head.IsZero() {
				return err
			}
			w, err = h.walk(ctx, head)
			return err
		})
		if err != nil {
			yield(shard.Commit{}, named(err, "history of", l.name))
			return
		}
		if w == nil {
			return
		}
		for _, i := range w.order {
			if err := ended(ctx); err != nil {
				yield(shard.Commit{}, named(err, "history of", l.name))
				return
			}
			if !yield(w.commit(i)) {
				return
			}
		}
	}
}

// Folder implements [shard.Log].
func (l *log) Folder(ctx context.Context, folder shard.Object) ([]shard.Entry, error) {
	raw, err := l.object(ctx, folder, git.ObjectTree, maxTreeBytes)
	if err != nil {
		return nil, err
	}
	entries := make([]shard.Entry, 0, len(raw)/usualEntry+1)
	sound := forEntries(raw, func(e entry) bool {
		x := e.asEntry()
		x.Object = shard.Object(e.id[:])
		entries = append(entries, x)
		return true
	})
	if !sound {
		return nil, &shard.DamagedError{Object: folder, Damage: shard.DamageMalformed}
	}
	return entries, nil
}

// usualEntry is the size of a shard's entry in a tree.
const usualEntry = len("100644 00000000-0000-4000-8000-000000000000.jsonl\x00") + len(git.Oid{})

// File implements [shard.Log].
func (l *log) File(ctx context.Context, file shard.Object, limit int64) ([]byte, error) {
	return l.object(ctx, file, git.ObjectBlob, limit)
}

// object reads one object, and says what is wrong with it.
func (l *log) object(ctx context.Context, name shard.Object, kind git.ObjectType, limit int64) ([]byte, error) {
	var id git.Oid
	if copy(id[:], name) != len(name) || len(name) != len(id) {
		return nil, &shard.DamagedError{Object: name, Damage: shard.DamageMissing}
	}
	var data []byte
	err := l.repo.do(ctx, func(ctx context.Context, h *handle) (err error) {
		data, err = h.inspect(id, kind, limit)
		return err
	})
	if errors.Is(err, errBig) {
		return nil, named(&shard.LimitError{What: "bytes", Limit: limit}, "history of", l.name)
	}
	if d, ok := errors.AsType[*shard.DamagedError](err); ok {
		return nil, d
	}
	return data, named(err, "history of", l.name)
}

// inspect reads an object of a kind, and tells what its damage is.
func (h *handle) inspect(id git.Oid, kind git.ObjectType, limit int64) ([]byte, error) {
	data, err := h.read(id, kind, limit)
	if err == nil || !isDamaged(err) {
		return data, err
	}
	d := &shard.DamagedError{Object: shard.Object(id[:]), Damage: shard.DamageContent}
	if !h.odb.Exists(&id) {
		d.Damage = shard.DamageMissing
	} else if k, _, err := h.size(id); err == nil && k != kind {
		d.Damage = shard.DamageKind
	}
	return nil, d
}
