#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plays parts of the tests, several pieces at a time, and prints how each part ended. A piece that did not run is a failure.
#
#   Scripts/test.sh                             what `make test` plays
#   Scripts/test.sh --all                       what `make test-all` plays: every part
#   Scripts/test.sh unit systems/log            these parts and pieces; a single piece prints what it does as it goes
#
# Scripts/parts.sh has the commands; what a piece printed is in .build/test-results/PART/PIECE.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# The programs that only tests and benchmarks run are built too.
export BLECTL_TOOLS=1
# shellcheck source=Scripts/parts.sh
. Scripts/parts.sh
results=.build/test-results chosen=()

choose() { # NAME…: adds the pieces of these names to those that are played
  local name piece
  for name; do
    [[ " ${pieces[*]/%//}" = *" $name/"* ]] || { echo "test: no part $name; there are: ${pieces[*]}" >&2 && exit 64; }
    for piece in "${pieces[@]}"; do
      [[ $piece/ != "$name"/* || " ${chosen[*]} " = *" $piece "* ]] || chosen+=("$piece")
    done
  done
}
jobs=6
case ${1-} in
  '') choose static build/tests contract command-line unit real/core ;;
  # Beside three virtual machines.
  --all) chosen=("${pieces[@]}") jobs=4 ;;
  *)
    choose "$@"
    # One builds what several run.
    [ ${#chosen[@]} = 1 ] || choose build/tests
    [[ " $* " != *' '@(packages|real|systems)' '* ]] || choose build
    ;;
esac

# Notes in PIECE.result how many tests passed, or "failed", when it began and ended, and the seconds of a processor.
run() { # PIECE
  local log=$results/$1.log started=$SECONDS status=0 count processor TIMEFORMAT='%0U + %0S'
  mkdir -p "${log%/*}"
  exec 3>&1
  processor=$({ time eval "${commands[$1]}" 2>&1 3>&- | keep "$log" >&3; } 2>&1) || status=1
  # Swift Testing ends with "Test run with N tests in M suites passed"; what does not count its tests counts as one.
  count=$(sed -nE 's/.*Test run with ([0-9]+) tests?\b.*/\1/p' "$log" | tail -1)
  if [ "$count" = 0 ]; then
    echo "test: $1 ran no test" | keep "$log" -a
    status=1
  fi
  [ "$status" = 0 ] || count=failed
  echo "${count:=1} $started $SECONDS $((processor))" >"$results/$1.result"
  # One at a time, since others end too.
  {
    flock 9
    echo "== $1: $count$([ "$status" != 0 ] || echo ' passed'), $((SECONDS - started)) s"
  } 9<"$results"
}
keep() { # LOG [-a]: shows the output of a single piece as it comes
  if [ ${#chosen[@]} = 1 ]; then tee "${@:2}" "$1"; else tee "${@:2}" "$1" >/dev/null; fi
}
play() { # JOBS PIECE…
  local piece
  for piece in "${@:2}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do wait -n; done
    run "$piece" &
  done
  wait
}
of() { printf '%s\n' "${chosen[@]}" | grep -E "$1"; }
why() { # PIECE: its first failures, since others may follow from them, and what the rig noticed
  local log=$results/$1.log reasons
  echo "== $1, why:"
  [ -e "$results/$1.result" ] || { echo 'it did not run' && return; }
  reasons=$({
    grep -aE -A 3 '✘.*recorded an issue|Sanitizer:|: error: ' "$log" |
      grep -aE '✘.*recorded|↳|Sanitizer:|: error: ' | head -20
    grep -aE '^rig: ' "$log"
  } | cut -c 1-600)
  # Not both: who reads only the end of a long output would miss the reasons.
  if [ -n "$reasons" ]; then echo "$reasons"; else tail -10 "$log"; fi
}

# Ctrl-C does not reach what runs in the background.
trap 'trap "" TERM; kill 0; exit 130' INT TERM
for piece in "${chosen[@]}"; do rm -f "$results/$piece.result"; done

if [ ${#chosen[@]} = 1 ]; then
  run "${chosen[0]}"
else
  # Programs that others run and install. They do not build them again: Scripts/built.sh says why.
  mapfile -t first < <(of '^(static|build)')
  play 2 "${first[@]}"
  BLECTL_BUILT=''
  for piece in tests release; do
    read -r count _ <"$results/build/$piece.result" && [ "$count" != failed ] && BLECTL_BUILT+=" $piece"
  done 2>/dev/null
  export BLECTL_BUILT
  # On two processors: a virtual machine computes most of its time, the others usually wait.
  mapfile -t machines < <(of '^real/')
  mapfile -t others < <(of . | grep -vE '^(static|build|real/)')
  play 3 "${machines[@]}" &
  play "$jobs" "${others[@]}" &
  wait
fi

echo
passed=0 failed=()
for part in $(printf '%s\n' "${chosen[@]%/*}" | awk '!seen[$0]++'); do
  count=0 processor=0 begin=$SECONDS end=0 wrong=()
  for piece in $(of "^$part(/|$)"); do
    some=failed started=$SECONDS ended=0 used=0
    [ -e "$results/$piece.result" ] && read -r some started ended used <"$results/$piece.result"
    if [ "$some" = failed ]; then wrong+=("$piece"); else count=$((count + some)); fi
    processor=$((processor + used)) begin=$((started < begin ? started : begin)) end=$((ended > end ? ended : end))
  done
  passed=$((passed + count)) failed+=("${wrong[@]}")
  printf '%-18s %5d passed in %4d s (%4d s of a processor)%s\n' \
    "$part" "$count" $((end > begin ? end - begin : 0)) "$processor" "${wrong[*]:+, FAILED: ${wrong[*]}}"
done
for piece in "${failed[@]}"; do why "$piece" >&2; done
echo
echo "$passed passed, ${#failed[@]} failed, in $((SECONDS / 60)) min"
[ ${#failed[@]} = 0 ]
