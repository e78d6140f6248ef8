#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the command of a part, and notes in $RESULTS/PART how it ended: how many tests passed, or "failed", the seconds that
# it took, and those of a processor. What it prints is in $RESULTS/PART.log; a failure shows it, and $STREAM as it comes.
#
#   Scripts/parts/run.sh PART COMMAND…
set -uo pipefail
part=$1 RESULTS=${RESULTS:-.build/tests} TIMEFORMAT='%U %S'
log=$RESULTS/$part.log
mkdir -p "$RESULTS"
show() { if [ -n "${STREAM-}" ]; then tee "$log"; else cat >"$log"; fi; }

{ time "${@:2}" 2>&1; } 2>"$RESULTS/$part.time" | show
status=$?
# Swift Testing ends with "Test run with N tests in M suites passed"; what does not count its tests counts as one.
count=$(sed -nE 's/.*Test run with ([0-9]+) tests?\b.*/\1/p' "$log" | tail -1)
if [ "$count" = 0 ]; then
  echo "test: $part ran no test" | tee -a "$log"
  status=1
fi
[ "$status" = 0 ] || count=failed
echo "${count:=1} $SECONDS $(awk '{ printf "%d", $1 + $2 }' "$RESULTS/$part.time")" >"$RESULTS/$part"
echo "== $part: $count$([ "$count" = failed ] || echo ' passed'), $SECONDS s"
[ "$status" = 0 ] || [ -n "${STREAM-}" ] || cat "$log"
exit "$status"
