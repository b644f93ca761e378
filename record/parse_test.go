package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitledger/gitledger/internal/randtest"
)

func TestSealAndParse(t *testing.T) {
	for _, r := range randomRecords(t, randtest.New(t), 500) {
		checkParsed(t, r.line)
	}
}

// checkParsed fails the test unless what Parse says of a line is consistent.
func checkParsed(t *testing.T, line []byte) bool {
	t.Helper()
	before := bytes.Clone(line)
	r, err := Parse(line)
	if !bytes.Equal(line, before) {
		t.Fatalf("Parse changed the line %q", before)
	}
	if err != nil {
		var failure *Error
		codes := []Code{InvalidJSON, UnsupportedVersion, InvalidEnvelope, InvalidSHA}
		if !errors.As(err, &failure) || !slices.Contains(codes, failure.Code) {
			t.Fatalf("%q: %v", line, err)
		}
		if r.line != nil || (failure.Code == InvalidJSON) == json.Valid(line) && !deepOrNotUTF8(line) {
			t.Fatalf("%q: %v", line, err)
		}
		return false
	}
	if !bytes.Equal(r.Line(), line) {
		t.Fatalf("%q reads as %q", line, r.Line())
	}
	// By another route: the members, each as it stands, without sha.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil || len(members) != 7 {
		t.Fatalf("%q: %d members, %v", line, len(members), err)
	}
	sum := Sum([]byte(strings.Replace(string(line), `"sha":`+string(members["sha"])+`,"timestamp":`, `"timestamp":`, 1)))
	if !r.plain && r.SHA() != sum {
		t.Fatalf("%q: digest %s, want %s", line, r.SHA(), sum)
	}
	if string(members["id"]) != `"`+r.ID().String()+`"` || string(members["sha"]) != `"`+r.SHA().String()+`"` ||
		string(members["timestamp"]) != `"`+r.Timestamp()+`"` || FormatTime(r.Time()) != r.Timestamp() || string(members["version"]) != "1" {
		t.Fatalf("%q: members differ", line)
	}
	var parents []Hash
	if err := json.Unmarshal(members["parents"], &parents); err != nil || !slices.Equal(parents, slices.Collect(r.Parents())) || len(parents) != r.NumParents() {
		t.Fatalf("%q: parents %v", line, parents)
	}
	if !IsCanonical(r.Payload()) || !r.plain && !bytes.Equal(r.Payload(), members["payload"]) {
		t.Fatalf("%q: payload %q", line, r.Payload())
	}
	again, err := Seal(Draft{ID: r.ID(), Type: r.Type(), Time: r.Time(), Parents: parents, Payload: r.Payload()})
	lone := strings.Contains(string(members["type"]), `\ud`) // a lone surrogate in the type cannot be drafted
	if err != nil || !lone && string(again.Line()) != string(r.AppendWritten(nil)) && !r.plain {
		t.Fatalf("%q sealed again: %q, %v", line, again.Line(), err)
	}
	return true
}

// deepOrNotUTF8 is where encoding/json and we differ on what is JSON: it knows
// 10,000 levels, and does not look at the UTF-8 of strings.
func deepOrNotUTF8(line []byte) bool {
	return !bytes.Equal(line, bytes.ToValidUTF8(line, nil)) || len(line) > 10_000
}

// TestLineIsClipped: who appends to a line does not write over what follows it
// in the caller's bytes.
func TestLineIsClipped(t *testing.T) {
	line := randomRecords(t, randtest.New(t), 1)[0].Line()
	data := append(bytes.Clone(line), "\nnext"...)
	r, err := Parse(data[:len(line)])
	if err != nil {
		t.Fatal(err)
	}
	if _ = append(r.Line(), "!!"...); !bytes.HasSuffix(data, []byte("\nnext")) {
		t.Errorf("the bytes end in %q", data[len(line):])
	}
}

func TestSealRefuses(t *testing.T) {
	good := Draft{ID: DeterministicID("x", 0), Type: "t", Time: time.Unix(0, 0), Payload: []byte("1")}
	if _, err := Seal(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Draft){
		"id":                func(d *Draft) { d.ID = ID{} },
		"no type":           func(d *Draft) { d.Type = "" },
		"long type":         func(d *Draft) { d.Type = strings.Repeat("a", 129) },
		"long type, pairs":  func(d *Draft) { d.Type = strings.Repeat("😀", 65) },
		"type not UTF-8":    func(d *Draft) { d.Type = "\xff" },
		"late":              func(d *Draft) { d.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"early":             func(d *Draft) { d.Time = time.Date(-1, 12, 31, 23, 59, 59, 0, time.UTC) },
		"repeated parent":   func(d *Draft) { d.Parents = []Hash{{1}, {2}, {1}} },
		"too many parents":  func(d *Draft) { d.Parents = manyHashes(MaxParents + 1) },
		"no payload":        func(d *Draft) { d.Payload = nil },
		"payload not JSON":  func(d *Draft) { d.Payload = []byte("{") },
		"payload too deep":  func(d *Draft) { d.Payload = []byte(strings.Repeat("[", 33) + strings.Repeat("]", 33)) },
		"payload infinite":  func(d *Draft) { d.Payload = []byte("1e999") },
		"payload not UTF-8": func(d *Draft) { d.Payload = []byte("\"\xff\"") },
	} {
		d := good
		change(&d)
		if r, err := Seal(d); !errors.Is(err, ErrInvalidDraft) || r.line != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Draft){
		"longest type":         func(d *Draft) { d.Type = strings.Repeat("a", 128) },
		"longest type, pairs":  func(d *Draft) { d.Type = strings.Repeat("😀", 64) },
		"most parents":         func(d *Draft) { d.Parents = manyHashes(MaxParents) },
		"deepest payload":      func(d *Draft) { d.Payload = []byte(strings.Repeat("[", 32) + strings.Repeat("]", 32)) },
		"first and last times": func(d *Draft) { d.Time = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		d := good
		change(&d)
		r, err := Seal(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkParsed(t, r.line)
	}
}

func manyHashes(n int) (hashes []Hash) {
	for i := range n {
		hashes = append(hashes, Sum([]byte{byte(i)}))
	}
	return hashes
}

// TestParents seals parents that Seal refuses.
func TestParents(t *testing.T) {
	d := Draft{ID: DeterministicID("x", 0), Type: "t", Time: time.Unix(0, 0)}
	forge := func(parents []Hash) []byte {
		line := appendLine(nil, d, parents, []byte("1"), Hash{})
		bare := bytes.Replace(line, []byte(`"sha":"`+Hash{}.String()+`",`), nil, 1)
		return appendLine(nil, d, parents, []byte("1"), Sum(bare))
	}
	sorted := slices.SortedFunc(slices.Values(manyHashes(MaxParents+1)), Hash.Compare)
	for n := range sorted {
		if r, err := Parse(forge(sorted[:n])); err != nil || r.NumParents() != n {
			t.Errorf("%d parents: %v", n, err)
		}
	}
	for name, parents := range map[string][]Hash{
		"too many":   sorted,
		"the same":   {sorted[0], sorted[0]},
		"descending": {sorted[1], sorted[0]},
	} {
		if _, err := Parse(forge(parents)); !errors.Is(err, &Error{Code: InvalidEnvelope}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMinLine(t *testing.T) {
	r, err := Seal(Draft{ID: ID{uuid: DeterministicID("x", 0).uuid, bare: true}, Type: "t", Payload: []byte("1")})
	if err != nil || len(r.Line()) != MinLine {
		t.Errorf("the shortest line has %d bytes, %v", len(r.Line()), err)
	}
}

// FuzzParse: what parses has the same bytes again; what does not has one code.
func FuzzParse(f *testing.F) {
	for _, r := range randomRecords(f, randtest.New(f), 20) {
		f.Add(r.line)
		f.Add(bytes.Replace(r.line, []byte(`"a":true,"b":null`), []byte(`"b":null,"a":true`), 1))
	}
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, line []byte) { checkParsed(t, line) })
}
