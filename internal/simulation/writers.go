package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/txn"
)

// writer persists its artifacts one after another: it goes on to the next when
// all of one is acknowledged.
type writer struct {
	number    int
	artifacts [][]byte
}

func (w *world) startWriters() {
	for i := range 2 + w.random.IntN(3) {
		wr := &writer{number: i}
		for turn := range 1 + w.random.IntN(4) {
			wr.artifacts = append(wr.artifacts, w.artifact(i, turn))
		}
		w.writers = append(w.writers, wr)
		w.start(w.delay(), fmt.Sprintf("writer %d", i), 0, func(p *process) { w.write(p, wr) })
	}
}

// artifact makes the artifact of a writer's turn, and notes what it asks for.
func (w *world) artifact(writer, turn int) []byte {
	var requests []string
	for i := range 1 + w.random.IntN(3) {
		cfg := w.configs[w.random.IntN(len(w.configs))]
		requests = append(requests, request(w.random, cfg, fmt.Sprintf("%d.%d.%d", writer, turn, i)))
	}
	tx, err := txn.Normalize(w.configs, fmt.Sprintf("run-%d:%d", writer, turn), strings.NewReader(strings.Join(requests, "\n")))
	if err != nil {
		w.blame("normalize: %v", err)
		return nil
	}
	data, err := tx.MarshalJSON()
	var read struct {
		Ledgers map[string]struct {
			Appends []struct{ Record map[string]any }
		}
	}
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	for name, l := range read.Ledgers {
		for _, a := range l.Appends {
			id, failed := record.ParseID(fmt.Sprint(a.Record["id"]))
			delete(a.Record, "id")
			payload, alsoFailed := json.Marshal(a.Record) // canonical, since it is plain
			err = errors.Join(err, failed, alsoFailed)
			w.wanted[id] = &wish{ledger: name, payload: string(payload), writer: writer, turn: turn}
		}
	}
	if err != nil {
		w.blame("artifact: %v", err)
	}
	w.stats.Artifacts++
	return data
}

// request makes an operation that any state admits.
func request(random *rand.Rand, cfg ledger.Config, unique string) string {
	body := map[string]any{"ledger": cfg.Name}
	few := fmt.Sprintf("k%d", random.IntN(3))
	one := random.IntN(3) == 0
	switch cfg.Type {
	case ledger.Log:
		body["operation"], body["value"] = "append", unique
	case ledger.Map:
		body["type"], body["key"], body["value"] = "ledger_map_put", few, unique
		if one {
			body["type"] = "ledger_map_delete"
			delete(body, "value")
		}
	case ledger.Set:
		body["operation"], body["value"] = "add", few
		if one {
			body["operation"] = "remove"
		}
	case ledger.Counter:
		body["operation"], body["name"], body["amount"] = "increment", few, 1+random.IntN(9)
	default:
		body["record"] = map[string]any{"unique": unique}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// write plays the runs of a workflow: each that fails or dies is followed by
// another with the same artifact, and sometimes two run at a time.
func (w *world) write(p *process, wr *writer) {
	for turn, artifact := range wr.artifacts {
		for runs := 1; ; runs++ {
			name := fmt.Sprintf("writer %d, turn %d, run %d", wr.number, turn, runs)
			if w.strikes(5) {
				w.start(w.delay(), name+" again", w.crash(), func(p *process) { w.persist(p, artifact) })
			}
			durable := false
			p.await(w.delay(), name, w.crash(), func(run *process) { durable = w.persist(run, artifact) })
			if durable {
				break
			}
			if runs > 60 {
				w.blame("%s: is not durable after %d runs", name, runs)
				return
			}
			p.wait(w.delay())
		}
		p.wait(w.delay())
	}
}

// persist is one run of the persistence job. It reports whether everything was
// acknowledged to somebody who was there to hear it.
func (w *world) persist(p *process, artifact []byte) bool {
	w.stats.Runs++
	result, err := txn.Persist(p.ctx,
		func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return w.open(p, cfg.Name), nil },
		w.configs, artifact, txn.Options{
			Parallel: 1, Now: w.clock, NewShardID: w.shardID, Attempts: 6,
			Backoff: txn.Backoff{
				Base: w.tempo, Sleep: p.sleep,
				Jitter: func(window time.Duration) time.Duration { return time.Duration(w.random.Int64N(int64(window) + 1)) },
			},
		})
	if p.dead {
		w.stats.Crashes++
		w.note("%s: died", p.name)
		return false
	}
	if result == nil {
		w.blame("%s: %v", p.name, err)
		return false
	}
	for _, l := range result.Ledgers {
		w.note("%s: %s: %s %s", p.name, l.Ledger, l.Status, l.Code)
		switch l.Status {
		case txn.Persisted, txn.AlreadyPresent:
			w.acknowledge(p, l)
		case txn.Unknown:
		case txn.Failed:
			switch l.Code {
			case txn.CodeAttempts, txn.CodeLocked, txn.CodeUnavailable:
			default:
				w.blame("%s: %s: %v", p.name, l.Ledger, l.Err)
			}
		default:
			w.blame("%s: %s: %s: %v", p.name, l.Ledger, l.Status, l.Err)
		}
	}
	if result.Durable() != (err == nil) {
		w.blame("%s: durable %t, error %v", p.name, result.Durable(), err)
	}
	return result.Durable()
}

// acknowledge notes what a job says to be durable.
func (w *world) acknowledge(p *process, l txn.LedgerResult) {
	for _, r := range l.Records {
		wish := w.wanted[r.ID]
		switch {
		case wish == nil || wish.ledger != l.Ledger || r.SHA == nil:
			w.blame("%s: %s: acknowledges a record that nobody asked for: %s", p.name, l.Ledger, r.ID)
		case wish.acked.IsZero():
			w.stats.Acknowledged++
			wish.acked = *r.SHA
		case wish.acked != *r.SHA:
			w.blame("%s: %s: record %s is acknowledged as %s and %s", p.name, l.Ledger, r.ID, wish.acked, *r.SHA)
		}
	}
}

// shardID names a new shard.
func (w *world) shardID() (shard.ID, error) {
	var text [16]byte
	for i := range text {
		text[i] = byte(w.random.Uint32())
	}
	return shard.ID(record.FoldUUID(record.Sum(text[:]))), nil
}
