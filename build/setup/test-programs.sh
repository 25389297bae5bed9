#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the programs that some tests need and set-up does not, where apt-get is there and may: as root. Never fails:
# the suite names at its end what it could not try. TAILRACE_APT=no leaves the machine as it is.
set -uo pipefail

missing=()
command -v kcat || missing+=(kcat)
command -v fio || missing+=(fio)
command -v chromium || command -v chromium-browser || missing+=(chromium)
if [ ${#missing[@]} = 0 ] || [ "$(id -u)" != 0 ] || [ "${TAILRACE_APT:-}" = no ] || ! command -v apt-get; then
  echo "missing: ${missing[*]:-nothing}; nothing is installed without root and apt-get, or with TAILRACE_APT=no"
  exit 0
fi

echo "installing ${missing[*]} with apt-get; TAILRACE_APT=no leaves the machine as it is"
export DEBIAN_FRONTEND=noninteractive
install=(apt-get -qq -o DPkg::Lock::Timeout=5 install --no-install-recommends)
apt-cache show "${missing[@]}" >/dev/null || timeout 60 apt-get -qq update
for program in "${missing[@]}"; do
  # Only the download has a time limit: an installation that is cut off leaves the packages half configured.
  if timeout 60 "${install[@]}" --download-only "$program" && "${install[@]}" --no-download "$program"; then
    echo "$program is installed"
  else
    echo "$program is not installed"
  fi
done
exit 0
