#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the example programs as a stranger would, with the library's public API only, and runs them on a simulated
# BlueZ. Each must do its whole job, in under 60 lines of source.
set -euo pipefail
cd "$(dirname "$0")/../../.."

blectl=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
swift build --package-path Examples
programs=$(swift build --package-path Examples --show-bin-path)

# SwiftPM takes executables of a dependency into the build of everything after these steps. Without its trait, blectl
# cannot be built.
client=$(mktemp -d)
trap 'rm -rf "$client"' EXIT
sed "s|path: \"..\"|path: \"$PWD\"|" Examples/Package.swift >"$client/Package.swift"
cp -r Examples/Sources "$client"
swift build --package-path "$client"
echo '// edited' >>"$client/Package.swift"
swift build --package-path "$client" --product Piano
swift build --package-path "$client"

for source in Examples/Sources/*/*.swift; do
  lines=$(wc -l <"$source")
  [ "$lines" -lt 60 ] || { echo "examples: $source has $lines lines: 59 at most" >&2 && exit 1; }
done

play() { # PROGRAM WORDS…: runs it, and looks for the words in what it prints
  local program=$1 output word
  shift
  output=$(timeout 60 "$blectl" simulate -- "$programs/$program") || { echo "examples: $program failed: $output" >&2 && exit 1; }
  for word in "$@"; do
    grep -qF -- "$word" <<<"$output" || { echo "examples: $program did not print $word: $output" >&2 && exit 1; }
  done
  echo "examples: $program printed $(wc -l <<<"$output") lines"
}

play Wristband 'found MI Band 2 at C8:0F:10:01:02:03' 'software revision V1.0.1.81' '64 beats per minute'
play Piano '<9f5400>' '<9f5472>'

BLECTL=$blectl timeout 300 "$blectl" simulate --adapters 2 -- Tests/System/Examples/clocks.sh
