package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
	"github.com/gitledger/gitledger/shard"
)

// commit seals the records that are missing, proves that the state admits them
// and that no limit is passed, and publishes them as one shard.
func (j *job) commit(ctx context.Context, branch shard.Branch, snap *shard.Snapshot, h *ledger.History, missing []int, limits shard.Limits) error {
	records, err := j.seal(h.Heads(), missing)
	if err != nil {
		return err
	}
	data := lines(records)
	if int64(len(data)) > j.cfg.Limits.SegmentBytes {
		return ErrSegmentSize
	}
	if err := checkRoom(snap, limits, len(data)); err != nil {
		return err
	}
	id, err := j.opts.NewShardID()
	if err != nil {
		return err
	}
	addition := shard.Addition{ID: id, Data: data}
	if err := j.admit(ctx, snap, h, addition, records, missing); err != nil {
		return err
	}
	j.mark(missing, Valid, RecordNotWritten, nil)
	if err := ctx.Err(); err != nil {
		return err
	}
	j.result.Pushes++
	message := j.opts.Message(Commit{Ledger: j.cfg.Name, Records: len(records), TransactionID: j.transactionID})
	head, err := branch.Commit(ctx, snap.Head, shard.Change{Add: []shard.Addition{addition}, Message: message})
	if err != nil {
		if errors.Is(err, shard.ErrOutcomeUnknown) {
			j.unclear, j.unclearAt = true, snap.Head
		}
		return err
	}
	j.mark(missing, Valid, RecordPersisted, func(k int) record.Hash { return records[k].SHA() })
	j.result.Status, j.result.Commit, j.result.shard = Persisted, head, id
	return nil
}

// seal makes the new records: the first has every head as a parent, up to the
// bound, and each other the one before it (S6-02).
func (j *job) seal(heads []record.Hash, missing []int) ([]record.Record, error) {
	now := j.opts.Now()
	parents := slices.Clone(heads[:min(len(heads), record.MaxParents)])
	records := make([]record.Record, 0, len(missing))
	for _, i := range missing {
		a := j.appends[i]
		r, err := record.Seal(record.Draft{ID: a.ID, Type: recordType, Time: now, Parents: parents, Payload: a.payload})
		if err != nil {
			return nil, err
		}
		records = append(records, r)
		parents = []record.Hash{r.SHA()}
	}
	return records, nil
}

// lines returns the records as a shard's bytes.
func lines(records []record.Record) []byte {
	var data []byte
	for i := range records {
		data = append(append(data, records[i].Line()...), '\n')
	}
	return data
}

// checkRoom makes sure that the branch can still be projected afterwards, so
// that nothing is acknowledged that nobody can read (S2-07, S9-06).
func checkRoom(snap *shard.Snapshot, limits shard.Limits, more int) error {
	if len(snap.Shards)+1 > limits.Files {
		return fmt.Errorf("%w: it has %d shards", ErrBranchFull, len(snap.Shards))
	}
	total := int64(more)
	for _, s := range snap.Shards {
		total += s.Size
	}
	if total > limits.Bytes {
		return fmt.Errorf("%w: it would hold %d bytes", ErrBranchFull, total)
	}
	return nil
}

// admit replays the history and applies the new records to its state (S5.5-01).
func (j *job) admit(ctx context.Context, snap *shard.Snapshot, h *ledger.History, addition shard.Addition, records []record.Record, missing []int) error {
	state, err := replay.Replay(ctx, h, j.cfg)
	if err != nil {
		return historyError(ctx, err)
	}
	operations := make([]replay.Operation, len(records))
	for i := range records {
		operations[i] = replay.FromRecord(&records[i])
	}
	if err := state.Apply(operations...); err != nil {
		j.reject(state, operations, missing)
		return fmt.Errorf("%w: %w", ErrRejected, err)
	}
	if len(h.Heads()) <= record.MaxParents {
		return nil // every new record comes after all others in replay order
	}
	// Some heads are not among the parents, so the new records may come before
	// some of the old ones: only a replay of the whole tells.
	after := *snap
	after.Shards = append(slices.Clip(snap.Shards), shard.Shard{
		Name: addition.ID.FileName(), ID: addition.ID, Size: int64(len(addition.Data)), Data: addition.Data,
	})
	whole, err := ledger.Reconstruct(ctx, &after)
	if err != nil {
		return err
	}
	if _, err := replay.Replay(ctx, whole, j.cfg); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		j.mark(missing, Invalid, RecordNotWritten, nil)
		return fmt.Errorf("%w: %w", ErrRejected, err)
	}
	return nil
}

// historyError is the error of a history whose stored operations are invalid.
func historyError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, ledger.ErrMalformed) {
		return err
	}
	return fmt.Errorf("%w: %w", ledger.ErrMalformed, err)
}

// reject finds every operation of a batch that the state does not admit, by
// applying what remains without those found so far.
func (j *job) reject(state *replay.State, operations []replay.Operation, missing []int) {
	at := slices.Clone(missing)
	for len(operations) > 0 {
		err := state.Apply(operations...)
		var e *replay.Error
		if !errors.As(err, &e) || e.Index < 0 || e.Index >= len(operations) {
			break
		}
		j.mark(at[e.Index:e.Index+1], Invalid, RecordNotWritten, nil)
		operations = slices.Delete(slices.Clone(operations), e.Index, e.Index+1)
		at = slices.Delete(at, e.Index, e.Index+1)
	}
	j.mark(at, Valid, RecordNotWritten, nil)
}
