#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plays the two sides of a clock against each other, on a machine with the adapters hci0 and hci1: the example programs,
# the shell, and both mixed. Needs the programs of Examples, built, and blectl.
#
#   blectl simulate --adapters 2 -- Tests/System/Examples/clocks.sh
#   Tests/System/Rig/run.sh --adapters 2 -- Tests/System/Examples/clocks.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

blectl=${BLECTL:-.build/debug/blectl}
programs=Examples/.build/debug
set -f # patterns are for the commands

both() { # NAME PERIPHERAL CENTRAL WORDS…: what the two commands print together has these words
  local name=$1 output word peripheral status=0
  output=$(mktemp)
  $2 </dev/null >>"$output" 2>&1 &
  peripheral=$!
  $3 >>"$output" 2>&1 || status=$?
  kill "$peripheral"
  wait "$peripheral" || true
  shift 3
  [ "$status" = 0 ] || { echo "examples: $name failed:" && cat "$output" && exit 1; } >&2
  for word in "$@"; do
    grep -qE -- "$word" "$output" || { echo "examples: $name did not print $word:" && cat "$output" && exit 1; } >&2
  done
  echo "examples: $name printed $(wc -l <"$output") lines"
  rm "$output"
}

date='20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}'
uuid=c10c0002-5c0e-4b1e-a5d2-6b2f0c7e91aa
serve="$blectl serve Examples/recipes/clock.json -i hci0"
subscribe="$blectl subscribe Desk* $uuid --as utf8 --count 3 -i hci1"
both 'Clock and ClockReader' "$programs/Clock hci0" "$programs/ClockReader hci1" \
  'found Desk Clock at ' "it is $date" "now it is $date" 'has connected' 'a central has subscribed' 'has read'
both 'serve and ClockReader' "$serve" "$programs/ClockReader hci1" "now it is $date" 'subscribed'
both 'Clock and subscribe' "$programs/Clock hci0" "$subscribe" "$date" 'a central has subscribed'
both 'serve and subscribe' "$serve" "$subscribe" "Z.$date" 'subscribed'
