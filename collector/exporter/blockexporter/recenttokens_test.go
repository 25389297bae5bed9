// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRecentTokensRememberTheLastOnes(t *testing.T) {
	s := newRecentTokens(3)
	assert.False(t, s.add("a"))
	assert.True(t, s.add("a"))
	assert.False(t, s.add("b"))
	assert.False(t, s.add("c"))
	assert.True(t, s.add("a"), "still one of three")
	assert.False(t, s.add("d"), "takes the place of the oldest")
	assert.False(t, s.add("a"))
	assert.True(t, s.add("c"))
}

func TestRecentTokensAreBounded(t *testing.T) {
	s := newRecentTokens(100)
	for i := range 10_000 {
		assert.False(t, s.add(strconv.Itoa(i)))
	}
	assert.Len(t, s.tokens, 100)
}
