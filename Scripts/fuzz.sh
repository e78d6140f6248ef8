#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every fuzzer for some seconds (40 when not said), with the address sanitizer, as many at a time as there are
# processors. What one finds is left in Fuzz/, and is a failure. With --grow, what was learnt is added to the corpora.
#
#   Scripts/fuzz.sh [SECONDS] [--grow]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-40}
grow=${2:-}
names=(Wire Values Advertisements Characteristics Worlds Bus Arguments)
export BLECTL_FUZZ=1
# libFuzzer tells of a crash itself; the backtracer of Swift would take the signal before it.
export SWIFT_BACKTRACE=enable=no
# Leaks are not looked for: Swift's own statics are taken for some.
export ASAN_OPTIONS=detect_leaks=0

fuzz() { # NAME
  local name=$1 corpus=Fuzz/Corpus/$1 work log merged executions options
  work=$(mktemp -d)
  log=$(mktemp)
  mkdir -p "$corpus"
  options=(-max_total_time="$seconds" -timeout=60 -max_len=4096 -print_final_stats=1 -artifact_prefix="Fuzz/$name-")
  [ -f "Fuzz/${name,,}.dict" ] && options+=(-dict="Fuzz/${name,,}.dict")
  if ! .build-fuzz/debug/"Fuzz$name" "${options[@]}" "$work" "$corpus" >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "fuzz: $name found something" >&2
    return 1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz: $name: ${executions:-no} executions in $seconds s, nothing found"
  if [ "$grow" = --grow ]; then
    merged=$(mktemp -d)
    .build-fuzz/debug/"Fuzz$name" -merge=1 -use_counters=0 -max_len=4096 "$merged" "$corpus" "$work" >/dev/null 2>&1
    rm -rf "$corpus"
    mv "$merged" "$corpus"
    chmod 755 "$corpus"
  fi
  rm -rf "$work" "$log"
  [ "${executions:-0}" -gt 0 ]
}

for name in "${names[@]}"; do
  # lld, since gold fails on what the sanitizer brings; a scratch path of its own, since all is compiled differently:
  # optimised, but so that what is internal can be reached.
  swift build --scratch-path .build-fuzz --product "Fuzz$name" \
    -Xswiftc -O -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xlinker -lstdc++ 2>&1 |
    { grep -E '(error|warning): |^Build' || true; } >&2
done

status=0
running=0
for name in "${names[@]}"; do
  if [ "$running" -ge "$(nproc)" ]; then
    wait -n || status=1
  else
    running=$((running + 1))
  fi
  fuzz "$name" &
done
while [ "$running" -gt 0 ]; do
  wait -n || status=1
  running=$((running - 1))
done
exit "$status"
