// Package simulation runs writers, planners, appliers and readers against
// branches in memory, in virtual time, with everything that may go wrong
// between a process and a branch: delays of any length, requests and answers
// that are lost or late, processes that stop for ever at any step, and several
// runs of the same artifact or plan at a time. At the end an oracle judges.
//
// A seed decides everything, so that one that fails can be run again. Processes
// take turns at a scheduler of our own: testing/synctest gives virtual time too,
// but leaves the order of goroutines that are ready at one instant to the
// runtime.
package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
)

// world is one simulation.
type world struct {
	*scheduler
	random  *rand.Rand
	configs ledger.Configs
	stores  map[string]*store // by ledger
	writers []*writer
	plans   map[string][][]byte // by ledger, in the order in which they were made

	calm  time.Time // from then on nothing goes wrong any more
	tempo time.Duration

	wanted map[record.ID]*wish // every record that somebody asks for
	stats  Stats
	wrong  []string // what was found to be wrong
	trace  func(line string)
}

// wish is a record that a writer asks for.
type wish struct {
	ledger  string
	payload string // canonical
	writer  int
	turn    int // of the writer's artifacts
	acked   record.Hash
}

// Stats counts what happened.
type Stats struct {
	Steps, Artifacts, Runs, Crashes, Acknowledged int
	Plans, Applied, Stale, Views                  int

	landed, moved int
}

// Landed is how many commits were published, and Moved how many were turned
// away because the branch had moved.
func (s Stats) Landed() int { return s.landed }

// Moved counts commits that came too late.
func (s Stats) Moved() int { return s.moved }

func (s *Stats) add(o Stats) {
	s.Steps += o.Steps
	s.Artifacts += o.Artifacts
	s.Runs += o.Runs
	s.Crashes += o.Crashes
	s.Acknowledged += o.Acknowledged
	s.Plans += o.Plans
	s.Applied += o.Applied
	s.Stale += o.Stale
	s.Views += o.Views
	s.landed += o.landed
	s.moved += o.moved
}

// start is when every simulation begins.
func start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// newWorld makes the simulation of a seed.
func newWorld(seed uint64, broken fault, trace func(string)) *world {
	w := &world{
		scheduler: newScheduler(start()),
		random:    rand.New(rand.NewPCG(seed, 0)),
		stores:    map[string]*store{},
		plans:     map[string][][]byte{},
		wanted:    map[record.ID]*wish{},
		trace:     trace,
	}
	w.tempo = time.Duration(5+w.random.IntN(200)) * time.Millisecond
	w.calm = start().Add(time.Duration(2+w.random.IntN(20)) * time.Second)
	types := []ledger.Type{ledger.Log, ledger.Map, ledger.Set, ledger.Counter, ledger.Raw}
	w.random.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	for i := range 1 + w.random.IntN(2) {
		cfg := ledger.NewConfig(fmt.Sprintf("l%d", i), types[i])
		cfg.Compaction.MinSegments = 2
		cfg.Compaction.MaxSegments = 2 + w.random.IntN(5)
		w.configs = append(w.configs, cfg)
		b := &membranch.Branch{}
		b.Keep()
		w.stores[cfg.Name] = &store{name: cfg.Name, branch: b, broken: broken}
	}
	return w
}

// Run runs the simulation of a seed. The error lists what is wrong.
func Run(seed uint64, trace func(line string)) (Stats, error) { return run(seed, sound, trace) }

func run(seed uint64, broken fault, trace func(string)) (Stats, error) {
	w := newWorld(seed, broken, trace)
	w.startWriters()
	w.startMaintenance()
	w.startReaders()
	if err := w.scheduler.run(); err != nil {
		w.blame("%v", err)
		return w.stats, w.verdict() // the processes that wait stay where they are
	}
	w.stats.Steps = w.steps
	w.judge()
	return w.stats, w.verdict()
}

// delay is how long something takes: mostly the usual, sometimes much longer.
func (w *world) delay() time.Duration {
	d := time.Duration(w.random.Int64N(int64(w.tempo)) + 1)
	if w.random.IntN(8) == 0 {
		d *= time.Duration(1 + w.random.IntN(30))
	}
	return d
}

// strikes reports, once in n times, that something goes wrong.
func (w *world) strikes(n int) bool { return w.now.Before(w.calm) && w.random.IntN(n) == 0 }

// crash chooses the step at which a process dies, or none.
func (w *world) crash() int {
	if w.strikes(6) {
		return 1 + w.random.IntN(6)
	}
	return 0
}

// open gives a process its own view of a branch.
func (w *world) open(p *process, name string) shard.Branch {
	return &remote{process: p, world: w, store: w.stores[name]}
}

// clock is the processes' clock.
func (w *world) clock() time.Time { return w.now }

func (w *world) note(format string, args ...any) {
	if w.trace != nil {
		w.trace(fmt.Sprintf("%9.3fs ", w.now.Sub(start()).Seconds()) + fmt.Sprintf(format, args...))
	}
}

// blame says that something is wrong.
func (w *world) blame(format string, args ...any) {
	w.note("WRONG: "+format, args...)
	if len(w.wrong) < 20 {
		w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
	}
}
