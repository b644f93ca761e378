package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"
)

// benchLines returns a shard of n records whose lines have about size bytes,
// with the mixture of members that real operations have.
func benchLines(tb testing.TB, n, size int) []byte {
	tb.Helper()
	var shard []byte
	var parents []Hash
	const bare = 264 // a line with one parent and an empty payload
	for i := range n {
		var payload []byte
		if size < bare+60 {
			parents, payload = nil, []byte(`{}`)
		} else {
			payload = fmt.Appendf(nil, `{"key":"issue-%06d","n":%d,"operation":"put","value":"`, i, i*7919)
			for len(payload) < size-bare-2 {
				payload = append(payload, "The quick brown fox jumps over the lazy dog. "...)
			}
			payload = append(payload[:max(size-bare-2, 60)], `"}`...)
		}
		r, err := Seal(Draft{ID: DeterministicID("bench", i), Type: "ledger_append",
			Time: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), Parents: parents, Payload: payload})
		if err != nil {
			tb.Fatal(err)
		}
		parents = []Hash{r.SHA()}
		shard = append(append(shard, r.Line()...), '\n')
	}
	return shard
}

// BenchmarkVerify reports, as x-sha, how much longer verifying a shard takes
// than hashing its lines. Both are measured in turns, and the fastest turn of
// each counts, so that a busy machine disturbs the ratio little.
func BenchmarkVerify(b *testing.B) {
	for _, size := range []int{200, 400, 2_000, 20_000} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			shard := benchLines(b, 2_000_000/size, size)
			lines := bytes.SplitAfter(shard, []byte("\n"))
			lines = lines[:len(lines)-1]
			b.SetBytes(int64(len(shard)))
			b.ReportAllocs()
			hashing, verifying := time.Duration(1<<62), time.Duration(1<<62)
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				for _, line := range lines {
					sink = sha256.Sum256(line)
				}
				hashing = min(hashing, time.Since(start))
				b.StartTimer()
				start = time.Now()
				n := 0
				for _, err := range Lines(shard) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				verifying = min(verifying, time.Since(start))
				if n != len(lines) {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(verifying)/float64(hashing), "x-sha")
			b.ReportMetric(float64(len(shard))/float64(len(lines)), "B/record")
		})
	}
}

var sink Hash

func BenchmarkCanonicalize(b *testing.B) {
	inputs := map[string][]byte{
		"canonical": []byte(`{"a":[1,2,3.5,1e+21,true,null],"b":{"10":"x","9a":"é"},"text":"The quick brown fox jumps over the lazy dog."}`),
		"unsorted":  []byte(`{"text": "The quick brown fox jumps over the lazy dog.", "b": {"9a": "\u00e9", "10": "x"}, "a": [1.0, 2, 35e-1, 1e21, true, null]}`),
	}
	for name, input := range inputs {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			var out []byte
			for b.Loop() {
				var err error
				if out, err = Canonicalize(out[:0], input); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
