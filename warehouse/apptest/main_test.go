// SPDX-License-Identifier: Apache-2.0

// Package apptest tests the program from outside: a real process, HTTP, real clients.
package apptest

import (
	"os"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Main(m)) }
