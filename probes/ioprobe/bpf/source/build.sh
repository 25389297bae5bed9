#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles ioprobe.bpf.c into the committed object. Needs clang and llvm-strip (Debian: apt install clang llvm);
# users need neither. The source's checksum is kept beside the object, and a test compares them.
set -euo pipefail

cd "$(dirname "$0")"
clang=$(command -v clang || command -v clang-14) || { echo "clang is missing: apt install clang llvm" >&2; exit 2; }
strip=$(command -v llvm-strip || command -v llvm-strip-14) || { echo "llvm-strip is missing: apt install llvm" >&2; exit 2; }
"$clang" -O2 -g -ffile-compilation-dir=. -Wall -Werror -target bpf -mcpu=v3 -c ioprobe.bpf.c -o ../ioprobe.bpf.o
"$strip" -g ../ioprobe.bpf.o
sha256sum ioprobe.bpf.c > ioprobe.bpf.c.sha256
