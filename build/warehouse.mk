# SPDX-License-Identifier: Apache-2.0
# The conformance suite at full length. Included by the top Makefile; see warehouse/README.md.

.PHONY: test-warehouse
test-warehouse: setup ## all formats, encodings and sizes against the warehouse, or the server of CLICKHOUSE_URL
	@cd warehouse && TAILRACE_CONFORMANCE=full go test -count=1 -timeout 60m -v ./conformance | grep -v '^=== RUN'
