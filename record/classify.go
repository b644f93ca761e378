package record

import (
	"github.com/gitledger/gitledger/internal/canonical"
)

// classify finds the one diagnostic code of a line that is no valid record. It
// may be slow: few lines come here.
func (p *parser) classify(line []byte) Code {
	if !canonical.Valid(line) {
		return InvalidJSON
	}
	if hasOtherVersion(line) {
		return UnsupportedVersion
	}
	written, err := canonical.Append(nil, line, canonical.LastWins)
	if err != nil {
		return InvalidEnvelope
	}
	var r Record
	member, ok := r.envelope(written)
	if !ok {
		return InvalidEnvelope
	}
	if p.verify(&r, member) {
		return InvalidEnvelope // the right digest, but not these bytes
	}
	return InvalidSHA
}

// hasOtherVersion reports whether valid JSON text is an object whose version
// is present and is not the number 1. It does not bound the depth of the rest.
func hasOtherVersion(line []byte) bool {
	other := false
	for key, value := range canonical.LooseMembers(line) {
		if canonical.Unescape(key) == "version" {
			number, err := canonical.Append(nil, value, canonical.LastWins)
			other = err != nil || string(number) != "1"
		}
	}
	return other
}
