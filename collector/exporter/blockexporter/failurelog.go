// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"sync"
	"time"

	"go.uber.org/zap"
)

// failureLog logs failed blocks: each permanent failure, since its rows are lost to the run, and retryable ones at most
// once a second, since every sender repeats them until the cause is repaired.
type failureLog struct {
	logger    *zap.Logger
	retryable *throttle
	notKept   *throttle
}

func newFailureLog(logger *zap.Logger) *failureLog {
	// A stack trace does not explain why ClickHouse refused a block, and turns one line into fifty.
	logger = logger.WithOptions(zap.AddStacktrace(zap.FatalLevel))
	return &failureLog{logger: logger, retryable: &throttle{now: time.Now}, notKept: &throttle{now: time.Now}}
}

// log names a block that failed; path is its dead letter, or empty.
func (l *failureLog) log(b *block, failure *deliveryError, path string) {
	fields := append(fieldsOf(b), zap.Int("code", failure.code), zap.NamedError("error", failure.err))
	switch {
	case failure.outcome == permanent && path != "":
		l.logger.Error("block refused, kept as a dead letter", append(fields, zap.String("dead_letter", path))...)
	case failure.outcome == permanent:
		l.logger.Error("block refused, its rows are lost", fields...)
	default:
		if skipped, ok := l.retryable.turn(); ok {
			l.logger.Error("block not committed, its sender will send it again",
				append(fields, zap.Int("others_since_last_line", skipped))...)
		}
	}
}

func (l *failureLog) logNotKept(b *block, err error) {
	if skipped, ok := l.notKept.turn(); ok {
		l.logger.Error("dead letter not kept",
			append(fieldsOf(b), zap.Error(err), zap.Int("others_since_last_line", skipped))...)
	}
}

func fieldsOf(b *block) []zap.Field {
	return []zap.Field{
		zap.String("run", b.runID), zap.Int64("worker", b.worker), zap.String("stream", b.stream),
		zap.Int64("seq", b.seq), zap.Int64("rows", b.rows),
	}
}

// throttle passes one line a second.
type throttle struct {
	now func() time.Time

	mu      sync.Mutex
	quietTo time.Time
	skipped int
}

// turn reports whether a second has passed since the last line, and how many lines were skipped meanwhile.
func (t *throttle) turn() (skipped int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if now.Before(t.quietTo) {
		t.skipped++
		return 0, false
	}
	skipped, t.skipped = t.skipped, 0
	t.quietTo = now.Add(time.Second)
	return skipped, true
}
