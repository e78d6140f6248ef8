#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the example programs, and those of the README and of BLEPeripheral's documentation, as a stranger would, with the
# library's public API only, and runs them on a simulated BlueZ. Each must do its whole job, in under 60 lines of source,
# and end with one line where there is no bus.
set -euo pipefail
cd "$(dirname "$0")/../../.."

blectl=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
swift build --package-path Examples
programs=$(swift build --package-path Examples --show-bin-path)

# SwiftPM takes executables of a dependency into the build of everything after these steps. Without its trait, blectl
# cannot be built.
client=$(mktemp -d)
trap 'rm -rf "$client"' EXIT
sed "s|path: \"..\"|path: \"$PWD\"|; s|(\"Wristband\", |(\"Readme\", \"BLECentral\"), (\"Strap\", \"BLEPeripheral\"), &|" \
  Examples/Package.swift >"$client/Package.swift"
cp -r Examples/Sources "$client"
program() { # PAGE NAME: the first program on a page, as one of the package
  mkdir "$client/Sources/$2"
  # shellcheck disable=SC2016 # The backquotes are those of the page.
  sed -n '/^```swift$/,/^```$/{/^```$/q;/^```/!p}' "$1" >"$client/Sources/$2/main.swift"
}
program README.md Readme
program Sources/Bluetooth/BLEPeripheral/BLEPeripheral.docc/BLEPeripheral.md Strap
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

built=$(swift build --package-path "$client" --show-bin-path)
beats=$(timeout 60 "$blectl" simulate -- "$built/Readme")
[ "$(wc -l <<<"$beats")" = 5 ] || { echo "examples: the program of the README printed: $beats" >&2 && exit 1; }
for program in Readme Strap Wristband Piano Clock ClockReader; do
  output=$(DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent timeout 60 "$built/$program" 2>&1 || true)
  [[ $output == *"cannot "* && $(wc -l <<<"$output") = 1 ]] ||
    { echo "examples: without a bus, $program printed: $output" >&2 && exit 1; }
done
echo "examples: without a bus, each ends with one line"

play Wristband 'found MI Band 2 at C8:0F:10:01:02:03' 'software revision V1.0.1.81' '64 beats per minute'
play Piano '<9f5400>' '<9f5472>'

BLECTL=$blectl timeout 300 "$blectl" simulate --adapters 2 -- Tests/System/Examples/clocks.sh
