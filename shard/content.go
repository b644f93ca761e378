package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// content is what a directory's head is made of: a token for each file.
type content struct {
	exists bool
	shards map[string]string // by file name
	state  string            // empty when there is no file
}

// head is the digest of the tokens.
func (c content) head() Head {
	if !c.exists && len(c.shards) == 0 && c.state == "" {
		return ""
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.shards)) {
		fmt.Fprintf(h, "%q %s\n", name, c.shards[name])
	}
	fmt.Fprintf(h, "state %s\n", c.state)
	return Head("dir-" + hex.EncodeToString(h.Sum(nil)))
}

// dataToken is the token of a file that is read.
func dataToken(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// statToken is the token of a regular file that is not.
func statToken(info fs.FileInfo) string {
	return fmt.Sprintf("unread %d %d", info.Size(), info.ModTime().UnixNano())
}

// snapshot reads the view within limits.
func (v *view) snapshot(ctx context.Context, limits Limits) (*Snapshot, error) {
	snap, c, err := v.read(ctx, limits, true)
	if err != nil {
		return nil, err
	}
	snap.Head = c.head()
	return snap, nil
}

// read reads the view. It learns each name, then each size, and bytes only
// when both are within limits; it keeps the bytes or only their tokens. The
// tokens do not depend on limits.
func (v *view) read(ctx context.Context, limits Limits, keep bool) (*Snapshot, content, error) {
	c := content{exists: v.exists, shards: map[string]string{}}
	snap := &Snapshot{}
	if v.blocked != "" {
		snap.Shards = []Shard{{Name: v.blocked, Fault: FaultNotRegular}}
		c.shards[v.blocked] = string(FaultNotRegular)
		return snap, c, nil
	}
	names, err := v.names(ctx, limits.Files)
	if err != nil {
		return nil, c, err
	}
	stored := make([]string, len(names))
	infos := make([]fs.FileInfo, len(names))
	total := int64(0)
	for i, name := range names {
		if ctx.Err() != nil {
			return nil, c, ctx.Err()
		}
		s := Shard{Name: name}
		stored[i], infos[i], err = v.shardFile(name)
		id, named := FileID(name)
		s.ID = id
		switch {
		case err != nil:
			s.Fault = FaultVanished
		case !infos[i].Mode().IsRegular():
			s.Fault = FaultNotRegular
		default:
			s.Size = infos[i].Size()
			if !named {
				s.Fault = FaultName
			} else if s.Size > limits.FileBytes {
				s.Fault = FaultSize
			} else if total += s.Size; total > limits.Bytes {
				return nil, c, &LimitError{What: "bytes", Limit: limits.Bytes}
			}
		}
		snap.Shards = append(snap.Shards, s)
	}
	for i := range snap.Shards {
		if ctx.Err() != nil {
			return nil, c, ctx.Err()
		}
		s := &snap.Shards[i]
		c.shards[s.Name] = v.readShard(s, stored[i], infos[i], keep)
	}
	snap.State, c.state = v.readState(limits)
	return snap, c, nil
}

// readShard reads a shard's bytes unless it has a fault, and returns its token.
func (v *view) readShard(s *Shard, stored string, info fs.FileInfo, keep bool) string {
	switch {
	case s.Fault == FaultVanished, s.Fault == FaultNotRegular:
		return string(s.Fault)
	case s.Fault == FaultName, s.Fault == FaultSize && info.Size() > maxShardBytes:
		return statToken(info)
	case s.Fault != "":
		keep = false
	}
	var data []byte
	var token string
	err := error(nil)
	if keep {
		data, token, err = readFile(v.shards, stored, info.Size(), info.Size())
	} else {
		token, err = hashFile(v.shards, stored, info.Size())
	}
	if err != nil {
		s.Fault = FaultVanished
		return string(FaultVanished)
	}
	s.Data = data
	if info.Size() > maxShardBytes {
		return statToken(info) // as for those whose limits are lower
	}
	return token
}

// readState reads the state file; what is irregular or too large is absent.
func (v *view) readState(limits Limits) (data []byte, token string) {
	stored, info, err := v.stateFile()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil || !info.Mode().IsRegular():
		return nil, string(FaultNotRegular)
	case info.Size() > limits.StateBytes():
		return nil, statToken(info)
	}
	if data, token, err = readFile(v.compaction, stored, info.Size(), info.Size()); err != nil {
		return nil, string(FaultVanished)
	}
	return data, token
}

// errSize: a file has not the size that it should have.
var errSize = errors.New("unexpected size")

// readFile returns a regular file of least to most bytes, and its token.
func readFile(f folder, name string, least, most int64) ([]byte, string, error) {
	var data []byte
	err := withFile(f, name, least, most, func(from io.Reader, size int64) (int64, error) {
		data = make([]byte, size+1)
		n, err := io.ReadFull(from, data)
		data = data[:n:n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		return int64(n), err
	})
	if err != nil {
		return nil, "", err
	}
	return data, dataToken(data), nil
}

// hashFile returns the token of a regular file of size bytes.
func hashFile(f folder, name string, size int64) (string, error) {
	h := sha256.New()
	err := withFile(f, name, size, size, func(from io.Reader, _ int64) (int64, error) { return io.Copy(h, from) })
	return hex.EncodeToString(h.Sum(nil)), err
}

// withFile gives read a regular file of least to most bytes: its size, and its
// bytes with one more, if it has grown. All of them must be read.
func withFile(f folder, name string, least, most int64, read func(io.Reader, int64) (int64, error)) error {
	from, err := f.open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if info.Size() < least || info.Size() > most {
		return errSize
	}
	n, err := read(io.LimitReader(from, info.Size()+1), info.Size())
	if err == nil && n != info.Size() {
		err = errSize
	}
	return err
}
