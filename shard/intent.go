package shard

import (
	"errors"
	"slices"

	"github.com/gitledger/gitledger/internal/canonical"
	"github.com/gitledger/gitledger/record"
)

// intent is the record of a commit in a directory: what has to be done to the
// files once it is published. Its bytes wait in staged files.
type intent struct {
	Version int  `json:"version"`
	Add     []ID `json:"add"`
	Delete  []ID `json:"delete"`
	State   bool `json:"state"`
}

const (
	intentVersion = 1
	maxIntent     = 512 * kib // bytes; as many shards as Validate admits take 320 KiB
)

// Names in the ledger folder, beside its two folders.
const (
	lockName       = ".lock"   // held by whoever commits or reads
	intentName     = ".commit" // a published commit that is not carried out yet
	intentStaged   = ".commit.new"
	intentDone     = ".committed" // the last commit: the branch exists
	stagedSuffix   = ".new"
	folderName     = "ledger"
	shardsName     = "shards"
	compactionName = "compaction"
	stateName      = "state.json"
)

// stagedName is where a file waits for its commit. It ends in .new, so that
// nobody takes it for a shard.
func stagedName(name string) string { return "." + name + stagedSuffix }

func (in intent) encode() ([]byte, error) {
	in.Version = intentVersion
	in.Add = append([]ID{}, in.Add...) // an empty list is not null
	in.Delete = append([]ID{}, in.Delete...)
	text, err := record.Marshal(in)
	return append(text, '\n'), err
}

var errIntent = errors.New("the commit record is damaged")

// parseIntent reads what encode wrote, and nothing else: the file may come from
// a checkout.
func parseIntent(text []byte) (*intent, error) {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return nil, errIntent
	}
	text = text[:len(text)-1]
	if canonical.Check(text, 0)&canonical.Written == 0 {
		return nil, errIntent
	}
	values, ok := canonical.Exact(text, "add", "delete", "state", "version")
	if !ok || string(values[3]) != "1" {
		return nil, errIntent
	}
	in := &intent{Version: intentVersion, State: string(values[2]) == "true"}
	var okAdd, okDelete bool
	in.Add, okAdd = parseIDs(values[0])
	in.Delete, okDelete = parseIDs(values[1])
	if len(in.Add)+len(in.Delete) > MaintenanceLimits().Files {
		return nil, errIntent
	}
	both := slices.Concat(in.Add, in.Delete)
	slices.SortFunc(both, func(a, b ID) int { return slices.Compare(a[:], b[:]) })
	if !okAdd || !okDelete || !in.State && string(values[2]) != "false" || len(slices.Compact(both)) != len(in.Add)+len(in.Delete) {
		return nil, errIntent
	}
	return in, nil
}

func parseIDs(list []byte) (ids []ID, ok bool) {
	if !canonical.IsArray(list) {
		return nil, false
	}
	for element := range canonical.Elements(list) {
		text, _ := canonical.Text(element)
		id, err := ParseID(text)
		if err != nil {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}
