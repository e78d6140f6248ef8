#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What it costs to start and to look a name up, in instructions: `blectl uuid heart-rate` must not take more than 1.5
# times those of `blectl --version`. Instructions, not time: they are the same on a busy machine.
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh valgrind
Scripts/build.sh blectl >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# valgrind stumbles over the debug information.
strip -o "$folder/blectl" .build/release/blectl

instructions() { # ARGUMENT…
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$folder/blectl" "$@" 2>&1 >"$folder/answer" |
    sed -nE 's/.*Collected : ([0-9]+).*/\1/p'
}

version=$(instructions --version)
lookup=$(instructions uuid heart-rate)
grep -q '^180d' "$folder/answer"
parsed=$(instructions uuid heart-rate --json)
echo "start-up: --version $version, uuid heart-rate $lookup, the same with --json $parsed instructions"
if [ $((lookup * 2)) -gt $((version * 3)) ]; then
  echo "start-up: uuid heart-rate takes more than 1.5 times the instructions of --version" >&2
  exit 1
fi
