// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"sync"
	"time"
)

// endpoints decides where a block is tried first and next. Blocks stay with the last endpoint that took one;
// after a while one block tries the first again, and if that works all go back.
type endpoints struct {
	addresses   []string
	returnAfter time.Duration
	now         func() time.Time

	mu       sync.Mutex
	current  int
	returnAt time.Time
}

func newEndpoints(cfg *Config) *endpoints {
	s := &endpoints{returnAfter: cfg.ReturnAfter, now: time.Now}
	for _, address := range cfg.addresses() {
		s.addresses = append(s.addresses, withSlash(address))
	}
	return s
}

// route is the order in which one block tries the endpoints.
type route struct {
	order []int
	// returning is set for the one block that tries the first endpoint again.
	returning bool
}

func (s *endpoints) route() route {
	s.mu.Lock()
	defer s.mu.Unlock()
	var r route
	if s.current != 0 && !s.now().Before(s.returnAt) {
		// Only this block: if the first endpoint hangs, the others must not wait with it.
		s.returnAt = s.now().Add(s.returnAfter)
		r = route{order: []int{0}, returning: true}
	}
	for i := range s.addresses {
		if next := (s.current + i) % len(s.addresses); !r.returning || next != 0 {
			r.order = append(r.order, next)
		}
	}
	return r
}

// worked notes that the endpoint at this place of the route took its block, and tells whether the blocks to
// come go elsewhere now. A block that began at its endpoint moves nothing: it may be a slow one from before the
// others moved away.
func (s *endpoints) worked(r route, place int) (moved bool) {
	if place == 0 && !r.returning {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == r.order[place] {
		return false
	}
	s.current = r.order[place]
	s.returnAt = s.now().Add(s.returnAfter)
	return true
}

// preferred is the endpoint that the next block goes to.
func (s *endpoints) preferred() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addresses[s.current]
}
