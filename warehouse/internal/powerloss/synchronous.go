// SPDX-License-Identifier: Apache-2.0

package powerloss

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// syncFlag is FS_SYNC_FL: each write to the file, or to a new file of the folder, returns when it is on the drive.
const syncFlag = 0x8

// Synchronous makes the deduplication logs below a data directory synchronous, or ordinary again. The engine writes a
// block's record before it names the block's data part, so a synchronous record is on the drive first. Otherwise a power
// loss between the two could leave the data part alone, and the block would be stored twice when it is sent again.
// A file system without such a flag is no error: then the window between the two stays.
func Synchronous(dir string, on bool) error {
	folders, err := filepath.Glob(filepath.Join(dir, "store", "*", "*", "deduplication_logs"))
	if err != nil {
		return fmt.Errorf("list deduplication logs: %w", err)
	}
	for _, folder := range folders {
		logs, err := filepath.Glob(filepath.Join(folder, "*.txt"))
		if err != nil {
			return fmt.Errorf("list deduplication logs: %w", err)
		}
		for _, path := range append(logs, folder) {
			if err := setSync(path, on); err != nil {
				return fmt.Errorf("set %s synchronous: %w", path, err)
			}
		}
	}
	return nil
}

func setSync(path string, on bool) error {
	file, err := os.Open(path) //nolint:gosec // found by listing the data directory
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	fd := int(file.Fd()) //nolint:gosec // a descriptor
	flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err == nil && (flags&syncFlag != 0) != on {
		err = unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags^syncFlag)
	}
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) {
		return nil
	}
	return err
}
