#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the example programs as a stranger would, with the library's public API only, and runs them on a simulated
# BlueZ. Each must do its whole job, in under 60 lines of source.
set -euo pipefail
cd "$(dirname "$0")/../../.."

blectl=${BLECTL:-.build/debug/blectl}
[ -x "$blectl" ] || swift build --product blectl
swift build --package-path Examples
programs=$(swift build --package-path Examples --show-bin-path)

for source in Examples/Sources/*/*.swift; do
  lines=$(wc -l <"$source")
  [ "$lines" -lt 60 ] || { echo "examples: $source has $lines lines: 59 at most" >&2 && exit 1; }
done

check() { # NAME OUTPUT WORDS…: looks for the words in what was printed
  local name=$1 output=$2 word
  shift 2
  for word in "$@"; do
    grep -qE -- "$word" <<<"$output" || { echo "examples: $name did not print $word: $output" >&2 && exit 1; }
  done
  echo "examples: $name printed $(wc -l <<<"$output") lines"
}

play() { # PROGRAM WORDS…
  local program=$1 output
  shift
  output=$(timeout 60 "$blectl" simulate -- "$programs/$program") || { echo "examples: $program failed: $output" >&2 && exit 1; }
  check "$program" "$output" "$@"
}

play_both() { # NAME PERIPHERAL CENTRAL WORDS…: two commands of two adapters
  local name=$1 peripheral=$2 central=$3 output
  shift 3
  output=$(timeout 60 "$blectl" simulate --adapters 2 -- Tests/System/Examples/both.sh "$peripheral" "$central") ||
    { echo "examples: $name failed: $output" >&2 && exit 1; }
  check "$name" "$output" "$@"
}

play Wristband 'found MI Band 2 at C8:0F:10:01:02:03' 'software revision V1\.0\.1\.81' '64 beats per minute'
play Piano '<9f5400>' '<9f5472>'

date='20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}'
uuid=c10c0002-5c0e-4b1e-a5d2-6b2f0c7e91aa
export BLECTL=$blectl
play_both 'Clock and ClockReader' "$programs/Clock hci0" "$programs/ClockReader hci1" \
  'found Desk Clock at 00:1A' "it is $date" "now it is $date" 'has connected' 'a central has subscribed' 'has read'
play_both 'serve and ClockReader' "$blectl serve Examples/recipes/clock.json -i hci0" "$programs/ClockReader hci1" \
  "now it is $date" 'subscribed'
play_both 'Clock and subscribe' "$programs/Clock hci0" "$blectl subscribe Desk* $uuid --as utf8 --count 3 -i hci1" \
  "$date" 'a central has subscribed'
play_both 'serve and subscribe' "$blectl serve Examples/recipes/clock.json -i hci0" \
  "$blectl subscribe Desk* $uuid --as utf8 --count 3 -i hci1" "Z.$date" 'subscribed'
