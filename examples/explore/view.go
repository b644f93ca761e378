package main

import "github.com/gitledger/gitledger/ledger"

// What is shown of a ledger, however large it is.
const (
	maxHeads       = 64
	maxDiagnostics = 200
	maxGraph       = 120  // records of the graph
	maxRows        = 1000 // of the state
	maxNotes       = 500  // those with the most votes
	maxVotes       = 5    // of a note, the latest
	maxCitations   = 20   // of a note
	maxCompactions = 100  // the latest
	maxPoints      = 600  // commits of the chart, over the whole history
	maxText        = 1000 // characters of a payload, a value, or a field of a note
)

// view is all that is shown of a ledger. Texts are as they are stored, but cut;
// whoever shows them to a person makes them visible first.
type view struct {
	Ledger   string `json:"ledger"`
	Type     string `json:"type"`
	Declared bool   `json:"declared"`
	Branch   string `json:"branch"`
	Head     string `json:"head,omitempty"`

	Records         int                 `json:"records"`
	Shards          int                 `json:"shards"`
	Bytes           int64               `json:"bytes"`
	Heads           []string            `json:"heads"`
	HeadCount       int                 `json:"head_count"`
	Diagnostics     []ledger.Diagnostic `json:"diagnostics"`
	DiagnosticCount int                 `json:"diagnostic_count"`
	Invalid         string              `json:"invalid,omitempty"` // why there is no state

	Newest    []recordView `json:"newest"` // the newest first
	graph     []node
	Columns   []string   `json:"state_columns,omitempty"`
	State     [][]string `json:"state,omitempty"`
	StateRows int        `json:"state_rows"`
	Notes     []noteView `json:"notes,omitempty"` // the most votes first
	NoteCount int        `json:"note_count"`

	Commits     int          `json:"commits"`
	Growth      []growth     `json:"shards_over_time"`
	Compactions []compaction `json:"compactions"` // the latest first
}

type recordView struct {
	Short     string   `json:"-"`
	SHA       string   `json:"sha"`
	ID        string   `json:"id"`
	Type      string   `json:"type"`
	Timestamp string   `json:"timestamp"`
	Parents   []string `json:"parents"`
	Payload   string   `json:"payload"`
	Head      bool     `json:"head"`
}

type noteView struct {
	ID        string     `json:"id"`
	Subject   string     `json:"subject"`
	Note      string     `json:"note"`
	Reason    string     `json:"reason"`
	Created   string     `json:"created_at"`
	Citations []string   `json:"citations"`
	Up        int        `json:"upvotes"`
	Down      int        `json:"downvotes"`
	Votes     []voteView `json:"votes,omitempty"` // the latest first
}

// Net is what a note is ranked by.
func (n noteView) Net() int { return n.Up - n.Down }

type voteView struct {
	Vote    string `json:"vote"`
	Reason  string `json:"reason,omitempty"`
	Created string `json:"created_at"`
}
