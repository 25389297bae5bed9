// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

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
