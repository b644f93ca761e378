//go:build cgo

package txn_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/ledger"
	"github.com/gitledger/gitledger/record"
	"github.com/gitledger/gitledger/shard"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// Writers and maintenance are processes of their own: the test binary, started
// again with its orders in this variable.
const ordersVariable = "GITLEDGER_TEST_ORDERS"

// orders are what a process is to do.
type orders struct {
	URL          string
	Cache        string
	Writer       int
	Transactions int  // of a writer
	Maintain     bool // compact at each line of standard input, and at its end
}

// acknowledged is what a process reports of a ledger, as a line of JSON.
type acknowledged struct {
	Writer, Transaction int
	Ledger              string
	ID                  record.ID   `json:",omitzero"`
	SHA                 record.Hash `json:",omitzero"`
	Pushes, Fetches     int
	Compacted           int
	Error               string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(ordersVariable); text != "" {
		var o orders
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if err := o.run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// threeLedgers are the ledgers of the contention test. Their compaction is due
// as soon as two shards can be merged.
func threeLedgers() ledger.Configs {
	configs := ledger.Configs{
		ledger.NewConfig("free", ledger.Raw),
		ledger.NewConfig("history", ledger.Log),
		ledger.NewConfig("repositories", ledger.Map),
	}
	for i := range configs {
		configs[i].Compaction.MinSegments = 2
	}
	return configs
}

// request is the request of a writer's transaction: its content follows from
// the two numbers, so that the oracle can tell it.
func (a acknowledged) request() string {
	switch a.Ledger {
	case "free":
		return fmt.Sprintf(`{"ledger":"free","record":{"transaction":%d,"writer":%d}}`, a.Transaction, a.Writer)
	case "history":
		return fmt.Sprintf(`{"ledger":"history","operation":"append","value":{"transaction":%d,"writer":%d}}`, a.Transaction, a.Writer)
	}
	return fmt.Sprintf(`{"ledger":"repositories","operation":"put","key":"writer %d","value":{"transaction":%d,"writer":%d}}`, a.Writer, a.Transaction, a.Writer)
}

func (a acknowledged) transactionID() string {
	return fmt.Sprintf("%d:%d", a.Writer, a.Transaction)
}

func (o orders) run() error {
	r, err := gitbranch.Open(context.Background(), gitbranch.Options{URL: o.URL, Cache: o.Cache})
	if err != nil {
		return err
	}
	defer r.Close()
	out := json.NewEncoder(os.Stdout)
	if o.Maintain {
		return o.maintain(r, out)
	}
	branches := func(_ context.Context, cfg ledger.Config) (shard.Branch, error) { return r.Branch(cfg.Branch()) }
	configs := threeLedgers()
	for i := range o.Transactions {
		a := acknowledged{Writer: o.Writer, Transaction: i, Ledger: configs[(o.Writer+i)%len(configs)].Name}
		tx, err := txn.Normalize(configs, a.transactionID(), strings.NewReader(a.request()))
		if err != nil {
			return err
		}
		data, err := tx.MarshalJSON()
		if err != nil {
			return err
		}
		got, err := txn.Persist(context.Background(), branches, configs, data, txn.Options{})
		if err != nil {
			return err
		}
		l := got.Ledgers[0]
		a.ID, a.SHA, a.Pushes, a.Fetches = l.Records[0].ID, *l.Records[0].SHA, l.Pushes, l.Fetches
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// maintain compacts the three ledgers at each line of standard input, and once
// more at its end. That other writers are faster is no failure: compaction
// fails open.
func (o orders) maintain(r *gitbranch.Repository, out *json.Encoder) error {
	told := bufio.NewScanner(os.Stdin)
	for last := false; !last; {
		last = !told.Scan()
		for _, cfg := range threeLedgers() {
			b, err := r.Branch(cfg.Branch())
			if err != nil {
				return err
			}
			p, err := compact.Propose(context.Background(), b, cfg, compact.ProposeOptions{Trigger: compact.Requested})
			if err != nil {
				return err
			}
			if p.Plan == nil {
				continue
			}
			got, err := compact.Apply(context.Background(), b, cfg, p.Plan.Append(nil), compact.ApplyOptions{})
			a := acknowledged{Ledger: cfg.Name}
			if err != nil {
				a.Error = err.Error()
			} else if got.Status == compact.Applied {
				a.Compacted = got.Stats.SourceSegments
			}
			if err := out.Encode(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// process is a started process.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr strings.Builder
	acks   []acknowledged
	done   chan struct{}
}

// start starts a process and collects what it reports, calling each after each
// line of it. The process is killed when the test ends.
func start(t testing.TB, o orders, each func()) *process {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(os.Args[0]), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), ordersVariable+"="+string(text))
	p.cmd.Stderr = &p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() {
		defer close(p.done)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var a acknowledged
			if json.Unmarshal(lines.Bytes(), &a) == nil {
				p.acks = append(p.acks, a)
				each()
			}
		}
	}()
	return p
}

// wait returns what the process reported, and how it ended.
func (p *process) wait() ([]acknowledged, error) {
	<-p.done
	if err := p.cmd.Wait(); err != nil {
		return p.acks, fmt.Errorf("%w: %s", err, p.stderr.String())
	}
	return p.acks, nil
}
