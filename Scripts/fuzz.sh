#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the fuzzers for some seconds each (default 40), with the address sanitizer, as many at a time as there are
# processors. An input that breaks something is a failure, and stays in .build-fuzz.
#
#   Scripts/fuzz.sh [--grow] [SECONDS] [NAME…]
#
# --grow adds the new inputs to Fuzz/Corpus. Nothing is optimized: the compiler of Swift 6.3.1 crashes on that.
set -euo pipefail
cd "$(dirname "$0")/.."

# The fuzzers share a build with the tests that run under the address sanitizer.
build=.build-address grow='' seconds=40
while [ $# -gt 0 ]; do
  case $1 in
    --grow) grow=1 ;;
    *) break ;;
  esac
  shift
done
[[ "${1-}" =~ ^[0-9]+$ ]] && seconds=$1 && shift
names=("$@")
[ ${#names[@]} != 0 ] || mapfile -t names < <(basename -s .txt Fuzz/Corpus/*.txt)
for name in "${names[@]}"; do
  [ -f "Fuzz/Corpus/$name.txt" ] || { echo "fuzz: no Fuzz/Corpus/$name.txt" >&2 && exit 64; }
done
program=$build/debug/fuzz
# libFuzzer reports a crash itself; the backtracer of Swift would take the signal before it.
export SWIFT_BACKTRACE=enable=no
# Leaks are not looked for: Swift's own statics are taken for some.
export ASAN_OPTIONS=detect_leaks=0

fuzz() { # NAME
  local name=$1 corpus=.build-fuzz/corpus/$1 found=.build-fuzz/$1- log=.build-fuzz/$1.log executions options
  export BLECTL_FUZZER=$name
  rm -rf "$corpus" "$corpus.new"
  mkdir -p "$corpus.new"
  Fuzz/corpus.py unpack "$name" "$corpus"
  # FuzzMain limits the seconds of a processor that an input may take; this limit, of real seconds, is for one
  # that waits for ever.
  options=(-max_total_time="$seconds" -timeout=1800 -max_len=4096 -print_final_stats=1 -artifact_prefix="$found")
  [ -f "Fuzz/Dictionaries/$name.dict" ] && options+=(-dict="Fuzz/Dictionaries/$name.dict")
  if ! $program "${options[@]}" "$corpus.new" "$corpus" >"$log" 2>&1; then
    tail -40 "$log" >&2
    echo "fuzz: $name found something. When it is fixed: Fuzz/corpus.py keep $name FILE 'what it was'" >&2
    return 1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz: $name: ${executions:-no} executions in $seconds s, nothing found"
  if [ -n "$grow" ]; then
    $program -merge=1 -use_counters=0 -max_len=4096 "$corpus" "$corpus.new" >"$log" 2>&1
    Fuzz/corpus.py pack "$name" "$corpus"
  fi
  [ "${executions:-0}" -gt 0 ]
}

Scripts/parts/sanitizers.sh address --build

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
