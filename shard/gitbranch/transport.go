package gitbranch

import (
	"errors"
	"strconv"
	"strings"
	"sync"

	git "github.com/libgit2/git2go/v34"
)

// libgit2's own HTTP client knows no timeouts and no contexts, so the smart
// protocol runs over [exchange] instead, under a scheme of our own that leaves
// other users of git2go in the process alone. libgit2 keeps its transports in
// one list without a lock: registering one for each session would race with
// every connection in the process. So there is one registration, made before
// the first connection, and each exchange is found by the number in its URL.
const scheme = "gitledger"

// switchboard is the process-wide table that the one registered transport needs.
type switchboard struct {
	register  sync.Once
	err       error
	transport *git.RegisteredSmartTransport // unregistered when collected, so kept

	mu   sync.Mutex
	next uint64
	open map[string]*exchange
}

var board switchboard

// connect makes ex reachable for libgit2 under url until done is called.
func (b *switchboard) connect(ex *exchange) (url string, done func(), err error) {
	b.register.Do(func() {
		b.transport, b.err = git.NewRegisteredSmartTransport(scheme, true,
			func(*git.Remote, *git.Transport) (git.SmartSubtransport, error) { return &subtransport{}, nil })
	})
	if b.err != nil {
		return "", nil, unavailable(b.err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	url = scheme + "://" + strconv.FormatUint(b.next, 10)
	if b.open == nil {
		b.open = map[string]*exchange{}
	}
	b.open[url] = ex
	return url, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.open, url)
	}, nil
}

func (b *switchboard) find(url string) *exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[strings.TrimSuffix(url, "/")]
}

// subtransport is what libgit2 calls: it hands each action to its exchange.
type subtransport struct{}

var errNoExchange = errors.New("gitbranch: no such exchange")

// Action implements [git.SmartSubtransport].
func (*subtransport) Action(url string, action git.SmartServiceAction) (stream git.SmartSubtransportStream, err error) {
	ex := board.find(url)
	if ex == nil {
		return nil, errNoExchange
	}
	defer ex.contain(&err)
	return ex.begin(action)
}

// Close implements [git.SmartSubtransport].
func (*subtransport) Close() error { return nil }

// Free implements [git.SmartSubtransport].
func (*subtransport) Free() {}
