#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Records in Scripts/start-order.txt which functions common commands call; Scripts/build.sh links them side by side. The
# kernel maps 16 pages around each one that is touched: in a program of 24 MB of code, commands hold 5.6 MiB less.
#
# Run it when Tests/System/StartUp/run.sh reports more memory than it allows. Names that no longer exist do no harm.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh valgrind
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# valgrind fails on the debug information; it needs the names.
strip --strip-debug -o "$folder/blectl" "$(Scripts/built.sh --shipped)/blectl"

number=0
record() { # ARGUMENT…
  number=$((number + 1))
  echo "order: blectl $*" >&2
  "$folder/blectl" simulate -- valgrind -q --tool=callgrind --demangle=no --compress-strings=no \
    --callgrind-out-file="$folder/calls.$number" "$folder/blectl" "$@" >"$folder/answer"
}

record scan --duration 2s
record read 'Heart Strap' battery-level
record read 'Heart Strap' manufacturer-name-string --json
record subscribe 'Heart Strap' heart-rate-measurement --count 3
record subscribe 'Heart Strap' heart-rate-measurement --count 3 --json
record write 'Heart Strap' heart-rate-control-point 0x01
record info 'Heart Strap'
record listen --duration 2s
record devices
record connect 'Heart Strap'

# Those that most commands call come first.
awk '
  FNR == 1 { command++; program = 0 }
  /^ob=/ { program = ($0 ~ /\/blectl$/) }
  /^fn=/ && program {
    name = substr($0, 4)
    sub(/\x27[0-9]+$/, "", name)
    if (name !~ /^(0x|\(below|[0-9])/ && seen[name] != command) { seen[name] = command; count[name]++ }
  }
  END { for (name in count) printf "%02d %s\n", 99 - count[name], name }
' "$folder"/calls.* | LC_ALL=C sort | cut -d' ' -f2 >"$folder/order"
count=$(wc -l <"$folder/order")
[ "$count" -gt 3000 ] || { echo "order: $count functions: the program has no names" >&2; exit 1; }
mv "$folder/order" Scripts/start-order.txt
echo "order: $count functions; build the program again" >&2
