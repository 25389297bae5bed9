// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"sync"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// sessions keeps connections that clients use again by name: their settings and temporary tables stay.
type sessions struct {
	engine *chdb.Engine
	mu     sync.Mutex
	byKey  map[string]*session
}

type session struct {
	conn  *chdb.Conn
	busy  bool
	timer *time.Timer
	// overridden names the settings that requests, not SET statements, have changed.
	overridden []string
}

func newSessions(engine *chdb.Engine) *sessions {
	return &sessions{engine: engine, byKey: map[string]*session{}}
}

// acquire lends the session to one request. A session runs one request at a time.
func (p *sessions) acquire(want sessionRequest) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.byKey[want.key]
	switch {
	case s != nil && s.busy:
		return nil, failure(373, "SESSION_IS_LOCKED", "Session %s is locked by a concurrent client", want.name)
	case s == nil && want.check:
		return nil, failure(372, "SESSION_NOT_FOUND", "Session %s not found", want.name)
	case s == nil:
		conn, err := p.engine.Connect()
		if err != nil {
			return nil, err
		}
		s = &session{conn: conn}
		p.byKey[want.key] = s
	default:
		s.timer.Stop()
	}
	s.busy = true
	return s, nil
}

// release lets the session wait for its next request until the timeout.
func (p *sessions) release(want sessionRequest, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy = false
	s.timer = time.AfterFunc(want.timeout, func() { p.expire(want.key, s) })
}

func (p *sessions) expire(key string, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A request may have taken the session while the timer was firing.
	if p.byKey[key] == s && !s.busy {
		delete(p.byKey, key)
		s.conn.Close()
	}
}

func (p *sessions) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, s := range p.byKey {
		if s.timer != nil {
			s.timer.Stop()
		}
		delete(p.byKey, key)
		s.conn.Close()
	}
}
