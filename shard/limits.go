package shard

// Limits bound what a Snapshot reads. They are checked before memory is spent
// (S7-04, S9-06). What is exactly as large is admitted; the zero Limits admit
// an empty branch only. Start from [ProjectionLimits].
type Limits struct {
	Files     int   // files named *.jsonl in [Folder]
	Bytes     int64 // their sizes together
	FileBytes int64 // one shard; a larger one is [FaultSize] and its bytes do not count
}

const (
	kib = 1 << 10
	mib = 1 << 20

	maxShardBytes = 10240 * kib // the largest max-segment-kb
	maxStateBytes = 64 * kib
)

// ProjectionLimits are what preparing a projection and persisting may read:
// 1024 files and 100 MiB (S7-04).
func ProjectionLimits() Limits {
	return Limits{Files: 1024, Bytes: 100 * mib, FileBytes: maxShardBytes}
}

// MaintenanceLimits are what compaction may read: 8192 files and 256 MiB, so
// that it can rescue a branch that has outgrown the projection's bound.
func MaintenanceLimits() Limits {
	return Limits{Files: 8192, Bytes: 256 * mib, FileBytes: maxShardBytes}
}

// StateBytes is the largest compaction state file that is read.
func (l Limits) StateBytes() int64 { return maxStateBytes }
