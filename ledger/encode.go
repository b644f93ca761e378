package ledger

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// MaxEncodedBytes bounds the base64 form of all ledgers of a workflow.
const MaxEncodedBytes = 96 << 10

var errNotValid = errors.New("ledger: configuration is not valid")

// MarshalJSON writes the runtime's form: name, type, key, schema, max_record_kb,
// max_segment_kb, max_patch_kb and branch_name, in that order, without the ones
// that are not declared. The compaction policy is not part of it; see
// [Configs.MaintenanceJSON]. A Config that [ParseJSON] would refuse, such as one
// whose limits are not whole KiB within their bounds, has no such form.
func (c Config) MarshalJSON() ([]byte, error) { return c.appendJSON(nil, false) }

func (c Config) appendJSON(b []byte, policy bool) ([]byte, error) {
	if !c.valid() || policy && !c.Compaction.valid() {
		return nil, errNotValid
	}
	b = append(append(b, `{"name":`...), quoteJSON(c.Name)...)
	if c.Type != Raw {
		b = append(append(b, `,"type":`...), quoteJSON(string(c.Type))...)
	}
	if c.Key != "" {
		b = append(append(b, `,"key":`...), quoteJSON(c.Key)...)
	}
	if c.Schema != nil {
		b = append(append(b, `,"schema":`...), c.Schema.Raw()...)
	}
	for _, s := range limitSettings() {
		kib, _ := wholeKiB(*s.field(&c.Limits))
		b = append(append(append(b, `,"`...), s.runtime...), `":`...)
		b = strconv.AppendInt(b, kib, 10)
	}
	b = append(append(b, `,"branch_name":`...), quoteJSON(c.Branch())...)
	if policy {
		b = append(append(b, `,"compaction":`...), c.Compaction.appendJSON(nil)...)
	}
	return append(b, '}'), nil
}

func (p Compaction) appendJSON(b []byte) []byte {
	if p.Disabled {
		return append(b, "false"...)
	}
	b = append(append(b, `{"schedule":`...), quoteJSON(string(p.Schedule))...)
	b = strconv.AppendInt(append(b, `,"min_segments":`...), int64(p.MinSegments), 10)
	b = strconv.AppendInt(append(b, `,"max_segments":`...), int64(p.MaxSegments), 10)
	return append(b, '}')
}

// UnmarshalJSON reads what MarshalJSON writes, with the rules of [ParseJSON].
func (c *Config) UnmarshalJSON(data []byte) error {
	configs, err := ParseJSON(slices.Concat([]byte("["), data, []byte("]")))
	if err != nil {
		return err
	}
	if len(configs) != 1 { // no JSON value at all
		return errNotValid
	}
	*c = configs[0]
	return nil
}

// MarshalJSON writes the runtime's form of all ledgers, as an array. It fails
// when they are not sorted by name, or [Config.MarshalJSON] fails for one.
func (cs Configs) MarshalJSON() ([]byte, error) { return cs.appendJSON(false) }

// MaintenanceJSON is MarshalJSON with the compaction policy of each ledger
// besides: what the maintenance jobs are handed, and no other job is.
// [ParseJSON] reads it as well.
func (cs Configs) MaintenanceJSON() ([]byte, error) { return cs.appendJSON(true) }

func (cs Configs) appendJSON(policy bool) ([]byte, error) {
	b := []byte{'['}
	for i, c := range cs {
		if i > 0 {
			if cs[i-1].Name >= c.Name {
				return nil, errNotValid
			}
			b = append(b, ',')
		}
		var err error
		if b, err = c.appendJSON(b, policy); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes, with the rules of [ParseJSON].
func (cs *Configs) UnmarshalJSON(data []byte) (err error) {
	*cs, err = ParseJSON(data)
	return err
}

// Base64 is the environment form: MarshalJSON's bytes in standard base64, at
// most [MaxEncodedBytes] of them.
func (cs Configs) Base64() (string, error) {
	data, err := cs.MarshalJSON()
	if err != nil {
		return "", err
	}
	return encodeBase64(data)
}

func encodeBase64(data []byte) (string, error) {
	if base64.StdEncoding.EncodedLen(len(data)) > MaxEncodedBytes {
		return "", Problems{{Code: ProblemTooLarge, Text: "the encoded configuration is larger than 96 KiB", Advice: "shorten the schemas"}}
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

var (
	_ json.Marshaler   = Configs(nil)
	_ json.Unmarshaler = (*Configs)(nil)
	_ json.Marshaler   = Config{}
	_ json.Unmarshaler = (*Config)(nil)
)
