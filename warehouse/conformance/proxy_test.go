// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// proxy forwards connections to a server and cuts each after a number of bytes of the answer.
type proxy struct {
	address string
	cuts    atomic.Int64
}

// cutting starts a proxy. With reset it resets the client's connection, otherwise it closes the connection regularly.
func cutting(t *testing.T, to string, after int64, reset bool) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(conn, to, after, reset)
		}
	}()
	return p
}

func (p *proxy) pass(conn net.Conn, to string, after int64, reset bool) {
	defer func() { _ = conn.Close() }()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, conn) }()
	if n, _ := io.CopyN(conn, server, after); n < after {
		return
	}
	p.cuts.Add(1)
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
}
