#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plays the main job on a simulated BlueZ: no radio needed. Shows each command as it would be typed, then what it prints.
# Fails when a command fails, or does not print what it should.
# Usage: [BLECTL=path/to/blectl] Scripts/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."

BLECTL=$(realpath "${BLECTL:-.build/release/blectl}")
export BLECTL
if [[ ! -x $BLECTL ]]; then
  echo "demo: there is no $BLECTL: build it with 'make build', or set BLECTL" >&2
  exit 1
fi

# All commands share one simulated BlueZ, and run beside it, in this script called once more.
if [[ ${1-} != --inside ]]; then
  exec "$BLECTL" simulate -- "$BASH" Scripts/demo.sh --inside
fi

blectl() { "$BLECTL" "$@"; }
export -f blectl

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a command line, showing its output and keeping a copy. On a terminal the command gets one of its own, so that it
# prints for people; where that is not possible, it prints for programs.
play() {
  if [[ -t 1 ]] && command -v script > /dev/null; then
    SHELL=$BASH script --quiet --return --flush --command "set -o pipefail; $1" "$log" || return
    sed -i '/^Script \(started\|done\) on /d' "$log"
  else
    "$BASH" -o pipefail -c "$1" | tee "$log"
  fi
}

# step TITLE COMMAND LINES PATTERN: at least LINES lines must come, and one of them must fit the pattern.
step() {
  printf '\n# %s\n$ %s\n' "$1" "$2"
  play "$2" || { echo "demo: the command failed with status $?" >&2; exit 1; }
  if (($(wc -l < "$log") < $3)) || ! grep -q -e "$4" "$log"; then
    echo "demo: the command printed less than it should" >&2
    exit 1
  fi
}

step 'What is near?' \
  'blectl scan --duration 3s' 7 'MI Band 2'
step 'What does the wristband offer?' \
  "blectl services 'MI Band 2'" 40 'fed3'
step 'Which software does it run?' \
  "blectl read 'MI Band 2' 2a28 --as utf8" 1 'V1.0.1.81'
step 'Light the 115 lamps of the piano; each key that answers is printed.' \
  "seq 0 114 | xargs printf 'f03d3d%02x02f7\n' | blectl write Piano ffe3 --from - --reply ffe2 | xargs -n 13" \
  9 '9f5472'
step 'Follow a heart rate for five values.' \
  "blectl subscribe 'Heart Strap' 2a37 --count 5" 5 '003c'
printf '\nThat was all: five commands, on a simulated BlueZ.\n'
