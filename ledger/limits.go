package ledger

// Limits bound what one ledger accepts, in bytes. Workflow files and the
// runtime's JSON state them in KiB; they become bytes in one function (S7-02).
type Limits struct {
	RecordBytes  int64 // one record as the artifact holds it: 1–32 KiB, default 32
	SegmentBytes int64 // one shard: RecordBytes–10240 KiB, default 100 KiB
	PatchBytes   int64 // one run's batch for this ledger: 1–10240 KiB, default 10
}

// A limit is a size setting with its bounds, in KiB.
type limit struct {
	declared string // its name in a workflow file
	runtime  string // its name in the runtime's JSON
	max      int64
	standard int64
	field    func(*Limits) *int64
}

const minLimitKiB = 1

func limitSettings() []limit {
	return []limit{
		{"max-record-kb", "max_record_kb", 32, 32, func(l *Limits) *int64 { return &l.RecordBytes }},
		{"max-segment-kb", "max_segment_kb", 10240, 100, func(l *Limits) *int64 { return &l.SegmentBytes }},
		{"max-patch-kb", "max_patch_kb", 10240, 10, func(l *Limits) *int64 { return &l.PatchBytes }},
	}
}

// DefaultLimits are the limits of a ledger that states none.
func DefaultLimits() Limits {
	var l Limits
	for _, s := range limitSettings() {
		*s.field(&l) = kibibytes(s.standard)
	}
	return l
}

// kibibytes converts a size in KiB to bytes. Callers have bounded n before.
func kibibytes(n int64) int64 { return n * bytesPerKiB }

const bytesPerKiB = 1024

// wholeKiB is the inverse of kibibytes, for writing a configuration down.
func wholeKiB(bytes int64) (int64, bool) {
	return bytes / bytesPerKiB, bytes%bytesPerKiB == 0
}

func (l Limits) valid() bool {
	for _, s := range limitSettings() {
		kib, whole := wholeKiB(*s.field(&l))
		if !whole || kib < minLimitKiB || kib > s.max {
			return false
		}
	}
	return l.RecordBytes <= l.SegmentBytes
}
