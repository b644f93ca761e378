package txn

import (
	"bytes"
	"fmt"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// operation returns the operation's name, which is one of the type's. It is empty
// for a raw record, whose member of that name is a value like any other.
func (a Append) operation(t ledger.Type) string {
	name, _ := canonical.Text(canonical.Get(a.payload, "operation"))
	spec, _ := ledger.Operation(t, name)
	return spec.Name
}

// reconcile finds which of the batch's records are in the history. A record is
// there when one has its ID in the envelope or, written by the gh-aw runtime,
// in the payload. It returns the positions of those that are not; other content
// under one of the IDs is ErrConflict.
func (j *job) reconcile(h *ledger.History) (missing []int, err error) {
	wanted := make(map[record.ID]int, len(j.appends))
	for i, a := range j.appends {
		wanted[a.ID] = i
	}
	found := make([]record.Hash, len(j.appends))
	conflicts := 0
	for _, r := range h.Records() {
		i, ok := wanted[r.ID()]
		inside, claimed := wanted[payloadID(r)]
		switch {
		case !ok && !claimed:
			continue
		case !ok:
			i = inside
		case claimed && inside != i: // one record cannot be two of the batch
			j.mark([]int{inside}, Invalid, RecordNotWritten, nil)
			conflicts++
			continue
		}
		if !bytes.Equal(without(r.Payload(), "id"), j.appends[i].payload) {
			j.mark([]int{i}, Invalid, RecordNotWritten, nil)
			conflicts++
			continue
		}
		found[i] = r.SHA()
	}
	if conflicts > 0 {
		return nil, fmt.Errorf("%w: %d of %d records", ErrConflict, conflicts, len(j.appends))
	}
	for i := range found {
		if found[i].IsZero() {
			missing = append(missing, i)
		} else {
			j.mark([]int{i}, Valid, RecordAlreadyPresent, func(int) record.Hash { return found[i] })
		}
	}
	return missing, nil
}

// payloadID returns the record ID that a payload carries, or the zero ID.
func payloadID(r *record.Record) record.ID {
	// Most payloads have none; looking for the text first spares their parsing.
	payload := r.Payload()
	if !bytes.Contains(payload, []byte(`"id":"`+record.IDPrefix)) {
		return record.ID{}
	}
	text, ok := canonical.Text(canonical.Get(payload, "id"))
	if !ok {
		return record.ID{}
	}
	id, err := record.ParseID(text)
	if err != nil {
		return record.ID{}
	}
	return id
}
