// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"sync"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// sessions keeps connections that clients come back to by name: their settings and temporary tables stay.
type sessions struct {
	engine *chdb.Engine
	mu     sync.Mutex
	byName map[string]*session
}

type session struct {
	conn  *chdb.Conn
	busy  bool
	timer *time.Timer
	// overridden names the settings that requests, not SET statements, have changed.
	overridden []string
}

func newSessions(engine *chdb.Engine) *sessions {
	return &sessions{engine: engine, byName: map[string]*session{}}
}

// acquire gives the session to one request. A session runs one request at a time.
func (p *sessions) acquire(want sessionRequest) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.byName[want.id]
	switch {
	case s != nil && s.busy:
		return nil, failure(codeSessionLocked, "SESSION_IS_LOCKED", "Session %s is locked by a concurrent client", want.name)
	case s == nil && want.check:
		return nil, failure(codeSessionNotFound, "SESSION_NOT_FOUND", "Session %s not found", want.name)
	case s == nil:
		conn, err := p.engine.Connect()
		if err != nil {
			return nil, err
		}
		s = &session{conn: conn}
		p.byName[want.id] = s
	default:
		s.timer.Stop()
	}
	s.busy = true
	return s, nil
}

// release lets the session wait for its next request until the timeout, or ends it.
func (p *sessions) release(want sessionRequest, s *session, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy = false
	if end {
		delete(p.byName, want.id)
		s.conn.Close()
		return
	}
	s.timer = time.AfterFunc(want.timeout, func() { p.expire(want.id, s) })
}

func (p *sessions) expire(id string, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A request may have taken the session while the timer was firing.
	if p.byName[id] == s && !s.busy {
		delete(p.byName, id)
		s.conn.Close()
	}
}

func (p *sessions) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.byName {
		if s.timer != nil {
			s.timer.Stop()
		}
		delete(p.byName, id)
		s.conn.Close()
	}
}
