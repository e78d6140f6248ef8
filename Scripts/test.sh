#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every test there is, part by part, with a count of each at the end. A part that did not run is a failure.
#
#   Scripts/test.sh                 all parts
#   Scripts/test.sh unit contract   some parts
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

all=(
  static build unit contract end-to-end completions manual
  log
  screens
  clients
  fidelity
  real
  examples
  recipes
  package
  comparison
  start-up
  thread-sanitizer address-sanitizer
  fuzzers
  docs
)
parts=("$@")
[ ${#parts[@]} = 0 ] && parts=("${all[@]}")

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=()
passed=0
summary=()

# Swift Testing ends with "Test run with N tests in M suites passed". A run without tests counts as a failure.
count_tests() { # LOG
  sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p' "$1" | tail -1
}

run() { # PART COMMAND…: a part whose log tells how many tests passed
  local part=$1 log=$results/$1.log start=$SECONDS count
  shift
  echo "== $part" >&2
  if "$@" 2>&1 | tee "$log"; then
    count=$(count_tests "$log")
    if [ "${count:-0}" -gt 0 ]; then
      summary+=("$(printf '%-18s %4s tests passed in %3d s' "$part" "$count" $((SECONDS - start)))")
      passed=$((passed + count))
      return
    fi
    echo "test: $part ran no test" >&2
  fi
  failed+=("$part")
  summary+=("$(printf '%-18s FAILED after %d s' "$part" $((SECONDS - start)))")
}

step() { # PART COMMAND…: a part that passes or fails as a whole
  local part=$1 start=$SECONDS
  shift
  echo "== $part" >&2
  if "$@" 2>&1 | tee "$results/$part.log"; then
    summary+=("$(printf '%-18s passed in %3d s' "$part" $((SECONDS - start)))")
    passed=$((passed + 1))
  else
    failed+=("$part")
    summary+=("$(printf '%-18s FAILED after %d s' "$part" $((SECONDS - start)))")
  fi
}

# The last lines of a long log are what is read first: they name what failed.
why() { # PART
  local log=$results/$1.log
  echo "== $1, why:"
  grep -aE '^✘ .*recorded an issue|Sanitizer:|: error: ' "$log" | cut -c 1-600 | tail -20 | grep . ||
    tail -10 "$log"
} >&2

build_tests() { swift build --build-tests; }

# Installed in a fresh Debian 12 too where we are root, which a chroot needs.
package() {
  local options=()
  [ "$(id -u)" = 0 ] && options=(--chroot)
  make --no-print-directory build && Scripts/package.sh "${options[@]}"
}

manual() { swift build --product blectl && Scripts/manual.sh; }

completions() { swift build --product blectl && Scripts/completions.sh; }

tests() { # FILTER…: tests of the debug build
  build_tests && swift test --skip-build --disable-xctest --no-parallel "$@"
}

# The bundle runs in the guest as it is: it sees this machine's files.
in_rig() { # FILTER RIG-OPTION…
  local filter=$1 bundle
  shift
  build_tests || return
  bundle=$(ls -d "$PWD"/.build/debug/*PackageTests.xctest) || return 1
  Tests/Rig/run.sh --timeout 900 --env BLECTL_CONTRACT=real "$@" -- \
    "$bundle" --testing-library swift-testing --filter "$filter" --no-parallel
}

# What bluetoothd shows is compared with the recording first, while it is as new as it was then.
real() {
  local bundle
  build_tests || return
  bundle=$(ls -d "$PWD"/.build/debug/*PackageTests.xctest) || return 1
  # shellcheck disable=SC2016  # for the guest to expand
  Tests/Rig/run.sh --timeout 900 --env BLECTL_CONTRACT=real --env BUNDLE="$bundle" -- sh -c '
    $RIG_PYTHON Tests/Fidelity/observe.py >/tmp/observed.txt &&
      $RIG_PYTHON Tests/Fidelity/compare.py --recorded /tmp/observed.txt || exit 1
    rig-world reset && rig-bluetoothd forget &&
      "$BUNDLE" --testing-library swift-testing --filter ContractTests --no-parallel'
}

# What the simulator shows is compared with what a real bluetoothd has shown.
fidelity() {
  local python
  build_tests && python=$(Scripts/clients.sh --python) && "$python" Tests/Fidelity/compare.py
}

clients() { build_tests && Scripts/clients.sh; }

# What bluetoothd offers only with its experimental features on, in a boot of its own.
real_experimental() {
  in_rig ContractTests.Contract/Passive --bluetoothd -E --env BLECTL_CONTRACT_EXPERIMENTAL=1
}

# Leaks are not looked for: Swift keeps its pointers to the counts of weak references shifted, where the sanitizer does
# not find them, and it calls all that hangs on them lost.
sanitized() { # NAME FILTER…
  local name=$1
  shift
  TSAN_OPTIONS="halt_on_error=0 exitcode=66" ASAN_OPTIONS="detect_leaks=0" \
    swift test --sanitize="$name" --scratch-path ".build-$name" --disable-xctest --no-parallel "$@"
}

for part in "${parts[@]}"; do
  case $part in
    static) step static Scripts/check.sh ;;
    build) step build build_tests ;;
    unit) run unit tests --skip ContractTests --skip EndToEndTests ;;
    contract) run contract tests --filter ContractTests ;;
    end-to-end) run end-to-end tests --filter EndToEndTests ;;
    clients) run clients clients ;;
    fidelity) step fidelity fidelity ;;
    real)
      run real real
      run real-experimental real_experimental
      ;;
    start-up) step start-up Scripts/start-up.sh ;;
    package) step package package ;;
    manual) step manual manual ;;
    completions) step completions completions ;;
    examples) step examples Scripts/examples.sh ;;
    log) step log Tests/Log/run.sh ;;
    screens) step screens Tests/Screens/run.sh ;;
    recipes) step recipes Scripts/recipes.sh ;;
    comparison) step comparison Scripts/compare.sh ;;
    thread-sanitizer) run thread-sanitizer sanitized thread --skip EndToEndTests ;;
    address-sanitizer) run address-sanitizer sanitized address --skip EndToEndTests ;;
    fuzzers) step fuzzers Scripts/fuzz.sh "${FUZZ_SECONDS:-40}" ;;
    docs) step docs Scripts/docs.sh ;;
    *)
      echo "test: no such part: $part (there are: ${all[*]})" >&2
      exit 64
      ;;
  esac
done

echo
printf '%s\n' "${summary[@]}"
echo
echo "$passed passed, ${#failed[@]} failed"
if [ ${#failed[@]} != 0 ]; then
  for part in "${failed[@]}"; do why "$part"; done
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
