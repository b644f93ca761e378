package compact_test

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/compact"
	"github.com/gitledger/gitledger/internal/membranch"
	"github.com/gitledger/gitledger/record"
)

// node is JSON that keeps the order and the repetitions of keys, and the
// spelling of everything. Exactly one of its fields is set.
type node struct {
	text    string // a string, number or word as it is spelled
	members []member
	items   []*node // not nil for an array
}

type member struct {
	key   string // with its quotes
	value *node
}

// parseNode reads canonical JSON, which holds no white space.
func parseNode(text string) (*node, string) {
	switch text[0] {
	case '{':
		n := &node{members: []member{}}
		for text = text[1:]; text[0] != '}'; text = strings.TrimPrefix(text, ",") {
			key, rest, _ := strings.Cut(text, ":")
			value, rest := parseNode(rest)
			n.members = append(n.members, member{key, value})
			text = rest
		}
		return n, text[1:]
	case '[':
		n := &node{items: []*node{}}
		for text = text[1:]; text[0] != ']'; text = strings.TrimPrefix(text, ",") {
			value, rest := parseNode(text)
			n.items = append(n.items, value)
			text = rest
		}
		return n, text[1:]
	}
	end := strings.IndexAny(text, ",]}")
	return &node{text: text[:end]}, text[end:]
}

func (n *node) write(b *strings.Builder) {
	switch {
	case n.members != nil:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(m.key + ":")
			m.value.write(b)
		}
		b.WriteByte('}')
	case n.items != nil:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.text)
	}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) get(key string) *node {
	for _, m := range n.members {
		if m.key == `"`+key+`"` {
			return m.value
		}
	}
	return nil
}

// resign gives a plan the ID that its contents call for, as far as it has the
// contents: a forger would.
func resign(plan *node) {
	id, sources, replacement := plan.get("plan_id"), plan.get("sources"), plan.get("replacement")
	if id == nil || sources == nil || replacement == nil || plan.get("branch") == nil || plan.get("ledger") == nil || plan.get("version") == nil {
		return
	}
	identity := func(n *node) string {
		return fmt.Sprintf(`{"segment":%s,"sha256":%s}`, n.get("segment"), n.get("sha256"))
	}
	var list []string
	for _, s := range sources.items {
		list = append(list, identity(s))
	}
	text := fmt.Sprintf(`{"branch":%s,"ledger":%s,"replacement":%s,"sources":[%s],"version":%s}`,
		plan.get("branch"), plan.get("ledger"), identity(replacement), strings.Join(list, ","), plan.get("version"))
	out, err := record.Canonicalize(nil, []byte(text))
	if err != nil {
		return
	}
	*id = node{text: `"` + record.Sum(out).String() + `"`}
}

// mutants yields what becomes of n under every mutation of it and of
// everything below it, by name. While one is yielded the whole tree is mutated.
func mutants(n *node, path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		old := *n
		try := func(name string, changed node) bool {
			*n = changed
			more := yield(path + " " + name)
			*n = old
			return more
		}
		words := []string{`null`, `true`, `0`, `""`, `"x"`, `{}`, `[]`, `-1`, `1.5`}
		for _, word := range words {
			if !try("is "+word, node{text: word}) {
				return
			}
		}
		switch {
		case n.members != nil:
			for name, changed := range mutateObject(old.members) {
				if !try(name, node{members: changed}) {
					return
				}
			}
			for _, m := range old.members {
				for name := range mutants(m.value, path+"."+strings.Trim(m.key, `"`)) {
					if !yield(name) {
						return
					}
				}
			}
		case n.items != nil:
			for name, changed := range mutateArray(old.items) {
				if !try(name, node{items: changed}) {
					return
				}
			}
			for i, item := range old.items {
				for name := range mutants(item, fmt.Sprintf("%s[%d]", path, i)) {
					if !yield(name) {
						return
					}
				}
			}
		default:
			for name, text := range mutateText(old.text) {
				if !try(name, node{text: text}) {
					return
				}
			}
		}
	}
}

func mutateObject(members []member) iter.Seq2[string, []member] {
	return func(yield func(string, []member) bool) {
		for i, m := range members {
			changed := slices.Clone(members)
			changed[i].key = `"` + strings.ToUpper(strings.Trim(m.key, `"`)) + `"`
			escaped := slices.Clone(members)
			escaped[i].key = fmt.Sprintf(`"\u%04x%s`, m.key[1], m.key[2:])
			if !yield("without "+m.key, slices.Delete(slices.Clone(members), i, i+1)) ||
				!yield("twice "+m.key, append(slices.Clone(members), m)) ||
				!yield("twice, other "+m.key, append(slices.Clone(members), member{m.key, &node{text: `"x"`}})) ||
				!yield("twice, before "+m.key, append([]member{{m.key, &node{text: `"x"`}}}, members...)) ||
				!yield("upper case "+m.key, changed) ||
				!yield("escaped "+m.key, escaped) {
				return
			}
		}
		for _, key := range []string{`"path"`, `"command"`, `"__proto__"`, `""`, `"0"`} {
			if !yield("more: "+key, append(slices.Clone(members), member{key, &node{text: `"x"`}})) {
				return
			}
		}
		backwards := slices.Clone(members)
		slices.Reverse(backwards)
		yield("reordered", backwards)
	}
}

func mutateArray(items []*node) iter.Seq2[string, []*node] {
	return func(yield func(string, []*node) bool) {
		for i := range items {
			swapped := slices.Clone(items)
			swapped[i], swapped[0] = swapped[0], swapped[i]
			if !yield(fmt.Sprintf("without [%d]", i), slices.Delete(slices.Clone(items), i, i+1)) ||
				!yield(fmt.Sprintf("twice [%d]", i), slices.Insert(slices.Clone(items), i, items[i])) ||
				!yield(fmt.Sprintf("[%d] and [0] swapped", i), swapped) ||
				!yield(fmt.Sprintf("again at the end [%d]", i), append(slices.Clone(items), items[i])) {
				return
			}
		}
		backwards := slices.Clone(items)
		slices.Reverse(backwards)
		foreign := &node{text: `"sha256:` + strings.Repeat("f", 64) + `"`}
		if !yield("reversed", backwards) || !yield("without all", []*node{}) ||
			!yield("and a null", append(slices.Clone(items), &node{text: "null"})) ||
			!yield("and a foreign digest", append(slices.Clone(items), foreign)) {
			return
		}
		yield("within an array", []*node{{items: items}})
	}
}

func mutateText(text string) iter.Seq2[string, string] {
	if text[0] != '"' {
		return maps.All(map[string]string{
			"+1": text + "1", "-": "-" + text, ".0": text + ".0", ".5": text + ".5", "e0": text + "e0", "E0": text + "E0", "e+0": text + "e+0",
			"leading 0": "0" + text, "huge": "9007199254740993", "infinite": "1e999", "as text": `"` + text + `"`, "less": text[:len(text)-1] + "0", "plus": "+" + text,
		})
	}
	return func(yield func(string, string) bool) {
		inner := text[1 : len(text)-1]
		at := func(i int, s string) string { return `"` + inner[:i] + s + inner[i+1:] + `"` }
		for _, i := range []int{0, 6, 7, len(inner) / 2, len(inner) - 1} {
			if i >= len(inner) {
				continue
			}
			for _, s := range []string{"", "0", "7", "a", "f", "g", "A", "F", " ", "-", "é", `\u0000`, `\ud800`, `\"`, "\xff", "\n", fmt.Sprintf(`\u%04x`, inner[i])} {
				if !yield(fmt.Sprintf("[%d]=%q", i, s), at(i, s)) {
					return
				}
			}
		}
		for _, s := range []string{inner + "0", " " + inner, inner + "\\n", strings.ToUpper(inner), inner + inner, "../" + inner, "sha512:" + inner, strings.TrimPrefix(inner, "sha256:")} {
			if !yield(fmt.Sprintf("=%q", s), `"`+s+`"`) {
				return
			}
		}
	}
}

// Every mutant of a valid plan is rejected, stale or a conflict and changes
// nothing, or it says the same as the plan and does the same.
func TestMutants(t *testing.T) {
	cfg := configure(2, 8, 100<<10)
	base := populate(t, "mutants", 4, 3)
	_, plan := mustPropose(t, base, cfg)
	original, err := compact.ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"README.md": []byte("kept"), "ledger/coverage/x.json": []byte("{}")}
	for path, f := range base.Files() {
		files[path] = f.Data
	}
	after := membranch.New(files)
	mustApply(t, after, cfg, plan, compact.Applied)
	applied, untouched := tree(after), membranch.New(files)
	before, head := tree(untouched), untouched.Head()

	counts := map[compact.Status]int{}
	seen := map[string]bool{}
	judge := func(name, text string) {
		if seen[text] || text == string(plan) {
			return
		}
		seen[text] = true
		b := untouched // as long as nobody changes it
		out, err := compact.Apply(t.Context(), b, cfg, []byte(text), compact.ApplyOptions{Now: clock(noon)})
		if out == nil {
			t.Fatalf("%s: no outcome: %v", name, err)
		}
		counts[out.Status]++
		switch out.Status {
		case compact.Rejected, compact.Stale, compact.Conflict:
			if b.Head() != head {
				t.Fatalf("%s: %s, and the branch moved", name, out.Status)
			}
			if text := fmt.Sprint(err); err != nil && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789 :_.[]-") != "" {
				t.Errorf("%s: the error repeats the plan: %q", name, text)
			}
		case compact.Applied:
			p, err := compact.ParsePlan([]byte(text))
			if err != nil || !equivalent(p, original) {
				t.Errorf("%s: applied, and says something else: %v", name, err)
			}
			got := tree(b)
			for path, data := range applied {
				if !strings.HasSuffix(path, "state.json") && got[path] != data {
					t.Errorf("%s: applied, and %s differs", name, path)
				}
			}
			if len(got) != len(applied) {
				t.Errorf("%s: applied, and %d files remain", name, len(got))
			}
			untouched = membranch.New(files)
			head = untouched.Head()
		default:
			t.Errorf("%s: %s", name, out.Status)
		}
	}
	root, _ := parseNode(string(plan))
	if root.String() != string(plan) {
		t.Fatal("the generator does not read the plan")
	}
	for name := range mutants(root, "plan") {
		text := root.String()
		judge(name, text)
		if strings.HasPrefix(name, "plan.plan_id") || root.members == nil {
			continue
		}
		if signed, ok := signAgain(text); ok {
			judge(name+" (signed again)", signed)
		}
	}
	for name, text := range wholes(string(plan)) {
		judge(name, text)
	}
	if !maps.Equal(tree(untouched), before) {
		t.Error("the branch changed")
	}
	t.Logf("%d mutants: %v", len(seen), counts)
	if len(seen) < 3000 || counts[compact.Applied] < 20 || counts[compact.Stale] < 10 || counts[compact.Conflict] < 10 {
		t.Errorf("the generator has become weak: %d mutants, %v", len(seen), counts)
	}
}

// equivalent reports whether two plans name the same transition in full.
func equivalent(a, b *compact.Plan) bool {
	x, y := *a, *b
	x.Trigger, x.CreatedAt, x.BaseCommit = y.Trigger, y.CreatedAt, y.BaseCommit
	return bytes.Equal(x.Append(nil), y.Append(nil))
}

// signAgain gives a mutant's text the plan_id that it calls for.
func signAgain(text string) (signed string, ok bool) {
	canonical, err := record.Canonicalize(nil, []byte(text))
	if err != nil || canonical[0] != '{' {
		return "", false
	}
	defer func() { // the generator's reader takes no string with a comma or colon
		if recover() != nil {
			ok = false
		}
	}()
	n, rest := parseNode(string(canonical))
	if rest != "" {
		return "", false
	}
	// Keep the mutant's own text; only its plan_id is new.
	old := n.get("plan_id")
	if old == nil || old.text == "" {
		return "", false
	}
	before := old.text
	resign(n)
	return strings.Replace(text, before, n.get("plan_id").String(), 1), true
}

// wholes are mutations of the plan as a text.
func wholes(plan string) map[string]string {
	return map[string]string{
		"white space":       " \t\r\n" + plan + "\n ",
		"white space in it": strings.ReplaceAll(plan, `":`, `" : `),
		"a mark":            "\ufeff" + plan,
		"two":               plan + plan,
		"a comma":           plan + ",",
		"a comment":         plan + "//",
		"cut":               plan[:len(plan)-1],
		"half":              plan[:len(plan)/2],
		"empty":             "",
		"a zero byte":       plan + "\x00",
		"deep":              strings.Repeat("[", 1_000_000),
		"in an array":       "[" + plan + "]",
		"single quotes":     strings.ReplaceAll(plan, `"`, `'`),
		"a last comma":      plan[:len(plan)-1] + ",}",
	}
}
