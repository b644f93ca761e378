package ledger

import "strconv"

// configPath is where a value lies in the configuration. It becomes text only for a
// problem: a hostile file has many values, far down, under long names.
type configPath struct {
	up   *configPath
	name string // of the property, or of the whole when there is nothing above
	item int    // the position in a list; -1 for a property
}

func whole(name string) *configPath { return &configPath{name: name, item: -1} }

func (p *configPath) property(name string) *configPath {
	return &configPath{up: p, name: name, item: -1}
}

func (p *configPath) element(i int) *configPath { return &configPath{up: p, item: i} }

// String returns a path such as tools.ledger.runs.schema.enum[3].
func (p *configPath) String() string {
	switch {
	case p.up == nil:
		return p.name
	case p.item >= 0:
		return index(p.up.String(), p.item)
	}
	return join(p.up.String(), p.name)
}

// join and index name a place below another one.
func join(path, name string) string {
	if path == "" {
		return quoted(name)
	}
	return path + "." + quoted(name)
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
