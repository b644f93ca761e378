package gitbranch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// server is how all exchanges of a Repository reach it over HTTP.
type server struct {
	client     *http.Client
	base       *url.URL
	settled    atomic.Pointer[url.URL] // where base was redirected to
	header     http.Header
	credential Credential
	idle       func()
}

var _ carrier = (*server)(nil)

func newServer(base *url.URL, o Options) *server {
	s := &server{base: base, header: o.Header.Clone(), credential: o.Credential, idle: func() {}}
	carrier := o.Transport
	if carrier == nil {
		own := &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			TLSHandshakeTimeout:   30 * time.Second,
			ExpectContinueTimeout: time.Second,
			IdleConnTimeout:       30 * time.Second,
		}
		carrier, s.idle = own, own.CloseIdleConnections
	}
	s.client = &http.Client{Transport: carrier, CheckRedirect: redirects}
	return s
}

func (s *server) wire() wire { return &web{server: s, base: s.address()} }

func (s *server) shut() { s.idle() }

func (s *server) address() *url.URL {
	if moved := s.settled.Load(); moved != nil {
		return moved
	}
	return s.base
}

// netWord says in a word what went wrong on the network.
func netWord(err error) string {
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.As(err, &certificate):
		return "certificate not accepted"
	case errors.As(err, &dns):
		return "host not found"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timed out"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed early"
	default:
		return "network error"
	}
}
