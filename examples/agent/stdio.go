package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gitledger/gitledger/internal/canonical"
)

// Bounds of a message. The bounds of what it carries are lower, and are answered
// more kindly.
const (
	maxMessageBytes = 1 << 20
	maxMessageDepth = 2 * canonical.MaxDepth
)

// stdio is the transport over standard input and output: a JSON-RPC message a line.
// In place of the SDK's, it answers a line that is no message, and goes on.
type stdio struct {
	in  io.Reader
	out io.Writer

	lines chan line
	done  chan struct{}
	close sync.Once
	write sync.Mutex
}

var _ mcp.Transport = (*stdio)(nil)

type line struct {
	text []byte // nil for one that is too long
}

// Connect starts to read. What reads ends with the process when the input never
// ends, because a read of a file cannot be stopped.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	s.lines, s.done = make(chan line), make(chan struct{})
	go s.scan()
	return s, nil
}

func (s *stdio) SessionID() string { return "" }

func (s *stdio) scan() {
	in := bufio.NewReaderSize(s.in, maxMessageBytes+1)
	for {
		text, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		next := line{text: bytes.Clone(bytes.TrimSpace(text))}
		if long {
			next.text = nil
		}
		if long || len(next.text) > 0 {
			select {
			case s.lines <- next:
			case <-s.done:
				return
			}
		}
		if err != nil {
			close(s.lines)
			return
		}
	}
}

// Read returns the next message.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.done:
			return nil, io.EOF
		case next, ok := <-s.lines:
			if !ok {
				return nil, io.EOF
			}
			message, refused := decode(next.text)
			if refused == nil {
				return message, nil
			}
			if err := s.send(refused); err != nil {
				return nil, err
			}
		}
	}
}

// decode reads one line, or makes the answer to one that is no message.
func decode(text []byte) (message jsonrpc.Message, refused []byte) {
	answer := func(code int, why string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, idOf(text), code, why)
	}
	if text == nil {
		return nil, answer(jsonrpc.CodeInvalidRequest, "the message is too long")
	}
	if tooDeep(text) {
		text = nil
		return nil, answer(jsonrpc.CodeInvalidRequest, "the message is nested too deeply")
	}
	if !canonical.Valid(text) {
		text = nil
		return nil, answer(jsonrpc.CodeParseError, "the message is not JSON in UTF-8")
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, answer(jsonrpc.CodeInvalidRequest, "the message is no request of JSON-RPC 2.0; batches are not supported")
	}
	return message, nil
}

// idOf returns the ID of a request in valid JSON, or null.
func idOf(text []byte) []byte {
	if len(text) > 0 && text[0] == '{' {
		for key, value := range canonical.LooseMembers(text) {
			if string(key) == "id" && len(value) > 0 && bytes.IndexByte([]byte(`"-0123456789`), value[0]) >= 0 {
				return value
			}
		}
	}
	return []byte("null")
}

func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			if depth++; depth > maxMessageDepth {
				return true
			}
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
	}
	return false
}

// Write sends a message.
func (s *stdio) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return errors.New("the message cannot be encoded")
	}
	return s.send(text)
}

func (s *stdio) send(text []byte) error {
	s.write.Lock()
	defer s.write.Unlock()
	_, err := s.out.Write(append(text, '\n'))
	return err
}

// Close ends the session; standard input and output stay open.
func (s *stdio) Close() error {
	s.close.Do(func() { close(s.done) })
	return nil
}
