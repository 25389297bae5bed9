#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by start.sh: puts the broker into a separate control group (cgroup2), so that the time it waits for CPU, IO and
# memory can be distinguished from that of other processes. procprobe reads it through run/NAME/pressure/;
# `tailrace down` removes the group. Where that is not permitted the broker starts all the same, and
# procprobe_pressure_up is 0.

# own_cgroup NAME: of the broker's folder in run/; prints the reason where there is no group.
own_cgroup() {
  run="$TAILRACE_STATE/run/$1"
  mkdir -p "$run"
  [ ! -f "$run/cgroup" ] || rmdir "$(cat "$run/cgroup")" 2>/dev/null || :
  rm -rf "$run/cgroup" "$run/pressure"

  mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
  if [ -z "$mounted" ]; then
    echo "no cgroup2 file system is mounted"
    return
  fi
  parent="$mounted$(sed -n 's/^0:://p' /proc/self/cgroup)"
  group="${parent%/}/tailrace-broker-$$"
  if ! mkdir "$group" 2>/dev/null; then
    echo "no permission to make $group"
    return
  fi
  if [ ! -r "$group/io.pressure" ]; then
    rmdir "$group"
    echo "the kernel accounts no pressure; boot with psi=1"
    return
  fi
  if ! { echo "$$" >"$group/cgroup.procs"; } 2>/dev/null; then
    rmdir "$group"
    echo "no permission to move a process into $group"
    return
  fi
  mkdir "$run/pressure"
  for resource in cpu io memory; do
    ln -s "$group/$resource.pressure" "$run/pressure/$resource"
  done
  echo "$group" >"$run/cgroup"
}
