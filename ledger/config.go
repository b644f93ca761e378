package ledger

import (
	"cmp"
	"slices"
)

// DefaultName is the name of the ledger that the single-ledger form declares.
const DefaultName = "default"

// Config is one ledger of tools.ledger, validated. The Parse functions make
// them; code that builds one by hand starts from [NewConfig].
type Config struct {
	Name       string // [A-Za-z0-9][A-Za-z0-9_-]{0,63}
	Type       Type
	Key        string  // the primary-key field of a table; empty for other types (S4.3-12)
	Schema     *Schema // for values, not for operation envelopes (S4.3-11); nil when none is declared
	Limits     Limits
	Compaction Compaction
}

// NewConfig returns a ledger with the default limits and compaction policy.
// It checks nothing; a table also needs a Key.
func NewConfig(name string, t Type) Config {
	return Config{Name: name, Type: t, Limits: DefaultLimits(), Compaction: DefaultCompaction()}
}

// valid reports whether [ParseJSON] would accept what is written of the ledger.
func (c Config) valid() bool {
	if !ValidName(c.Name) || !c.Type.Known() || !c.Limits.valid() {
		return false
	}
	if c.Type == Table && !validKey(c.Key) || c.Type != Table && c.Key != "" {
		return false
	}
	return c.Schema == nil || c.Type.TakesSchema() && c.Schema.isObject() && !c.Schema.hasExpression()
}

// Branch returns the name of the Git branch that holds the ledger, without
// refs/heads/.
func (c Config) Branch() string { return branchPrefix + c.Name }

const branchPrefix = "ledgers/"

// DatabasePath is where the agent finds the ledger's projection.
func (c Config) DatabasePath() string { return databaseRoot + c.Name + "/ledger.db" }

const databaseRoot = "/tmp/gh-aw/ledgers/"

// ValidName reports whether s can name a ledger: 1 to 64 ASCII letters,
// digits, underscores and hyphens, of which the first is a letter or digit.
func ValidName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return true
}

// validKey reports whether s can be a table's primary-key field, by the rule
// of the runtime that shares the branches: an ASCII letter, then up to 63
// letters, digits and underscores.
func validKey(s string) bool {
	if s == "" || len(s) > 64 || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && (i == 0 || c != '_') {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return isDigit(c) || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// Configs is a set of ledgers, sorted by name, each name once.
type Configs []Config

// Lookup returns the ledger of that name.
func (cs Configs) Lookup(name string) (Config, bool) {
	i, ok := slices.BinarySearchFunc(cs, name, func(c Config, name string) int { return cmp.Compare(c.Name, name) })
	if !ok {
		return Config{}, false
	}
	return cs[i], true
}

// Compacted returns the ledgers whose compaction is not disabled.
func (cs Configs) Compacted() Configs {
	var out Configs
	for _, c := range cs {
		if !c.Compaction.Disabled {
			out = append(out, c)
		}
	}
	return out
}

func (cs Configs) sort() {
	slices.SortFunc(cs, func(a, b Config) int { return cmp.Compare(a.Name, b.Name) })
}
