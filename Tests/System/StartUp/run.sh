#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cost of a start, in instructions, as multiples of a C program that loads libdbus and prints a line; and the most
# memory that commands take. Unlike time, both are the same on a busy machine.
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh valgrind
built=$(Scripts/built.sh --shipped)
# On a tmpfs: elsewhere, the system may map a file by megabytes, and all of them count as memory of the process.
folder=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$folder"' EXIT
# valgrind fails on the debug information.
strip -o "$folder/blectl" "$built/blectl"
# shellcheck disable=SC2046  # several flags
"${CC:-cc}" -std=c17 -O2 -o "$folder/floor" Benchmarks/baseline/version.c $(pkg-config --cflags --libs dbus-1)

instructions() { # PROGRAM ARGUMENT…, which may fail
  { valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$@" 2>&1 >"$folder/answer" || true; } |
    sed -nE 's/.*Collected : ([0-9]+).*/\1/p'
}

floor=$(instructions "$folder/floor")
status=0
start_up() { # LIMIT ARGUMENT…: in tenths of the floor
  local limit=$1 count
  shift
  count=$(instructions "$folder/blectl" "$@")
  echo "start-up: blectl $*: $count instructions, $((count / floor)).$((count * 10 / floor % 10)) × the floor"
  [ $((count * 10)) -le $((floor * limit)) ] && return
  echo "start-up: blectl $* takes more than $((limit / 10)).$((limit % 10)) times the instructions of the floor" >&2
  status=1
}

# Parsing takes most of it: ArgumentParser finds the options of a command by reflection, and the runtime looks through all
# conformances of the program for each type that it meets first, such as that of an option. The tree of all commands would
# add 3 million instructions, a whole C program 1.3.
start_up 35 --version
start_up 142 uuid heart-rate
grep -q '^180d' "$folder/answer"
DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent start_up 158 read F0:F1:F2:F3:F4:F5 2a19

# Profiles: none costs nothing, and 50 files of 20 entries at most 3 ms more, where a command needs a name: with 17 million
# instructions, 1.6 to 2.7 ms were measured.
mkdir -p "$folder/none" "$folder/empty/blectl/profiles" "$folder/many/blectl/profiles"
for file in {1..50}; do
  entries=
  for entry in {1..20}; do
    entries+=$(printf ',\n{"uuid": "b1ec%02x%02x-5c0e-4b1e-a5d2-6b2f0c7e91aa", "name": "value %d of %d", "layout": "temperature=i16*0.01°C humidity=u8*0.5%%"}' \
      "$file" "$entry" "$entry" "$file")
  done
  echo "{\"characteristics\": [${entries#,}]}" >"$folder/many/blectl/profiles/$file.json"
done
profiles() { # FLOORS ARGUMENT…: how much more they may add
  local limit=$1 none empty many
  shift
  none=$(XDG_CONFIG_HOME=$folder/none instructions "$folder/blectl" "$@")
  empty=$(XDG_CONFIG_HOME=$folder/empty instructions "$folder/blectl" "$@")
  many=$(XDG_CONFIG_HOME=$folder/many instructions "$folder/blectl" "$@")
  echo "start-up: blectl $*: 50 profiles of 20 entries add $((many - none)) instructions, an empty folder $((empty - none))"
  [ $((many - none)) -le $((floor * limit)) ] && [ $((empty - none)) -le $((floor / 20)) ] && return
  echo "start-up: profiles take more than $limit times the instructions of the floor, or their empty folder any" >&2
  status=1
}
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent
profiles 1 read F0:F1:F2:F3:F4:F5 2a19
profiles 15 read F0:F1:F2:F3:F4:F5 battery-level
profiles 15 uuid heart-rate
unset DBUS_SYSTEM_BUS_ADDRESS
XDG_CONFIG_HOME=$folder/many "$folder/blectl" uuid 'value 20 of 50' | grep -q '^b1ec3214'

# A little more than docs/raspberry-pi.md states: the largest resident set, two thirds of which are the program itself. A child
# inherits it from a large parent, so a small program starts it. The devices are simulated by another process. The least of three
# runs counts: how much of the program the kernel maps at once depends on what others have it read.
"${CC:-cc}" -std=c17 -O2 -o "$folder/measure" Benchmarks/baseline/measure.c
memory() { # MIB ARGUMENT…
  local limit=$1 state peak least=
  shift
  for _ in 1 2 3; do
    # shellcheck disable=SC2016  # for the inner shell
    "$folder/blectl" simulate -- sh -c '"$@" 3>"$0"' "$folder/memory" \
      "$folder/measure" 3 1 "$folder/blectl" "$@" >/dev/null
    read -r state _ _ peak _ <"$folder/memory"
    [ "$state" = 0 ] || break
    [ -n "$least" ] && [ "$least" -le "$peak" ] || least=$peak
  done
  echo "start-up: blectl $*: $least KiB"
  [ "$state" = 0 ] && [ "$least" -le $((limit * 1024)) ] && return
  echo "start-up: blectl $* fails, or takes more than $limit MiB" >&2
  status=1
}
memory 17 scan --duration 2s
memory 17 subscribe 'Heart Strap' heart-rate-measurement --count 3
memory 17 read 'Heart Strap' battery-level
exit "$status"
