// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"sync"
	"time"
)

// endpoints decides the order in which a block tries the endpoints. Blocks stay with the last endpoint that answered.
// After a while one block tries the first endpoint again; if that works, all return to it.
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
	// returning is true for the one block that tries the first endpoint again.
	returning bool
}

func (s *endpoints) route() route {
	s.mu.Lock()
	defer s.mu.Unlock()
	var r route
	if s.current != 0 && !s.now().Before(s.returnAt) {
		// Only this block tries it: if the first endpoint hangs, the other blocks must not wait too.
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

// worked records that the endpoint at this position of the route answered, and reports whether later blocks now go to another
// endpoint. A block that succeeded at the first endpoint of its route changes nothing: it may be a slow one that began
// before the others moved.
func (s *endpoints) worked(r route, position int) (moved bool) {
	if position == 0 && !r.returning {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == r.order[position] {
		return false
	}
	s.current = r.order[position]
	s.returnAt = s.now().Add(s.returnAfter)
	return true
}

func (s *endpoints) preferred() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addresses[s.current]
}
