// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSeenTokensRememberTheLastOnes(t *testing.T) {
	s := newSeenTokens(3)
	assert.False(t, s.again("a"))
	assert.True(t, s.again("a"))
	assert.False(t, s.again("b"))
	assert.False(t, s.again("c"))
	assert.True(t, s.again("a"), "still one of three")
	assert.False(t, s.again("d"), "takes the place of the oldest")
	assert.False(t, s.again("a"))
	assert.True(t, s.again("c"))
}

func TestSeenTokensAreBounded(t *testing.T) {
	s := newSeenTokens(100)
	for i := range 10_000 {
		assert.False(t, s.again(strconv.Itoa(i)))
	}
	assert.Len(t, s.tokens, 100)
}
