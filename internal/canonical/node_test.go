package canonical

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gitledger/gitledger/internal/randtest"
)

// nodeScript reads texts in hexadecimal and answers each, in hexadecimal, with
// JSON.stringify of its value with sorted keys: the definition of the form.
// A text that has none is answered with a dash.
const nodeScript = `
const canonical = v => {
	if (typeof v === 'number' && !Number.isFinite(v)) throw new Error('not finite');
	if (v === null || typeof v !== 'object') return v;
	if (Array.isArray(v)) return v.map(canonical);
	return Object.fromEntries(Object.keys(v).sort().map(k => [k, canonical(v[k])]));
};
const lines = require('fs').readFileSync(0, 'latin1').split('\n').slice(0, -1);
process.stdout.write(lines.map(line => {
	try {
		const text = Buffer.from(line, 'hex').toString('utf8');
		return Buffer.from(JSON.stringify(canonical(JSON.parse(text))), 'utf8').toString('hex');
	} catch {
		return '-';
	}
}).join('\n') + '\n');
`

// TestAgainstNode compares random documents and doubles with a real ECMAScript
// engine: GITLEDGER_NODE of each.
func TestAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NODE IS NOT INSTALLED: canonical JSON was not compared with ECMAScript's")
	}
	g := generator{randtest.New(t)}
	var texts []string
	for range randtest.Count(t, "GITLEDGER_NODE", 2_000) {
		texts = append(texts, g.document(), strconv.FormatFloat(g.double(), 'e', 17, 64))
	}
	var in bytes.Buffer
	for _, text := range texts {
		in.WriteString(hex.EncodeToString([]byte(text)) + "\n")
	}
	command := exec.CommandContext(t.Context(), node, "-e", nodeScript)
	command.Stdin = &in
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(bytes.NewReader(out))
	answers.Buffer(nil, len(out)+1)
	for _, text := range texts {
		if !answers.Scan() {
			t.Fatal("node gave too few answers")
		}
		want := "-"
		if answer, err := hex.DecodeString(answers.Text()); err == nil {
			want = string(answer)
		}
		got, err := Append(nil, []byte(text), LastWins)
		if err == ErrNumber {
			continue // refused even where a later value replaces the number
		}
		if err != nil {
			got = []byte("-")
		}
		if string(got) != want {
			t.Fatalf("%q became\n%q, in node\n%q", text, got, want)
		}
	}
	if !strings.Contains(string(out), "7b") {
		t.Fatal("node saw no object")
	}
}
