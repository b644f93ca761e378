package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// ledger reads the settings of one ledger. What is wrong is reported and left
// at its zero value; a configuration with a problem is never handed out.
func (d *declaration) ledger(path *configPath, name string, t *tree) Config {
	c := Config{Name: name, Limits: DefaultLimits(), Compaction: DefaultCompaction()}
	typeKnown := d.readType(path, t, &c)
	for _, m := range t.members {
		at := path.property(m.name)
		switch {
		case m.name == "type" || m.name == "key" || d.isLimit(m.name):
		case m.name == "schema":
			d.readSchema(at, m, &c, typeKnown)
		case m.name == "compaction":
			c.Compaction = d.compaction(at, m.value)
		case m.name == "replay":
			d.fail(m.at, ProblemReplay, at, "custom replay is not supported",
				"remove replay; declare a built-in type, or leave the ledger without a type and query records.payload")
		default:
			d.fail(m.at, ProblemUnknownProperty, at, "unknown property",
				"a ledger has "+strings.Join(settingNames(d.spelling), ", ")+didYouMean(m.name, settingNames(d.spelling)))
		}
	}
	d.readKey(path, t, &c, typeKnown)
	d.readLimits(path, t, &c.Limits)
	return c
}

func (d *declaration) isLimit(name string) bool {
	return slices.ContainsFunc(limitSettings(), func(l limit) bool { return l.name(d.spelling) == name })
}

func typeNames() []string {
	var names []string
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return names
}

func (d *declaration) readType(path *configPath, t *tree, c *Config) bool {
	path = path.property("type")
	v := t.get("type")
	advice := "use one of " + strings.Join(typeNames(), ", ") + ", or leave type out for a ledger of raw records"
	switch {
	case v == nil:
		return !t.partial
	case v.kind != kindString:
		d.fail(v.at, ProblemType, path, "not a string", advice)
		return false
	case v.text == "claims":
		d.fail(v.at, ProblemRemovedType, path, "claims is now named notes, and a history of claims cannot be replayed as notes",
			"declare notes under a new ledger name, and leave type out here to keep querying the old records")
		return false
	case v.text == "" || !Type(v.text).Known():
		d.fail(v.at, ProblemType, path, "not a ledger type", advice+didYouMean(v.text, typeNames()))
		return false
	}
	c.Type = Type(v.text)
	return true
}

func (d *declaration) readKey(path *configPath, t *tree, c *Config, typeKnown bool) {
	v := t.get("key")
	switch {
	case v == nil && c.Type == Table && !t.partial:
		d.fail(t.get("type").at, ProblemKey, path.property("key"), "missing; a table needs a primary key", "name the field of each row that identifies it, such as key: id")
	case v == nil:
	case typeKnown && c.Type != Table:
		d.fail(v.at, ProblemKey, path.property("key"), "only a table has a key", "remove key, or declare type: table")
	case v.kind != kindString || !validKey(v.text):
		d.fail(v.at, ProblemKey, path.property("key"), "not a primary-key field", "use a letter, then up to 63 letters, digits and underscores")
	default:
		c.Key = v.text
	}
}

func (d *declaration) readSchema(path *configPath, m member, c *Config, typeKnown bool) {
	if typeKnown && !c.Type.TakesSchema() {
		d.fail(m.at, ProblemSchema, path, "a "+string(c.Type)+" ledger takes no value schema", "remove schema")
		return
	}
	switch {
	case m.value.kind == kindObject:
		c.Schema = d.inlineSchema(path, m.value)
	case m.value.kind == kindString && d.spelling == hyphenated:
		c.Schema = d.schemaFile(path, m.value)
	default:
		d.fail(m.value.at, ProblemSchema, path, "not a schema", "state a JSON Schema as an object, or the path of one in the repository")
	}
}

func (d *declaration) readLimits(path *configPath, t *tree, l *Limits) {
	valid := !t.partial
	for _, s := range limitSettings() {
		name := s.name(d.spelling)
		v := t.get(name)
		if v == nil {
			continue
		}
		n, ok := v.integer()
		if !ok || n < minLimitKiB || n > s.max {
			d.fail(v.at, ProblemLimit, path.property(name), "not a size that a ledger can have", fmt.Sprintf("state a whole number of KiB from %d to %d", minLimitKiB, s.max))
			valid = false
			continue
		}
		*s.field(l) = kibibytes(n)
	}
	if !valid || l.RecordBytes <= l.SegmentBytes {
		return
	}
	record, segment := limitSettings()[0], limitSettings()[1]
	at, v := record.name(d.spelling), t.get(record.name(d.spelling))
	if v == nil {
		at, v = segment.name(d.spelling), t.get(segment.name(d.spelling))
	}
	d.fail(v.at, ProblemLimit, path.property(at), "a record would not fit into a segment",
		fmt.Sprintf("%s (%d if not stated) must not exceed %s (%d if not stated)",
			record.name(d.spelling), record.standard, segment.name(d.spelling), segment.standard))
}

// compaction reads a policy: false, true, or its settings.
func (d *declaration) compaction(path *configPath, t *tree) Compaction {
	c := DefaultCompaction()
	if t.kind == kindBool && !t.truth {
		return Compaction{Disabled: true}
	}
	if t.kind == kindBool {
		return c
	}
	if t.kind != kindObject {
		d.fail(t.at, ProblemCompaction, path, "not a compaction policy", "state an object, or false to disable compaction")
		return c
	}
	known := []string{"schedule", d.segments("min"), d.segments("max")}
	valid := !t.partial
	for _, m := range t.members {
		at := path.property(m.name)
		switch m.name {
		case "schedule":
			if m.value.kind != kindString || !slices.Contains(Schedules(), Schedule(m.value.text)) {
				d.fail(m.value.at, ProblemCompaction, at, "not a schedule", "use daily, weekly or manual")
				continue
			}
			c.Schedule = Schedule(m.value.text)
		case d.segments("min"):
			valid = d.segmentCount(at, m.value, &c.MinSegments) && valid
		case d.segments("max"):
			valid = d.segmentCount(at, m.value, &c.MaxSegments) && valid
		case "script":
			d.fail(m.at, ProblemScript, at, "custom compaction scripts are not supported",
				"remove script; segments are selected by schedule, "+known[1]+" and "+known[2])
		default:
			d.fail(m.at, ProblemUnknownProperty, at, "unknown property", "a policy has "+strings.Join(known, ", ")+didYouMean(m.name, known))
		}
	}
	if t.get(known[2]) == nil { // S7-07
		c.MaxSegments = max(c.MaxSegments, c.MinSegments)
	}
	if valid && c.MinSegments > c.MaxSegments {
		d.fail(t.at, ProblemCompaction, path, known[1]+" is above "+known[2],
			fmt.Sprintf("raise %s, or lower %s (%d if not stated)", known[2], known[1], standardMinSegments))
	}
	return c
}

func (d *declaration) segments(bound string) string {
	if d.spelling == underscored {
		return bound + "_segments"
	}
	return bound + "-segments"
}

func (d *declaration) segmentCount(path *configPath, t *tree, count *int) bool {
	n, ok := t.integer()
	if !ok || n < minSegmentCount || n > maxSegmentCount {
		d.fail(t.at, ProblemCompaction, path, "not a number of segments that a plan can have",
			fmt.Sprintf("state a whole number from %d to %d", minSegmentCount, maxSegmentCount))
		return false
	}
	*count = int(n)
	return true
}
