#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions that both scenes include: programs that run beside the script, and the lines that they print.

# shellcheck disable=SC2154  # run.sh sets it
folder=$(mktemp -d)
running=()
stop_all() {
  local pid
  for pid in "${running[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap stop_all EXIT

fail() {
  echo "core-bluetooth: $*" >&2
  exit 1
}

# Starts a program, whose lines go to a file of its name.
start() { # PROGRAM
  : >"$folder/$1"
  "$programs/$1" >"$folder/$1" 2>&1 &
  running+=($!)
}

stop() { # PROGRAM…, all of them
  local pid
  for pid in "${running[@]}"; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  running=()
  [ $# = 0 ] || echo "core-bluetooth: $* passed"
}

# Waits until a program has printed words, in that many lines.
sees() { # PROGRAM WORDS [TIMES]
  local follower
  # A pipe with a name: the guest of the rig has no /dev/fd.
  rm -f "$folder/pipe" && mkfifo "$folder/pipe"
  tail -n +1 -f --pid=$$ "$folder/$1" >"$folder/pipe" 2>/dev/null &
  follower=$!
  timeout 120 grep -E -m "${3:-1}" -- "$2" <"$folder/pipe" >"$folder/seen" || true
  kill "$follower" 2>/dev/null || true
  [ "$(wc -l <"$folder/seen")" = "${3:-1}" ] ||
    fail "$1 did not print '$2' ${3:-1} times: $(tail -n 40 "$folder/$1")"
}
