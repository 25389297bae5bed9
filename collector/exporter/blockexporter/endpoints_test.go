// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func clockedEndpoints(n int) (*endpoints, *time.Time) {
	clock := time.Unix(1000, 0)
	s := newEndpoints(&Config{Endpoints: []string{"http://a", "http://b", "http://c"}[:n], ReturnAfter: 30 * time.Second})
	s.now = func() time.Time { return clock }
	return s, &clock
}

func TestEndpointsStickToTheLastGoodOne(t *testing.T) {
	s, _ := clockedEndpoints(3)
	first := s.route()
	assert.Equal(t, route{order: []int{0, 1, 2}}, first)
	assert.True(t, s.worked(first, 1), "the first failed, the second took the block")
	assert.Equal(t, route{order: []int{1, 2, 0}}, s.route())
	assert.Equal(t, "http://b/", s.preferred())
	assert.False(t, s.worked(first, 0), "a slow block from before moves no later block back")
	assert.False(t, s.worked(first, 1), "another block of the same fate is no second move")
	assert.Equal(t, route{order: []int{1, 2, 0}}, s.route())
	assert.True(t, s.worked(s.route(), 1))
	assert.Equal(t, route{order: []int{2, 0, 1}}, s.route())
}

func TestEndpointsReturnToTheFirst(t *testing.T) {
	s, clock := clockedEndpoints(3)
	s.worked(s.route(), 2)
	*clock = clock.Add(30 * time.Second)
	try := s.route()
	assert.Equal(t, route{order: []int{0, 2, 1}, returning: true}, try)
	assert.Equal(t, route{order: []int{2, 0, 1}}, s.route(), "one block tries, the others stay")
	assert.False(t, s.worked(try, 1), "the first is still down: it went to where it would have gone")
	assert.Equal(t, route{order: []int{2, 0, 1}}, s.route())
	*clock = clock.Add(30 * time.Second)
	assert.True(t, s.worked(s.route(), 0))
	assert.Equal(t, route{order: []int{0, 1, 2}}, s.route())
}

func TestOneEndpointHasOneRoute(t *testing.T) {
	s, clock := clockedEndpoints(1)
	*clock = clock.Add(time.Hour)
	assert.Equal(t, route{order: []int{0}}, s.route())
	assert.False(t, s.worked(s.route(), 0))
}
