// SPDX-License-Identifier: Apache-2.0

package kernel

// Feature is a set of tracepoints that are attached together or not at all.
type Feature struct {
	Name string
	// Required features decide whether the probe is up; the others only add the device to fsyncs on
	// one file system.
	Required bool
	Points   []Point
}

// Point is one tracepoint and the program that runs there.
type Point struct {
	Group, Name string
	Program     string
}

// Features in the order in which they are attached.
func Features() []Feature {
	return []Feature{
		{Name: "sync_calls", Required: true, Points: []Point{
			{"syscalls", "sys_exit_fsync", "exit_fsync"},
			{"syscalls", "sys_enter_fsync", "enter_fsync"},
			{"syscalls", "sys_exit_fdatasync", "exit_fdatasync"},
			{"syscalls", "sys_enter_fdatasync", "enter_fdatasync"},
			{"syscalls", "sys_exit_msync", "exit_msync"},
			{"syscalls", "sys_enter_msync", "enter_msync"},
		}},
		{Name: "block_requests", Required: true, Points: []Point{
			{"block", "block_rq_complete", "request_ends"},
			{"block", "block_rq_issue", "request_begins"},
		}},
		{Name: "ext4_syncs", Points: []Point{
			{"ext4", "ext4_sync_file_exit", "ext4_exit"},
			{"ext4", "ext4_sync_file_enter", "ext4_enter"},
		}},
		{Name: "xfs_syncs", Points: []Point{{"xfs", "xfs_file_fsync", "xfs_enter"}}},
	}
}

// State of a feature on this kernel. Reason is empty exactly when it is attached.
type State struct {
	Feature Feature
	Reason  string
}
