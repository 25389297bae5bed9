// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"sync"
	"time"

	"go.uber.org/zap"
)

// failureLog is the one place that logs failed blocks: each permanent one, since its rows are lost, and the
// retryable ones at most once a second, since every sender repeats them until the cause is mended.
type failureLog struct {
	logger *zap.Logger
	now    func() time.Time

	mu      sync.Mutex
	quietTo time.Time
	skipped int
}

func newFailureLog(logger *zap.Logger) *failureLog {
	// A stack trace says nothing about why ClickHouse refused a block, and makes fifty lines of one.
	return &failureLog{logger: logger.WithOptions(zap.AddStacktrace(zap.FatalLevel)), now: time.Now}
}

func (l *failureLog) log(b *block, failure *deliveryError) {
	fields := []zap.Field{
		zap.String("run", b.runID), zap.Int64("worker", b.worker), zap.String("stream", b.stream),
		zap.Int64("seq", b.seq), zap.Int64("rows", b.rows),
		zap.Int("code", failure.code), zap.NamedError("error", failure.err),
	}
	if failure.outcome == permanent {
		l.logger.Error("block refused, its rows are lost", fields...)
		return
	}
	if skipped, ok := l.turn(); ok {
		l.logger.Error("block not committed, its sender will send it again",
			append(fields, zap.Int("others_since_last_line", skipped))...)
	}
}

// turn tells whether a second has passed since the last line, and how many were kept back meanwhile.
func (l *failureLog) turn() (skipped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Before(l.quietTo) {
		l.skipped++
		return 0, false
	}
	skipped, l.skipped = l.skipped, 0
	l.quietTo = now.Add(time.Second)
	return skipped, true
}
