// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// outcome is what became of a block, as the metrics name it.
type outcome string

const (
	committed outcome = "committed"
	retryable outcome = "retryable"
	permanent outcome = "permanent"
)

// reason is why a block is refused for good, as metrics and dead letters name it.
type reason string

const (
	reasonMalformed reason = "malformed"
	reasonColumns   reason = "columns"
	reasonRefused   reason = "refused"
)

// deliveryError is why a block is not known to be committed, and whether sending it again can help.
type deliveryError struct {
	outcome outcome
	// reason of a permanent failure.
	reason reason
	// code is ClickHouse's error code, 0 if it sent none.
	code int
	// endpoint that gave the verdict; empty if the exporter did.
	endpoint string
	err      error
}

func (e *deliveryError) Error() string { return e.err.Error() }

func (e *deliveryError) Unwrap() error { return e.err }

// GRPCStatus is the status that the OTLP receiver turns into its answer: Unavailable becomes HTTP 503, InvalidArgument
// 400. A permanent error without a status would become 500, which the block contract defines as retryable.
func (e *deliveryError) GRPCStatus() *status.Status {
	code := codes.Unavailable
	if e.outcome == permanent {
		code = codes.InvalidArgument
	}
	return status.New(code, e.Error())
}

// named adds the block's token to the message, which travels back to the sender.
func (e *deliveryError) named(b *block) *deliveryError {
	with := *e
	with.err = fmt.Errorf("block %s: %w", b.token(), e.err)
	return &with
}

// oneLine joins the lines that errors.Join makes: a log line and an OTLP answer are one line each.
func oneLine(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
}

func firstLine(text string) string {
	const longest = 500
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > longest {
		line = line[:longest]
	}
	return strings.ToValidUTF8(line, "?")
}
