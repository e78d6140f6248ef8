#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every fuzzer for some seconds (20 when not said), with the address sanitizer. What it finds is left in Fuzz/, and
# is a failure. With --grow, what was learnt is added to the corpora.
#
#   Scripts/fuzz.sh [SECONDS] [--grow]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-20}
grow=${2:-}
export BLECTL_FUZZ=1
# Leaks are not looked for: Swift's own statics are taken for some.
export ASAN_OPTIONS=detect_leaks=0

for name in Wire Values Advertisements Characteristics Worlds; do
  # lld, since gold fails on what the sanitizer brings; a scratch path of its own, since all is compiled differently.
  swift build --scratch-path .build-fuzz --product "Fuzz$name" \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xlinker -lstdc++ 2>&1 |
    { grep -E '(error|warning): |^Build' || true; } >&2
  corpus=Fuzz/Corpus/$name
  work=$(mktemp -d)
  mkdir -p "$corpus"
  options=(-max_total_time="$seconds" -max_len=4096 -print_final_stats=1 -artifact_prefix="Fuzz/$name-")
  [ -f "Fuzz/${name,,}.dict" ] && options+=(-dict="Fuzz/${name,,}.dict")
  log=$work/log
  if ! .build-fuzz/debug/"Fuzz$name" "${options[@]}" "$work" "$corpus" >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "fuzz: $name found something" >&2
    exit 1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz: $name: ${executions:-no} executions in $seconds s, nothing found"
  [ "${executions:-0}" -gt 0 ] || exit 1
  if [ "$grow" = --grow ]; then
    rm -f "$work/log"
    merged=$(mktemp -d)
    .build-fuzz/debug/"Fuzz$name" -merge=1 -max_len=4096 "$merged" "$corpus" "$work" >/dev/null 2>&1
    rm -rf "$corpus"
    mv "$merged" "$corpus"
    chmod 755 "$corpus"
  fi
  rm -rf "$work"
done
