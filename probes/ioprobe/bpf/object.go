// SPDX-License-Identifier: Apache-2.0

// Package bpf carries the compiled eBPF object, so that users need no compiler.
package bpf

import _ "embed"

// Object is source/ioprobe.bpf.c as compiled by source/build.sh.
//
//go:embed ioprobe.bpf.o
var Object []byte
