// SPDX-License-Identifier: Apache-2.0

// Package blockexporter checks the columns of Tailrace blocks and posts them to ClickHouse over HTTP.
//
// A block arrives as the bytes body of one OTLP log record and leaves, byte for byte, as the body of one INSERT. Before
// that the exporter compares the block's columns with the table (schema.go), and the numbers of rows and columns in its
// attributes with the start of the block (blockheader.go). It decodes no more of a block, changes nothing in it, and
// neither joins nor queues blocks. It answers its caller only after ClickHouse has answered, so an OTLP success means
// that every block of the request is committed.
package blockexporter
