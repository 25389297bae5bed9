// SPDX-License-Identifier: Apache-2.0

package blockexporter

import "sync"

// recentTokensCapacity is the number of remembered tokens: minutes of blocks, about a megabyte.
const recentTokensCapacity = 4096

// recentTokens remembers the tokens of the last blocks, so that repeated ones can be counted. It decides nothing:
// ClickHouse deduplicates.
type recentTokens struct {
	mu     sync.Mutex
	tokens map[string]struct{}
	// order is a ring, oldest first from next on.
	order []string
	next  int
}

func newRecentTokens(capacity int) *recentTokens {
	return &recentTokens{tokens: make(map[string]struct{}, capacity), order: make([]string, capacity)}
}

// add remembers a token and reports whether it was remembered already.
func (s *recentTokens) add(token string) bool {
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
