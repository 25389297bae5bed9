// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
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

type attempt func(ctx context.Context, address string) *deliveryError

// anywhere tries the endpoints one after another until one gives a verdict: committed, or refused for good. Each try gets
// an equal share of the remaining time, so that an endpoint that hangs leaves time for the others.
func (e *blockExporter) anywhere(ctx context.Context, try attempt) *deliveryError {
	route := e.endpoints.route()
	var failures []error
	code := 0
	for position, i := range route.order {
		address := e.endpoints.addresses[i]
		if ctx.Err() != nil {
			failures = append(failures, fmt.Errorf("not tried at %s: %w", address, ctx.Err()))
			break
		}
		failure := e.once(ctx, address, len(route.order)-position, try)
		verdict := failure == nil || failure.outcome == permanent
		if !verdict && errors.Is(ctx.Err(), context.Canceled) {
			// The sender has gone. The endpoint may be well.
			return failure
		}
		e.telemetry.up(ctx, address, verdict)
		if !verdict {
			failures = append(failures, failure)
			code = cmp.Or(code, failure.code)
			continue
		}
		e.arrived(ctx, route, position, failures)
		if failure != nil {
			failure.endpoint = address
		}
		return failure
	}
	return &deliveryError{outcome: retryable, code: code, err: oneLine(errors.Join(failures...))}
}

func (e *blockExporter) once(ctx context.Context, address string, triesLeft int, try attempt) *deliveryError {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(e.cfg.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(triesLeft))
	defer cancel()
	return try(ctx, address)
}

func (e *blockExporter) arrived(ctx context.Context, r route, position int, failures []error) {
	if !e.endpoints.worked(r, position) {
		return
	}
	address := e.endpoints.addresses[r.order[position]]
	e.telemetry.movedTo(ctx, address)
	why := "the first endpoint works again"
	if len(failures) > 0 {
		why = failures[len(failures)-1].Error()
	}
	e.logger.Warn("blocks go to another endpoint now", zap.String("endpoint", address), zap.String("why", why))
}
