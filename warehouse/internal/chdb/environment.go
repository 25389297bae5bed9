// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// environment lists the settings that the engine reads from the C library's environment, which os.Setenv does not reach.
// They must be set before the library is opened.
var environment = []struct {
	name, value string
	overwrite   int32
}{
	// Answers must not depend on the host's time zone.
	{"TZ", "UTC", 1},
	// Freed pages stay with the process for half a minute. Blocks arrive once a second and need the same pages each
	// time; by then the allocator would have returned them, and the kernel would have to map and clear them again.
	{"JE_MALLOC_CONF", "dirty_decay_ms:30000,muzzy_decay_ms:30000", 0},
}

func setEnvironment() error {
	symbol, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return fmt.Errorf("find setenv in the C library: %w", err)
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, symbol)
	for _, set := range environment {
		if setenv(set.name, set.value, set.overwrite) != 0 {
			return fmt.Errorf("setenv %s failed in the C library", set.name)
		}
	}
	return nil
}
