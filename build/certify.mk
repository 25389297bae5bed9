# SPDX-License-Identifier: Apache-2.0
# The semantics certificate. Included by the top Makefile; see docs/METHODOLOGY.md.

.PHONY: certify
certify: setup ## claims about three brokers, checked while faults strike them; ARGS="--duration 5m --rate 20000"
	@$(VENV)/tailrace certify $(ARGS)
