// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"errors"
	"fmt"

	"github.com/ebitengine/purego"
)

// setTimeZone makes UTC the engine's time zone, so that answers do not depend on the host. The engine
// heeds only the C library's environment, which os.Setenv does not reach, and not its own configuration.
func setTimeZone() error {
	symbol, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return fmt.Errorf("find setenv in the C library: %w", err)
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, symbol)
	if setenv("TZ", "UTC", 1) != 0 {
		return errors.New("setenv TZ failed in the C library")
	}
	return nil
}
