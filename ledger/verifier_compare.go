package ledger

import (
	"strings"

	"github.com/gitledger/gitledger/internal/compaction"
	"github.com/gitledger/gitledger/shard"
)

// difference is what of a ledger differs between two commits.
type difference struct {
	added, deleted []file // shards; a rewritten one is in both
	rewritten      []file // as it is now

	stateChanged bool
	state        *compaction.State // the new one, when it is sound
}

// compare finds what differs between two trees by the objects that their
// entries name, and so reads the folders on the way only. When it is to report,
// it reports what is wrong with the entries that are new in to. It fails when a
// folder of the ledger cannot be read, which it reports always.
func (a *audit) compare(from, to shard.Object, report bool) (*difference, bool) {
	c := &comparison{audit: a, report: report}
	ok := c.folder("", from, to)
	return &c.difference, ok
}

type comparison struct {
	*audit
	difference
	report bool
}

// folder compares one folder of the ledger; "" is one that is not there.
func (c *comparison) folder(path string, from, to shard.Object) bool {
	if from == to {
		return true
	}
	before, err := c.folders.get(c.audit, from)
	if err != nil {
		c.audit.damaged(err)
		return false
	}
	after, err := c.folders.get(c.audit, to)
	if err != nil {
		c.audit.damaged(err)
		return false
	}
	ok := true
	changes(before, after, func(old, now *shard.Entry) {
		if c.over() || !ok {
			return
		}
		if now != nil && c.report && forbidden(now.Name) {
			c.find(Finding{Kind: NameForbidden, File: quotedName(now.Name), Object: now.Object})
		}
		ok = c.entry(path, old, now)
	})
	return ok && !c.stopped
}

// entry compares one entry. An old or new one that is nil is absent.
func (c *comparison) entry(dir string, old, now *shard.Entry) bool {
	path := later(old, now).Name
	if dir != "" {
		path = dir + "/" + path
	}
	switch {
	case onTheWay(path):
		if now != nil && now.Kind != shard.EntryFolder && c.report {
			c.find(Finding{Kind: PathBlocked, File: path, Object: now.Object})
		}
		return c.folder(path, folderOf(old), folderOf(now))
	case path == shard.StatePath:
		c.stateFile(now)
	case dir == shard.Folder && strings.HasSuffix(path, shard.Extension):
		c.shard(old, now)
	case now != nil && c.report:
		c.beside(*now)
	}
	return true
}

// shard enters a shard that came, went or changed.
func (c *comparison) shard(old, now *shard.Entry) {
	before, was := c.shardOf(old, false)
	after, is := c.shardOf(now, c.report)
	if was {
		c.deleted = append(c.deleted, before)
	}
	if is {
		c.added = append(c.added, after)
	}
	if was && is {
		c.rewritten = append(c.rewritten, after)
	}
}

// shardOf returns the shard that an entry is, if it is one.
func (c *comparison) shardOf(e *shard.Entry, report bool) (file, bool) {
	if e == nil {
		return file{}, false
	}
	id, named := shard.FileID(e.Name)
	bad := Finding{File: quotedName(e.Name), Object: e.Object}
	switch {
	case e.Kind != shard.EntryFile:
		bad.Kind = NotRegular
	case !named:
		bad.Kind = ShardName
	default:
		return file{name: e.Name, id: id, object: e.Object}, true
	}
	if report {
		c.find(bad)
		c.beside(*e)
	}
	return file{}, false
}

// stateFile enters a change of the state file; now is nil when it is gone.
func (c *comparison) stateFile(now *shard.Entry) {
	c.stateChanged = true
	if now == nil || !c.report {
		return
	}
	name := shard.StatePath[strings.LastIndexByte(shard.StatePath, '/')+1:]
	if now.Kind != shard.EntryFile {
		c.find(Finding{Kind: NotRegular, File: name, Object: now.Object})
		c.beside(*now)
		return
	}
	data, err := c.log.File(c.ctx, now.Object, shard.MaintenanceLimits().StateBytes())
	if err != nil {
		c.unreadState(name, now.Object, err)
		return
	}
	state, ok := compaction.ParseState(data)
	if !ok {
		c.find(Finding{Kind: StateInvalid, File: name, Object: now.Object})
		return
	}
	c.state = &state
	if !ValidName(state.Ledger) || (Config{Name: state.Ledger}).Branch() != c.summary.Branch {
		c.find(Finding{Kind: StateMismatch, File: name, Object: now.Object, Detail: "it is another ledger's"})
	}
}

// onTheWay reports whether path is a folder of the ledger.
func onTheWay(path string) bool {
	return path == shard.Folder || strings.HasPrefix(shard.Folder, path+"/") || strings.HasPrefix(shard.StatePath, path+"/")
}

func folderOf(e *shard.Entry) shard.Object {
	if e == nil || e.Kind != shard.EntryFolder {
		return ""
	}
	return e.Object
}

func later(old, now *shard.Entry) *shard.Entry {
	if now != nil {
		return now
	}
	return old
}

// changes calls f for each entry that is not the same in both folders.
func changes(before, after []shard.Entry, f func(old, now *shard.Entry)) {
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		case before[0] == after[0]:
			before, after = before[1:], after[1:]
			continue
		default:
			order = before[0].Compare(after[0])
		}
		switch {
		case order < 0:
			f(&before[0], nil)
			before = before[1:]
		case order > 0:
			f(nil, &after[0])
			after = after[1:]
		default:
			f(&before[0], &after[0])
			before, after = before[1:], after[1:]
		}
	}
}
