// SPDX-License-Identifier: Apache-2.0

package blockexporter

import "sync"

// seenCapacity is how many tokens are remembered: minutes of blocks, about a megabyte.
const seenCapacity = 4096

// seenTokens remembers the tokens of the last blocks, so that re-sent ones can be counted. It decides nothing:
// deduplication is ClickHouse's.
type seenTokens struct {
	mu     sync.Mutex
	tokens map[string]struct{}
	// oldest first from next on; a ring.
	order []string
	next  int
}

func newSeenTokens(capacity int) *seenTokens {
	return &seenTokens{tokens: make(map[string]struct{}, capacity), order: make([]string, capacity)}
}

// again remembers a token and tells whether it was there already.
func (s *seenTokens) again(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.tokens[token]; ok {
		return true
	}
	delete(s.tokens, s.order[s.next])
	s.tokens[token] = struct{}{}
	s.order[s.next] = token
	s.next = (s.next + 1) % len(s.order)
	return false
}
