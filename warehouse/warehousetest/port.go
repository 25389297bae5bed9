// SPDX-License-Identifier: Apache-2.0

package warehousetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddress finds a port that no process listens on. It is below the range from which the kernel takes the ports of
// outgoing connections: otherwise a client that connects while the program restarts could get the program's own port.
func FreeAddress(t testing.TB) string {
	t.Helper()
	const first, last, tries = 20000, 32000, 100
	for range tries {
		address := fmt.Sprintf("127.0.0.1:%d", first+rand.N(last-first)) //nolint:gosec // no secret
		listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatalf("no free port between %d and %d", first, last)
	return ""
}
