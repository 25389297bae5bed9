// SPDX-License-Identifier: Apache-2.0

// Package blockexporter posts Tailrace blocks to ClickHouse over HTTP.
//
// A block arrives as the bytes body of one OTLP log record and leaves as the body of one INSERT, byte for
// byte. The exporter neither opens, joins nor queues blocks: it answers its caller only after ClickHouse has,
// so an OTLP success means that every block of the request is committed.
package blockexporter
