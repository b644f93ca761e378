package ledger

import "github.com/gitledger/gitledger/record"

// records is every record that was seen in a history, by number, and in how
// many shards each is at the commit at hand. The zero value is ready.
type records struct {
	bySHA map[record.Hash]int32
	byID  map[record.ID]int32 // the first record with the ID
	all   []seenRecord
}

// seenRecord is a record, or a digest that a record names as its parent.
type seenRecord struct {
	sha      record.Hash
	id       record.ID
	read     bool    // the record itself was seen
	parents  []int32 // by number
	sameID   int32   // number of the next record with the ID; 0 is none
	shards   int32   // that hold it at the commit at hand
	children int32   // visible records that name it
}

// number returns the number of a digest, which is never 0.
func (t *records) number(sha record.Hash) int32 {
	i, ok := t.bySHA[sha]
	if !ok {
		if t.bySHA == nil {
			t.bySHA, t.byID = map[record.Hash]int32{}, map[record.ID]int32{}
			t.all = make([]seenRecord, 1)
		}
		i = int32(len(t.all))
		t.bySHA[sha] = i
		t.all = append(t.all, seenRecord{sha: sha})
	}
	return i
}

// enter returns the number of a record.
func (t *records) enter(r *record.Record) int32 {
	i := t.number(r.SHA())
	if t.all[i].read {
		return i
	}
	var parents []int32
	if n := r.NumParents(); n > 0 {
		parents = make([]int32, 0, n)
	}
	for p := range r.Parents() {
		parents = append(parents, t.number(p))
	}
	s := &t.all[i]
	s.id, s.parents, s.read = r.ID(), parents, true
	if first, ok := t.byID[s.id]; ok {
		s.sameID, t.all[first].sameID = t.all[first].sameID, i
	} else {
		t.byID[s.id] = i
	}
	return i
}

// show adds a shard's records, and lists those that become visible.
func (t *records) show(shard []int32, list []int32) []int32 {
	for _, i := range shard {
		s := &t.all[i]
		if s.shards++; s.shards == 1 {
			list = append(list, i)
			for _, p := range s.parents {
				t.all[p].children++
			}
		}
	}
	return list
}

// hide takes a shard's records away, and lists those that are gone.
func (t *records) hide(shard []int32, list []int32) []int32 {
	for _, i := range shard {
		s := &t.all[i]
		if s.shards--; s.shards == 0 {
			list = append(list, i)
			for _, p := range s.parents {
				t.all[p].children--
			}
		}
	}
	return list
}

func (t *records) sha(i int32) record.Hash { return t.all[i].sha }

func (t *records) visible(i int32) bool { return t.all[i].shards > 0 }

// hasParents reports whether all parents of a record are visible.
func (t *records) hasParents(i int32) bool {
	for _, p := range t.all[i].parents {
		if !t.visible(p) {
			return false
		}
	}
	return true
}

// sharesID reports whether another visible record has the record's ID.
func (t *records) sharesID(i int32) bool {
	for k := t.byID[t.all[i].id]; k != 0; k = t.all[k].sameID {
		if k != i && t.visible(k) {
			return true
		}
	}
	return false
}

// count returns how many records are visible, and how many of them no visible
// record names.
func (t *records) count() (visible, heads int) {
	for i := range t.all {
		if t.all[i].shards > 0 {
			visible++
			if t.all[i].children == 0 {
				heads++
			}
		}
	}
	return visible, heads
}

// isHead reports whether a digest is of a visible record that none names.
func (t *records) isHead(sha record.Hash) bool {
	i, ok := t.bySHA[sha]
	return ok && t.visible(i) && t.all[i].children == 0
}
