#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs clients of BlueZ that others have written on the simulated one (Tests/System/Clients). Each file of tests has a
# simulator of its own.
#
#   Tests/System/Clients/run.sh            all
#   Tests/System/Clients/run.sh bleak      Tests/System/Clients/test_bleak.py
#   Tests/System/Clients/run.sh --python   print the Python that has them, made when it is not there
#
# The Python environment is kept in $BLECTL_CLIENTS_CACHE, or blectl-clients under $XDG_CACHE_HOME (~/.cache), under a
# name that its requirements make. No service is started on the machine.
set -euo pipefail
cd "$(dirname "$0")/../../.."

requirements=Tests/System/Clients/requirements.txt
cache=${BLECTL_CLIENTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blectl-clients}
ready=$cache/$(sha256sum "$requirements" | cut -c1-16)
packages=(bluez dbus-daemon python3-venv systemd)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# bluez brings a system service, which must not start: its bluetoothd would take the place of the simulated one.
install_packages() {
  local policy=/usr/sbin/policy-rc.d status=0
  echo "clients: installing ${packages[*]}" >&2
  if [ -e "$policy" ]; then policy=''; fi
  if [ -n "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  {
    as_root apt-get update -q &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends "${packages[@]}"
  } >/dev/null || status=$?
  if [ -n "$policy" ]; then as_root rm -f "$policy"; fi
  return "$status"
}

dpkg -s "${packages[@]}" >/dev/null 2>&1 || install_packages
schema=$ready/junit-10.xsd
# The schema of Jenkins' xUnit plugin, which other tools follow, as pytest ships it for its own tests.
fetch_schema() {
  "$ready/bin/python" -m pip download -q --retries 5 --disable-pip-version-check --no-deps --no-binary pytest \
    -d "$ready/source" "$(grep '^pytest==' "$requirements")" &&
    tar -xzf "$ready"/source/pytest-*.tar.gz -C "$ready" --strip-components=3 --wildcards "*/${schema##*/}"
}

modules='bleak, bless, bluez_peripheral, dbus_fast, junitparser, pexpect, pytest, simplepyble, xmlschema'
if ! "$ready/bin/python" -c "import $modules" 2>/dev/null || ! [ -s "$schema" ]; then
  echo "clients: making $ready" >&2
  mkdir -p "$cache"
  rm -rf "$ready"
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import ensurepip, venv' 2>/dev/null && break
  done
  "$python" -m venv "$ready"
  if ! "$ready/bin/python" -m pip install -q --retries 5 --disable-pip-version-check -r "$requirements" ||
    ! fetch_schema; then
    rm -rf "$ready"
    exit 1
  fi
fi
if [ "${1-}" = --python ]; then
  printf '%s\n' "$ready/bin/python"
  exit
fi

built=$(Scripts/built.sh blectl contract-world)
export BLECTL=${BLECTL:-$built/blectl} CONTRACT_WORLD_PROGRAM=$built/contract-world

export BLECTL_JUNIT_SCHEMA=$schema
tests=("$@")
[ ${#tests[@]} != 0 ] || tests=(bluetoothctl bleak simplepyble busctl example junit serving)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

play() { # MODULE
  local adapters=1
  [ "$1" != serving ] || adapters=2
  timeout 300 "$BLECTL" simulate --adapters "$adapters" -- "$ready/bin/python" -B -m pytest -q -p no:cacheprovider --tb=short \
    "Tests/System/Clients/test_$1.py" 2>&1 | tee "$log"
}

# Two threads of SimpleBLE share a connection of libdbus. On a busy machine one takes the reply that the other waits for,
# once in some forty runs: dbus-monitor has the reply within a millisecond, SimpleBLE's limit passes. If a reply is
# really missing, all three runs fail.
patiently() { # MODULE
  local left=3
  until play "$1"; do
    left=$((left - 1))
    grep -q 'RuntimeError: D-Bus call timed out' "$log" && [ $left -gt 0 ] || return 1
    echo "clients: $1 did not take a reply; once more"
  done
}

total=0 failed=()
for module in "${tests[@]}"; do
  echo "clients: $module"
  if patiently "$module"; then
    total=$((total + $(sed -nE 's/^([0-9]+) passed.*/\1/p' "$log" | tail -1)))
  else
    failed+=("$module")
  fi
done
if [ ${#failed[@]} != 0 ]; then
  echo "clients: failed: ${failed[*]}" >&2
  exit 1
fi
echo "clients: Test run with $total tests passed"
