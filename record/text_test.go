package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/uuid/v5"

	"github.com/gitledger/gitledger/internal/randtest"
)

// TestDecodeHex puts each byte at each place of a digest.
func TestDecodeHex(t *testing.T) {
	text := []byte(hashPrefix + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	for at := range text {
		for c := range 256 {
			b := bytes.Clone(text)
			b[at] = byte(c)
			want, err := hex.DecodeString(strings.TrimPrefix(string(b), hashPrefix))
			valid := err == nil && strings.HasPrefix(string(b), hashPrefix) && string(b) == strings.ToLower(string(b))
			got, err := ParseHash(string(b))
			if (err == nil) != valid || valid && !bytes.Equal(got[:], want) || !valid && !got.IsZero() {
				t.Fatalf("%q: %s, %v", b, got, err)
			}
		}
	}
	for _, s := range []string{"", hashPrefix, string(text[:70]), string(text) + "0"} {
		if _, err := ParseHash(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestParseID(t *testing.T) {
	random := randtest.New(t)
	text := []byte(DeterministicID("x", 1).String())
	for range 20_000 {
		b := bytes.Clone(text)
		b[random.IntN(len(b))] = []byte("0123456789abcdefABCDEF-g{} \x00\xff")[random.IntN(29)]
		bare := random.IntN(2) == 0
		if bare {
			b = b[len(IDPrefix):]
		}
		u, err := uuid.FromString(strings.TrimPrefix(string(b), IDPrefix))
		want := err == nil && u.String() == strings.TrimPrefix(string(b), IDPrefix) && u.Version() == 4 &&
			u.Variant() == uuid.VariantRFC9562 && (bare || strings.HasPrefix(string(b), IDPrefix))
		got, err := ParseID(string(b))
		if (err == nil) != want || want && got.String() != string(b) {
			t.Fatalf("%q: %s, %v", b, got, err)
		}
	}
	id, err := NewID()
	if err != nil || id.IsZero() {
		t.Fatal(err)
	}
	text, err = json.Marshal(map[string]any{"id": id, "sha": Sum(nil)})
	var back struct {
		ID  ID
		SHA Hash
	}
	if err != nil || json.Unmarshal(text, &back) != nil || back.ID != id || back.SHA != Sum(nil) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestSealedTimestamp: a record's timestamp is in UTC and has milliseconds,
// whatever the zone and the precision of the time that it is sealed with.
func TestSealedTimestamp(t *testing.T) {
	for at, want := range map[time.Time]string{
		time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC):                  "2024-02-29T23:59:59.999Z",
		time.Date(2024, 3, 1, 5, 29, 59, 0, time.FixedZone("", 5*3600+1800)):       "2024-02-29T23:59:59.000Z",
		time.Date(2023, 12, 31, 23, 0, 0, 1, time.FixedZone("", -2*3600)):          "2024-01-01T01:00:00.000Z",
		time.Date(10000, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600)):              "9999-12-31T23:30:00.000Z",
		time.Date(-1, 12, 31, 23, 30, 0, 120_000_000, time.FixedZone("", -1*3600)): "0000-01-01T00:30:00.120Z",
	} {
		r, err := Seal(Draft{ID: DeterministicID("x", 0), Type: "t", Time: at, Payload: []byte("1")})
		if err != nil || string(r.Timestamp()) != want {
			t.Errorf("%v: %s, %v; want %s", at, r.Timestamp(), err, want)
		}
	}
}

func TestTimestamp(t *testing.T) {
	random := randtest.New(t)
	for day := time.Date(0, 1, 1, 23, 59, 59, 999e6, time.UTC); day.Year() < 10000; day = day.AddDate(0, 0, 1+random.IntN(40)) {
		if !validTimestamp([]byte(FormatTime(day))) {
			t.Fatalf("%s is refused", FormatTime(day))
		}
	}
	const alphabet = "0123456789-:.TZt "
	for range 200_000 {
		b := []byte("2024-02-29T23:59:59.999Z")
		for range 1 + random.IntN(2) {
			b[random.IntN(len(b))] = alphabet[random.IntN(len(alphabet))]
		}
		at, err := time.Parse(TimeLayout, string(b))
		if want := err == nil && at.Format(TimeLayout) == string(b); validTimestamp(b) != want {
			t.Fatalf("%q: want valid %v", b, want)
		}
	}
}
