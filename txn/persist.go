package txn

import (
	"context"
	"errors"
	"sync"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
)

// Persist makes the records of an artifact durable (S5.5). It trusts neither
// the artifact nor the branches: it validates the artifact against the
// configuration, and for each ledger the whole history, replays the built-in
// state, applies the new operations to it, and only then commits, under the
// guard that the branch is still as it was read. When it is not, everything
// is read and validated again.
//
// Each ledger's batch is written whole or not at all, and the ledgers do not
// depend on each other. The result reports them by name; the error joins what
// went wrong as [*LedgerError]s and is nil when every batch is durable. An
// artifact that is refused gives no result and an error that matches
// [ErrArtifact]; nothing was written then. To persist the same artifact again
// is always safe.
func Persist(ctx context.Context, branches Branches, configs ledger.Configs, artifact []byte, opts Options) (*Result, error) {
	opts = opts.withDefaults()
	audit := audit{path: opts.AuditFile, now: opts.Now}
	t, err := accept(artifact, configs)
	if err != nil {
		if audit.refused(artifact, err) != nil {
			opts.Logger.Warn("audit entry not written")
		}
		return nil, err
	}
	result := &Result{TransactionID: t.id, Ledgers: make([]LedgerResult, len(t.Ledgers()))}
	var workers sync.WaitGroup
	slots := make(chan struct{}, opts.Parallel)
	for i, name := range t.Ledgers() {
		cfg, _ := configs.Lookup(name)
		j := newJob(t.id, cfg, t.of(name), opts)
		slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-slots }()
			j.run(ctx, branches)
			result.Ledgers[i] = j.result
		})
	}
	workers.Wait()
	var errs []error
	for i := range result.Ledgers {
		l := &result.Ledgers[i]
		if audit.ledger(t.id, l) != nil {
			result.AuditFailed = true
		}
		if l.Err != nil {
			errs = append(errs, l.Err)
		}
	}
	if result.AuditFailed {
		opts.Logger.Warn("audit entry not written")
	}
	return result, errors.Join(errs...)
}

// accept revalidates an artifact against the trusted configuration (S5.2-05).
func accept(artifact []byte, configs ledger.Configs) (*Transaction, error) {
	t, e := parse(artifact)
	if e != nil {
		return nil, refused(e)
	}
	if errs := validate(t.appends, configs); len(errs) > 0 {
		return nil, refused(errs...)
	}
	return t, nil
}

// newJob prepares one ledger's batch.
func newJob(transactionID string, cfg ledger.Config, appends []Append, opts Options) *job {
	j := &job{transactionID: transactionID, cfg: cfg, appends: appends, opts: opts}
	j.log = opts.Logger.With("ledger", cfg.Name, "transaction", printable(transactionID))
	j.result = LedgerResult{Ledger: cfg.Name, Type: cfg.Type, Branch: cfg.Branch(), Requested: len(appends)}
	for _, a := range appends {
		j.result.Records = append(j.result.Records, RecordResult{
			Index: a.Index, Operation: a.operation(cfg.Type), ID: a.ID, Validation: Unchecked, Status: RecordNotWritten,
		})
	}
	return j
}

// settle turns the outcome into the counts of the result.
func (j *job) settle(err error) {
	r := &j.result
	if err != nil {
		r.Code = codeOf(err)
		r.Status = statusOf(r.Code)
		r.Err = &LedgerError{Ledger: r.Ledger, Status: r.Status, Err: err}
	}
	for i := range r.Records {
		one := &r.Records[i]
		if r.Status == Unknown {
			one.Status, one.SHA = RecordUnknown, nil
		}
		switch one.Validation {
		case Valid:
			r.Validated++
		case Invalid:
			r.Rejected++
		}
		switch one.Status {
		case RecordPersisted:
			r.Persisted++
		case RecordAlreadyPresent:
			r.AlreadyPresent++
		}
		if one.Status == RecordPersisted && r.Type == ledger.Notes {
			switch one.Operation {
			case "note":
				r.NotesAdded++
			case "vote":
				r.VotesAdded++
			}
		}
	}
}

// forget drops what an earlier look at the branch told of the batch's records:
// they may be gone since.
func (j *job) forget() {
	for i := range j.result.Records {
		j.mark([]int{i}, Unchecked, RecordNotWritten, nil)
	}
}

// mark sets what is known of some of the batch's records.
func (j *job) mark(positions []int, validity Validity, status RecordStatus, sha func(k int) record.Hash) {
	for k, i := range positions {
		j.result.Records[i].Validation = validity
		j.result.Records[i].Status = status
		j.result.Records[i].SHA = nil
		if sha != nil {
			h := sha(k)
			j.result.Records[i].SHA = &h
		}
	}
}
