// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"time"
)

// deliver stores one block, then counts, logs and keeps the outcome.
func (e *blockExporter) deliver(ctx context.Context, b *block) *deliveryError {
	if e.recent.add(b.token()) {
		e.telemetry.sentAgain(ctx, b)
	}
	begin := time.Now()
	failure := e.store(ctx, b)
	e.telemetry.timed(ctx, b, outcomeOf(failure), time.Since(begin))
	return e.settle(ctx, b, failure)
}

func (e *blockExporter) store(ctx context.Context, b *block) *deliveryError {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	if failure := e.schema.check(ctx, b); failure != nil {
		return failure
	}
	return e.anywhere(ctx, func(ctx context.Context, address string) *deliveryError {
		return e.post(ctx, address, b)
	})
}

// settle counts a block with its outcome, logs it when it failed, and keeps it when it was refused.
func (e *blockExporter) settle(ctx context.Context, b *block, failure *deliveryError) *deliveryError {
	e.telemetry.count(ctx, b, outcomeOf(failure))
	if failure == nil {
		return nil
	}
	failure = failure.named(b)
	path := ""
	if failure.outcome == permanent {
		path = e.keep(ctx, b, failure)
	}
	e.failures.log(b, failure, path)
	return failure
}

// keep writes a refused block to the dead letters. The block stays refused if that fails.
func (e *blockExporter) keep(ctx context.Context, b *block, failure *deliveryError) (path string) {
	result, path, err := e.deadLetters.keep(b, e.deadLetterFor(b, failure))
	e.telemetry.deadLetter(ctx, b, failure.reason, result)
	if err != nil {
		e.failures.logNotKept(b, err)
	}
	return path
}

func outcomeOf(failure *deliveryError) outcome {
	if failure == nil {
		return committed
	}
	return failure.outcome
}
