package ledger

import (
	"errors"
	"strings"

	"github.com/gitledger/gitledger/shard"
)

// folderCache keeps the folders that were read last: a commit is compared with
// its parent, whose folders were read before.
type folderCache struct {
	young, old map[shard.Object][]shard.Entry
	entries    int // in young
}

// maxCachedEntries bounds half of what is kept.
const maxCachedEntries = 1 << 16

// get returns a folder's entries; "" is an empty one.
func (f *folderCache) get(a *audit, folder shard.Object) ([]shard.Entry, error) {
	if folder == "" {
		return nil, nil
	}
	entries, ok := f.young[folder]
	if ok {
		return entries, nil
	}
	if entries, ok = f.old[folder]; !ok {
		var err error
		if entries, err = a.log.Folder(a.ctx, folder); err != nil {
			return nil, err
		}
	}
	if f.young == nil || f.entries > maxCachedEntries {
		f.young, f.old, f.entries = map[shard.Object][]shard.Entry{}, f.young, 0
	}
	f.young[folder] = entries
	f.entries += len(entries) + 1
	return entries, nil
}

// beside checks that a file or folder that is not the ledger's is there with
// all that it holds. Every object is looked at once, so that folders within
// folders that are one object do not multiply.
func (a *audit) beside(e shard.Entry) {
	for pending := []shard.Entry{e}; len(pending) > 0 && !a.over(); {
		e = pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if _, done := a.present[e.Object]; done || e.Kind == shard.EntryElsewhere {
			continue
		}
		a.present[e.Object] = struct{}{}
		if e.Kind != shard.EntryFolder {
			_, err := a.log.File(a.ctx, e.Object, shard.MaintenanceLimits().FileBytes)
			if err != nil && !errors.Is(err, shard.ErrTooLarge) { // one that is large is there
				a.damaged(err)
			}
			continue
		}
		entries, err := a.log.Folder(a.ctx, e.Object)
		if err != nil {
			a.damaged(err)
		}
		for _, x := range entries {
			if forbidden(x.Name) {
				a.find(Finding{Kind: NameForbidden, File: quotedName(x.Name), Object: x.Object})
			}
		}
		pending = append(pending, entries...)
	}
}

// unreadState reports a state file that cannot be read.
func (a *audit) unreadState(name string, object shard.Object, err error) {
	d, damaged := errors.AsType[*shard.DamagedError](err)
	switch {
	case errors.Is(err, shard.ErrTooLarge):
		a.find(Finding{Kind: StateInvalid, File: name, Object: object, Detail: "it is too large"})
	case damaged && d.Damage == shard.DamageKind:
		a.find(Finding{Kind: NotRegular, File: name, Object: object})
	default:
		a.damaged(err)
	}
}

// forbidden reports whether Git refuses to check out a file of that name.
func forbidden(name string) bool {
	return name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git")
}

// quotedName returns a file name as it can be shown: a shard's as it is, any
// other quoted and not long.
func quotedName(name string) string {
	if _, ok := shard.FileID(name); ok {
		return name
	}
	return quoted(name)
}
