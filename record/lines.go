package record

import (
	"bytes"
	"iter"
)

// Line is one line of a shard.
type Line struct {
	Number int    // 1-based
	Offset int64  // bytes before the line
	Record Record // the zero Record when the line is malformed
}

// Lines yields every line of a shard's bytes in order, with an [*Error] beside
// a line that is no record (S2-06). The records keep data, so it must not be
// modified. Whatever follows the last newline is one truncated line.
func Lines(data []byte) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var p parser
		for number, start := 1, 0; start < len(data); number++ {
			line := Line{Number: number, Offset: int64(start)}
			n := bytes.IndexByte(data[start:], '\n')
			if n < 0 {
				yield(line, p.fail(TruncatedRecord))
				return
			}
			err := p.parse(&line.Record, data[start:start+n:start+n])
			if !yield(line, err) {
				return
			}
			start += n + 1
		}
	}
}
