package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
)

// hammer is one run: the store, the processes, and what they reported.
type hammer struct {
	options options
	screen  *screen
	dir     string // holds everything
	made    bool   // dir is a temporary one
	store   store
	server  *gittest.Server // of an HTTP store
	faults  *faults
	log     *evidence
	random  *rand.Rand // who is killed

	messages chan message
	writing  map[*process]bool
	compact  map[*process]bool
	next     []int // the turn that each writer is to do next
	caches   int

	turns  []turnEvent // what the writers were told
	tally  tally
	broken []string // promises, as the processes saw it
}

func newHammer(o options, s *screen) (*hammer, error) {
	if o.seed == 0 {
		o.seed = rand.Uint64()>>32 + 1
	}
	h := &hammer{
		options: o, screen: s, dir: o.dir, faults: newFaults(o.faults, o.seed),
		random: rand.New(rand.NewPCG(o.seed, 2)), messages: make(chan message),
		writing: map[*process]bool{}, compact: map[*process]bool{},
		next: make([]int, o.processes*o.writers),
	}
	s.live = s.live || o.verbose
	if err := h.makeStore(); err != nil {
		return nil, errors.Join(err, h.close(false))
	}
	return h, nil
}

// makeStore makes the directory, and in it the store and the record of the run.
func (h *hammer) makeStore() (err error) {
	if h.dir == "" {
		h.made = true
		if h.dir, err = os.MkdirTemp("", "gitledger-hammer-"); err != nil {
			return errors.New("cannot make a temporary directory")
		}
	} else if held, err := os.ReadDir(h.dir); err == nil && len(held) > 0 {
		return errors.New("the directory that -dir names is not empty")
	}
	root := filepath.Join(h.dir, "store")
	if os.MkdirAll(root, 0o755) != nil {
		return errors.New("cannot make the store's directory")
	}
	if h.log, err = newEvidence(filepath.Join(h.dir, "events.jsonl"), h.options); err != nil {
		return err
	}
	h.store = store{Kind: storeKind(h.options.store), At: root}
	switch h.store.Kind {
	case dirStore:
		return h.store.makeDirs()
	case localStore:
		h.store.At = filepath.Join(root, "ledgers.git")
		return gittest.InitBare(h.store.At)
	}
	if h.server, err = gittest.New(root); err != nil {
		return err
	}
	h.store.At, _, err = h.server.Create("ledgers.git")
	h.faults.into(h.server)
	return err
}

// close stops the server, and removes everything unless it is to be kept.
func (h *hammer) close(keep bool) error {
	var errs []error
	if h.server != nil {
		errs = append(errs, h.server.Close())
	}
	if h.log != nil {
		errs = append(errs, h.log.close())
	}
	if h.made && !keep && os.RemoveAll(h.dir) != nil {
		errs = append(errs, errors.New("the temporary directory cannot be removed"))
	}
	return errors.Join(errs...)
}

// hammer runs the processes until they are done, the time is up or ctx ends.
func (h *hammer) hammer(ctx context.Context) error {
	defer h.killAll()
	h.tally.began = time.Now()
	for range h.options.maintain {
		if err := h.begin(h.orders(nil), h.compact); err != nil {
			return err
		}
	}
	for p := range h.options.processes {
		var writers []assignment
		for w := range h.options.writers {
			writers = append(writers, assignment{Writer: p*h.options.writers + w})
		}
		if err := h.begin(h.orders(writers), h.writing); err != nil {
			return err
		}
	}
	var timeUp <-chan time.Time
	if h.options.duration > 0 {
		timer := time.NewTimer(h.options.duration)
		defer timer.Stop()
		timeUp = timer.C
	}
	show := time.NewTicker(time.Second / 2)
	defer show.Stop()
	for ending := false; len(h.writing)+len(h.compact) > 0; {
		select {
		case m := <-h.messages:
			if err := h.take(m, ending); err != nil {
				return err
			}
		case <-show.C:
			h.screen.figures(h)
		case <-timeUp:
			ending = true
		case <-ctx.Done():
			ending, ctx = true, context.WithoutCancel(ctx)
		}
		if ending {
			stopAll(h.writing)
		}
		if len(h.writing) == 0 {
			h.wroteAll()
		}
	}
	return nil
}

// wroteAll ends the faults and lets maintenance finish.
func (h *hammer) wroteAll() {
	if h.tally.took == 0 {
		h.tally.took = time.Since(h.tally.began)
	}
	if h.server != nil {
		h.server.Heal()
	}
	stopAll(h.compact)
}

func stopAll(processes map[*process]bool) {
	for p := range processes {
		p.stop()
	}
}

func (h *hammer) orders(writers []assignment) orders {
	h.caches++
	return orders{
		Store: h.store, Cache: filepath.Join(h.dir, "caches", fmt.Sprint(h.caches)),
		Seed: h.options.seed, Writers: writers, Turns: h.options.turns, Patience: h.options.patience,
	}
}

func (h *hammer) begin(o orders, among map[*process]bool) error {
	p, err := start(o, h.messages)
	if err == nil {
		among[p] = true
	}
	return err
}

// killAll leaves no process behind, however hammering ended.
func (h *hammer) killAll() {
	for _, among := range []map[*process]bool{h.writing, h.compact} {
		for p := range among {
			p.kill()
		}
	}
	for len(h.writing)+len(h.compact) > 0 {
		if m := <-h.messages; m.event == nil {
			delete(h.writing, m.from)
			delete(h.compact, m.from)
		}
	}
}
