package txn

import (
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/replay"
)

// validate checks everything of the records-to-be that can be told without a
// ledger's state, for both jobs: the ledger, the bounds of every record, the
// operation's fields and schemas, and the record, patch and segment limits
// (S5.2-03, S5.2-05, S9-10). It returns at most one error for each record.
func validate(appends []Append, configs ledger.Configs) []*RequestError {
	var errs []*RequestError
	patch, segment := map[string]int64{}, map[string]int64{}
	full := map[string]bool{}
	for _, a := range appends {
		fail := func(e *RequestError) {
			e.Index, e.Ledger = a.Index, a.Ledger
			errs = append(errs, e)
		}
		cfg, ok := configs.Lookup(a.Ledger)
		if !ok {
			errs = append(errs, &RequestError{Index: a.Index, Reason: ReasonLedger, Detail: "no ledger of that name is configured"})
			continue
		}
		if e := validatePayload(a.payload, cfg); e != nil {
			fail(e)
			continue
		}
		size := int64(len(a.record()))
		if size > cfg.Limits.RecordBytes {
			fail(&RequestError{Reason: ReasonRecordSize, Detail: "the record is over max-record-kb"})
			continue
		}
		if full[a.Ledger] {
			continue // reported once
		}
		parents := 0
		if segment[a.Ledger] > 0 {
			parents = 1
		}
		patch[a.Ledger] += size
		segment[a.Ledger] += lineBytes(len(a.payload), parents)
		switch {
		case patch[a.Ledger] > cfg.Limits.PatchBytes:
			full[a.Ledger] = true
			fail(&RequestError{Reason: ReasonBatchSize, Detail: "with this record the batch is over max-patch-kb"})
		case segment[a.Ledger] > cfg.Limits.SegmentBytes:
			full[a.Ledger] = true
			fail(&RequestError{Reason: ReasonSegmentSize, Detail: "with this record the batch is over max-segment-kb"})
		}
	}
	return errs
}

func validatePayload(payload []byte, cfg ledger.Config) *RequestError {
	if e := shape(payload); e != nil {
		return e
	}
	if cfg.Type == ledger.Raw {
		if e := reserved(payload); e != nil {
			return e
		}
	}
	if err := replay.Validate(cfg, payload); err != nil {
		return invalid(err, payload, cfg)
	}
	return nil
}

// recordType is the type of every record that is written.
const recordType = "ledger_append"

// lineBytes is the size of the stored line, with its newline, of a payload of
// n bytes with the given number of parents.
func lineBytes(n, parents int) int64 {
	const hash = len(`"sha256:`) + 2*len(record.Hash{}) + len(`"`)
	const around = len(`{"id":"`) + len(record.IDPrefix) + 36 + len(`","parents":[],"payload":`) +
		len(`,"sha":`) + hash + len(`,"timestamp":"`) + len(record.TimeLayout) +
		len(`","type":"`) + len(recordType) + len(`","version":1}`+"\n")
	commas := max(parents-1, 0)
	return int64(around + parents*hash + commas + n)
}
