package simulation

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"time"
)

// scheduler runs processes one at a time in virtual time. Whoever waits says
// how long, and the one whose time comes first goes on; nothing depends on the
// real clock or on which goroutine the Go scheduler would pick.
type scheduler struct {
	now   time.Time
	queue events
	next  int           // orders events of one instant
	idle  chan struct{} // the running process waits, or has ended
	steps int
}

// event is something that happens at an instant.
type event struct {
	at    time.Time
	order int
	do    func()
}

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].order < e[j].order
	}
	return e[i].at.Before(e[j].at)
}
func (e *events) Push(x any) { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

func newScheduler(start time.Time) *scheduler {
	return &scheduler{now: start, idle: make(chan struct{})}
}

// after makes something happen when d has passed.
func (s *scheduler) after(d time.Duration, do func()) {
	s.next++
	heap.Push(&s.queue, event{s.now.Add(d), s.next, do})
}

// maxSteps is far more than any simulation takes.
const maxSteps = 50_000

var errEndless = errors.New("it does not end")

// run lets everything happen that there is.
func (s *scheduler) run() error {
	for len(s.queue) > 0 {
		if s.steps++; s.steps > maxSteps {
			return fmt.Errorf("%w: %d steps, %d still wait", errEndless, s.steps, len(s.queue))
		}
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		e.do()
	}
	return nil
}

// process is one run of a job. All its waiting is at the scheduler.
type process struct {
	*scheduler
	name    string
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{}
	crashIn int // at which of its steps it stops for ever; 0 is never
	dead    bool
}

// start runs body as a process, a while from now.
func (s *scheduler) start(after time.Duration, name string, crashIn int, body func(*process)) {
	p := &process{scheduler: s, name: name, wake: make(chan struct{}), crashIn: crashIn}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	go func() {
		<-p.wake
		body(p)
		p.cancel()
		s.idle <- struct{}{}
	}()
	s.after(after, p.resume)
}

// resume lets the process run until it waits.
func (p *process) resume() {
	p.wake <- struct{}{}
	<-p.idle
}

// wait passes the time.
func (p *process) wait(d time.Duration) {
	p.after(d, p.resume)
	p.idle <- struct{}{}
	<-p.wake
}

// await runs another process and waits for its end.
func (p *process) await(after time.Duration, name string, crashIn int, body func(*process)) {
	p.start(after, name, crashIn, func(other *process) {
		body(other)
		p.after(0, p.resume)
	})
	p.idle <- struct{}{}
	<-p.wake
}

// sleep is wait for a job's backoff.
func (p *process) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.wait(d)
	return ctx.Err()
}

// step is a point at which a process may die. A dead one does nothing that
// anybody could see, and what it returns is thrown away.
func (p *process) step() error {
	if p.crashIn > 0 {
		if p.crashIn--; p.crashIn == 0 {
			p.dead = true
			p.cancel()
		}
	}
	return p.ctx.Err()
}
