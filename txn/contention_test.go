//go:build cgo

package txn_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/gittest"
	"github.com/gitledger/gitledger/internal/oracle"
	"github.com/gitledger/gitledger/shard/gitbranch"
	"github.com/gitledger/gitledger/txn"
)

// TestContention has 16 processes persist 20 transactions each, on three
// ledgers, without a pause and with maintenance running beside them. What was
// acknowledged is judged at the end. TXN_TRANSACTIONS sets another number.
func TestContention(t *testing.T) {
	const writers = 16
	transactions := 20
	if text := os.Getenv("TXN_TRANSACTIONS"); text != "" {
		var err error
		if transactions, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		transactions = 3
	}
	for _, http := range []bool{true, false} {
		t.Run(fmt.Sprintf("http=%v", http), func(t *testing.T) {
			s := newSite(t, http)
			began := time.Now()
			maintenance := start(t, orders{URL: s.url, Cache: t.TempDir(), Maintain: true}, func() {})
			// Maintenance works as often as writers do, not as fast as it can.
			var count atomic.Int64
			each := func() {
				if count.Add(1)%writers == 0 {
					io.WriteString(maintenance.stdin, "\n")
				}
			}
			var running []*process
			for w := range writers {
				running = append(running, start(t, orders{URL: s.url, Cache: t.TempDir(), Writer: w, Transactions: transactions}, each))
			}
			var acks []acknowledged
			for w, p := range running {
				got, err := p.wait()
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
				acks = append(acks, got...)
			}
			maintenance.stdin.Close()
			rounds, err := maintenance.wait()
			if err != nil {
				t.Errorf("maintenance: %v", err)
			}
			compactions, tooSlow := 0, 0
			for _, r := range rounds {
				if r.Compacted > 0 {
					compactions++
				}
				if r.Error != "" {
					tooSlow++
				}
			}
			if len(acks) != writers*transactions || compactions == 0 {
				t.Errorf("%d of %d transactions acknowledged, %d compactions", len(acks), writers*transactions, compactions)
			}
			pushes, worst := 0, 0
			for _, a := range acks {
				pushes += a.Pushes
				worst = max(worst, a.Pushes)
			}
			t.Logf("%d transactions, %d pushes (%.2f each, at most %d), %d compactions (%d gave way), %v",
				len(acks), pushes, float64(pushes)/float64(len(acks)), worst, compactions, tooSlow, time.Since(began).Round(time.Millisecond))
			if pushes > 3*len(acks) {
				t.Errorf("%d pushes for %d commits", pushes, len(acks))
			}
			judge(t, s, acks)
		})
	}
}

// judge compares the branches with what was acknowledged.
func judge(t *testing.T, s *site, acks []acknowledged) {
	t.Helper()
	configs := threeLedgers()
	for _, cfg := range configs {
		var claims []oracle.Claim
		for _, a := range acks {
			if a.Ledger != cfg.Name {
				continue
			}
			tx, err := txn.Normalize(configs, a.transactionID(), strings.NewReader(a.request()))
			if err != nil {
				t.Fatal(err)
			}
			for sent := range tx.Appends() {
				claims = append(claims, oracle.Claim{
					Writer: a.Writer, Turn: a.Transaction, ID: a.ID, SHA: a.SHA, Payload: sent.Payload(), Fate: oracle.Acknowledged,
				})
			}
		}
		for _, wrong := range oracle.Judge(s.history(t, cfg), claims) {
			t.Errorf("%s: %s", cfg.Name, wrong)
		}
	}
}

// Sixteen writers with one transaction each, all at once on one branch: the
// worst case for the number of pushes.
func TestSixteenWritersAtOnce(t *testing.T) {
	t.Parallel() // it waits more than it works
	const writers = 16
	s, configs := newSite(t, true), oneLog()
	var ready, done sync.WaitGroup
	var mu sync.Mutex
	pushes := 0
	ready.Add(writers)
	for w := range writers {
		branches := s.open(t, gitbranch.Options{})
		mine := artifact(t, configs, strconv.Itoa(w), entry)
		done.Go(func() {
			ready.Done()
			ready.Wait()
			got, err := txn.Persist(t.Context(), branches, configs, mine, txn.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pushes += got.Ledgers[0].Pushes
		})
	}
	done.Wait()
	if n := s.history(t, configs[0]).Len(); n != writers || pushes > 3*writers {
		t.Errorf("%d records, %d pushes", n, pushes)
	}
	t.Logf("%d pushes for %d commits", pushes, writers)
}

// A process that is killed at any of the four requests loses nothing that it
// acknowledged, and its artifact can be persisted again.
func TestKilledWriter(t *testing.T) {
	for _, step := range []gittest.Step{gittest.FetchRefs, gittest.FetchPack, gittest.PushRefs, gittest.PushPack} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after=%v", step, after), func(t *testing.T) {
				t.Parallel()
				s, configs := newSite(t, true), threeLedgers()
				first := acknowledged{Writer: 9, Transaction: 0, Ledger: "free"}
				if _, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, first.transactionID(), first.request()), quick()); err != nil {
					t.Fatal(err)
				}
				victims := make(chan *process, 1)
				s.server.Once(step, func(c *gittest.Call) {
					victim := <-victims
					if after {
						gittest.StatusAfter(500)(&gittest.Call{W: discard{}, R: c.R, Body: c.Body, Next: c.Next, Done: c.Done})
					}
					victim.cmd.Process.Kill()
					<-victim.done
					gittest.Reset()(c)
				})
				victim := start(t, orders{URL: s.url, Cache: t.TempDir(), Writer: 0, Transactions: 1}, func() {})
				victims <- victim
				if acks, err := victim.wait(); err == nil || len(acks) > 0 {
					t.Fatalf("%v, %v: the process was to be killed", acks, err)
				}
				landed := step == gittest.PushPack && after
				mine := acknowledged{Writer: 0, Transaction: 0, Ledger: "free"}
				got, err := txn.Persist(t.Context(), s.open(t, gitbranch.Options{}), configs, artifact(t, configs, mine.transactionID(), mine.request()), quick())
				if err != nil || landed != (got.Ledgers[0].Status == txn.AlreadyPresent) {
					t.Errorf("%v, %+v", err, got)
				}
				cfg, _ := configs.Lookup("free")
				if n := s.history(t, cfg).Len(); n != 2 {
					t.Errorf("%d records", n)
				}
			})
		}
	}
}
