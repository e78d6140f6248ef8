#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plays parts of the tests, several at a time, and prints how each ended. A part that did not run is a failure.
#
#   Scripts/test.sh                  what `make test` plays
#   Scripts/test.sh --all            what `make test-all` plays: every part
#   Scripts/test.sh unit contract    these parts; only one prints what it does as it goes
#
# The commands of the parts are in Scripts/parts.mk; what a part printed is in .build/tests/PART.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

usual=(static build contract-losses contract contract-commands end-to-end unit messages real-core)
# The longest first, so that none of them is left over at the end.
rest=(tools release swift-6.2 thread-sanitizer contract-5.82 contract-5.87 contract-slow chaos package screens address-sanitizer
  fuzzers log clients fidelity brokers gateway page completions hosts docs examples testing comparison recipes
  core-bluetooth start-up manual serial real-outages real-slow real real-serving real-serial real-5.82 real-5.87 real-examples
  real-core-bluetooth real-experimental real-bonds)

jobs=6
case ${1-} in
  '') parts=("${usual[@]}") ;;
  # Beside three virtual machines.
  --all) parts=("${usual[@]}" "${rest[@]}") jobs=4 ;;
  *)
    parts=("$@")
    # Not one beside the other.
    if [ $# -gt 1 ] && [[ " $* " != *' build '* ]]; then parts=(build "$@"); fi
    ;;
esac
all=" ${usual[*]} ${rest[*]} "
for part in "${parts[@]}"; do
  [[ $all = *" $part "* ]] || { echo "test: no such part: $part (there are:$all)" >&2 && exit 64; }
done

# The programs that only tests and benchmarks run are built too.
export BLECTL_TOOLS=1 RESULTS=.build/tests
mkdir -p "$RESULTS"
for part in "${parts[@]}"; do rm -f "$RESULTS/$part"; done

# Ctrl-C does not reach what runs in the background.
trap 'trap "" TERM; kill 0; exit 130' INT TERM

chosen() { printf '%s\n' "${parts[@]}" | grep -E "$1"; }
play() { # JOBS PART…
  [ $# -gt 1 ] && make --no-print-directory --makefile Scripts/parts.mk --output-sync=target --jobs "$1" "${@:2}"
}

if [ ${#parts[@]} = 1 ]; then
  STREAM=1 make --no-print-directory --makefile Scripts/parts.mk "${parts[0]}"
else
  # Programs that others run and install. They do not build them again: Scripts/built.sh says why.
  mapfile -t first < <(chosen '^(static|tools|build|release)$')
  play 2 "${first[@]}"
  built=''
  for part in build release; do read -r count _ <"$RESULTS/$part" && [ "$count" != failed ] && built+=" $part"; done 2>/dev/null
  export BLECTL_BUILT=$built
  # On two processors: a virtual machine computes most of its time, the others usually wait.
  mapfile -t machines < <(chosen '^real')
  mapfile -t others < <(chosen . | grep -vE '^(static|tools|build|release|real.*)$')
  play 3 "${machines[@]}" &
  play "$jobs" "${others[@]}" &
  wait
fi

echo
passed=0 failed=()
for part in "${parts[@]}"; do
  count=failed seconds=0 processor=0
  [ -e "$RESULTS/$part" ] && read -r count seconds processor <"$RESULTS/$part"
  if [ "$count" = failed ]; then
    printf '%-20s FAILED after %d s\n' "$part" "$seconds"
    failed+=("$part")
  else
    passed=$((passed + count))
    printf '%-20s %5d passed in %4d s (%4d s of a processor)\n' "$part" "$count" "$seconds" "$processor"
  fi
done
[ ${#failed[@]} = 0 ] || Scripts/parts/why.sh "${failed[@]}" >&2
echo
echo "$passed passed, ${#failed[@]} failed, in $((SECONDS / 60)) min"
[ ${#failed[@]} = 0 ]
