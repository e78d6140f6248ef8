#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every test there is, part by part, with a count of each at the end. A part that did not run is a failure.
#
#   Scripts/test.sh                 all parts, some side by side
#   Scripts/test.sh --quick         those that need neither the rig nor a second build, some side by side
#   Scripts/test.sh unit contract   some parts, one after the other
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

# The programs that only tests and benchmarks run are built too.
export BLECTL_TOOLS=1

# Alone and in this order: the longest lanes wait for the build.
first=(static tools build release)
# The parts of a lane run one after the other, the lanes side by side: three with emulated machines, three that mostly wait,
# for radios and for the time of BlueZ, and one that compiles, which takes the processors that the others leave (nice). In
# each lane the longest parts come first, and the lanes are about as long as each other.
lanes=(
  'real real-serving'
  'real-outages real-5.82 real-5.87'
  'real-slow examples real-core-bluetooth real-experimental real-bonds'
  'end-to-end messages'
  'contract log screens unit'
  'chaos contract-5.82 contract-5.87 contract-slow clients fidelity brokers completions hosts comparison recipes start-up manual'
  'thread-sanitizer address-sanitizer fuzzers package core-bluetooth testing docs'
)
# Of a part whose tests wait, PART:A-L is the tests of the suites whose names begin with these letters.
if [ "${1-}" = --quick ]; then
  shift
  first=(static build)
  lanes=(
    'contract:A-L' 'contract:M-Z' 'end-to-end:A-L unit' 'end-to-end:M-R' 'end-to-end:S-Z' 'messages:A-R' 'messages:S-Z'
  )
fi
read -ra all <<<"${first[*]} ${lanes[*]}"

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# Only this process passes Ctrl-C on to the lanes.
trap 'trap "" TERM; kill 0; exit 130' INT TERM

# Swift Testing ends with "Test run with N tests in M suites passed".
count_tests() { # LOG
  sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p' "$1" | tail -1
}

# Notes how a part ended, in $results/PART: how many tests passed, or "failed", the seconds that it took, and those of a
# processor, since a part that waits can stand beside one that computes.
part() { # PART
  local part=$1 log=$results/$1.log start=$SECONDS count=failed TIMEFORMAT='%U %S'
  if { time play "$part" 2>&1; } 2>"$results/$part.time" | tee "$log"; then
    count=1
    # A run without tests is a failure.
    if counts "$part"; then
      count=$(count_tests "$log")
      [ "${count:-0}" -gt 0 ] || { count=failed && echo "test: $part ran no test" | tee -a "$log"; }
    fi
  fi
  echo "$count $((SECONDS - start)) $(awk '{ printf "%d", $1 + $2 }' "$results/$part.time")" >"$results/$part"
}

# What the part says is shown as it says it.
in_turn() { # PART…
  local name
  for name in "$@"; do
    echo "== $name"
    part "$name"
  done
}

# What the part says is shown when it has ended.
in_lane() { # PART…
  local name
  for name in "$@"; do
    echo "== $name begins"
    part "$name" >/dev/null
    {
      flock 9
      echo "== $name"
      cat "$results/$name.log"
    } 9<"$results"
  done
}

# What is read first: the first failures, since others may follow from them, and what the rig noticed.
why() { # PART
  local log=$results/$1.log reasons
  reasons=$({
    grep -aE -A 3 '✘.*recorded an issue|Sanitizer:|: error: ' "$log" |
      grep -aE '✘.*recorded|↳|Sanitizer:|: error: ' | head -20
    grep -aE '^rig: ' "$log"
  } | cut -c 1-600)
  echo "== $1, why:"
  # Not both: who reads only the end of a long output would miss the reasons.
  if [ -n "$reasons" ]; then echo "$reasons"; else tail -10 "$log"; fi
} >&2

# What is built is not built again beside parts that run it: Scripts/built.sh says why.
build_tests() { Scripts/built.sh --tests >/dev/null; }

# The binary that users get; prints its path.
released() {
  local folder
  folder=$(Scripts/built.sh --shipped) && echo "$folder/blectl"
}

# What parts install is installed before they run side by side.
tools() {
  local version
  Tests/System/Clients/run.sh --python && Tests/System/Rig/prepare.sh || return
  for version in "${newer[@]}"; do Tests/System/Rig/bluez.sh "$version" >/dev/null || return; done
  Scripts/setup.sh zsh fish mandoc tmux dpkg-dev lintian chrpath debootstrap valgrind mosquitto mosquitto-clients sqlite3
}

# Installed in a fresh Debian 12 too where we are root, which a chroot needs.
package() {
  local options=()
  [ "$(id -u)" = 0 ] && options=(--chroot)
  local blectl
  blectl=$(nice Scripts/built.sh --shipped)/blectl && BLECTL=$blectl nice Scripts/package.sh "${options[@]}"
}

# The tests of the debug build, built; prints their path.
bundle() {
  local folder
  folder=$(Scripts/built.sh --tests) && ls -d "$folder"/*PackageTests.xctest
}

# Those of a sanitizer, which has a build folder of its own.
sanitized() { ls -d "$PWD/$1"/debug/*PackageTests.xctest; } # FOLDER

# The bundle itself, since `swift test` would keep the build folder locked. `$letters` are those of PART:A-L.
tests() { # FILTER…: tests of the debug build
  local others=() bundle
  [ -z "$letters" ] || others=(--skip '^\w+\.(Contract/)?(?!Contract\b)'"[^$letters]")
  bundle=$(bundle) && "$bundle" --testing-library swift-testing --no-parallel "$@" "${others[@]}"
}

# The bundle runs in the guest as it is: it sees this machine's files. The commands that its tests start are the optimized
# ones that users get: on an emulated processor, a command that is not optimized costs nearly twice as much.
in_rig() { # FILTER RIG-OPTION…
  local filter=$1 bundle released
  shift
  bundle=$(bundle) && released=$(released) || return
  Tests/System/Rig/run.sh --timeout 3600 --env BLECTL_CONTRACT=real --env BLECTL="$released" "$@" -- \
    "$bundle" --testing-library swift-testing --filter "$filter" --no-parallel
}

# What bluetoothd shows is compared with the recording first, while it is as new as it was then.
real_and_recording() { # VERSION FILTER RIG-OPTION…
  local version=$1 filter=$2 bundle released
  shift 2
  bundle=$(bundle) && released=$(released) || return
  # shellcheck disable=SC2016  # for the guest to expand
  Tests/System/Rig/run.sh --timeout 3600 --env BLECTL_CONTRACT=real --env BLECTL_CONTRACT_BLUEZ="$version" \
    --env BLECTL="$released" --env BUNDLE="$bundle" --env FILTER="$filter" \
    --env SKIP="$outages|$serving|$twice" "$@" -- sh -c '
    $RIG_PYTHON Tests/System/Fidelity/observe.py >/tmp/observed.txt &&
      $RIG_PYTHON Tests/System/Fidelity/compare.py --bluez "$BLECTL_CONTRACT_BLUEZ" --recorded /tmp/observed.txt || exit 1
    rig-world reset && rig-bluetoothd forget &&
      "$BUNDLE" --testing-library swift-testing --filter "$FILTER" --skip "$SKIP" --no-parallel'
}

# The bluetoothds of Debian 13 and of Debian testing, beside the one that is installed.
newer=(5.82 5.87)

# The suites of the contract that are tried on them: those in which versions can differ, and no long waits. Pairing is not
# among them: when a device does not answer, Linux 6.1 fails under 5.82.
essential='Contract/(Events|Links|Notification|Scanning|SlowLinks|Values)'

# The suites of the contract that wait for most: in a boot of their own, beside the others.
outages='Contract/(Commands|Outages|Pairing|Reconnecting|Streams)'

# The suites of the contract that need two adapters: in a boot of their own, which has them.
serving='Contract/(Serving|TwoAdapters)'

# The suites of the contract in which packets cross a link. ConfirmedWrites and SlowLinks are not among them: they choose
# the time of a packet themselves, and play with the others.
linked='Contract/(BackToBack|Links|Notification|SharedLinks|Streams)'

# The suite of the contract that runs each command of the documentation twice: on a real bluetoothd only where packets take
# as long as on a radio, for a link that is going down then stays longest in the way of the second command.
twice='Contract/BackToBack'

# The suites of the contract that take longest on the simulator, and do not depend on the version of BlueZ.
lasting='Contract/(BackToBack|ConfirmedWrites|Reconnecting|Scripts|Streams)'

# The contract on links on which each packet takes as long as on a radio.
slow() { # COMMAND…
  BLECTL_CONTRACT_PACKET_TIME=30ms "$@"
}

# What the simulator shows is compared with what a real bluetoothd has shown; the versions side by side, since both wait.
fidelity() {
  local built python version comparison running=() status=0
  built=$(Scripts/built.sh contract-world) && python=$(Tests/System/Clients/run.sh --python) || return
  (cd Tests/System/Fidelity && python3 -B -m unittest --quiet selftest) || return
  for version in 5.66 "${newer[@]}"; do
    CONTRACT_WORLD_PROGRAM=$built/contract-world "$python" Tests/System/Fidelity/compare.py --bluez "$version" &
    running+=($!)
  done
  for comparison in "${running[@]}"; do wait "$comparison" || status=1; done
  return $status
}

# What bluetoothd offers only with its experimental features on, in a boot of its own.
real_experimental() {
  in_rig ContractTests.Contract/Passive --bluetoothd -E --env BLECTL_CONTRACT_EXPERIMENTAL=1
}

# A device that has lost its bond makes Linux 6.1 fail, and bluetoothd with it.
real_bonds() { in_rig Contract/Pairing/lostByPeer --survive-oops --env BLECTL_CONTRACT_BOND_LOST=1; }

# The programs of Examples; those that need two adapters also beside a real bluetoothd, and with them the built-in
# devices, recorded and served. It forgets all devices between them: one that it knows is connected to before its
# advertisement is heard. An emulated machine is not run at a low priority: beside busy programs it would not come up.
examples() {
  local released
  nice Tests/System/Examples/run.sh && released=$(released) &&
    Tests/System/Rig/run.sh --adapters 2 --timeout 1800 --env BLECTL="$released" -- sh -c '
      Tests/System/Examples/clocks.sh && rig-world reset && rig-bluetoothd forget &&
        Tests/System/Serving/round_trip.py'
}

real_core_bluetooth() {
  local released
  released=$(released) && BLECTL=$released Tests/System/CoreBluetooth/run.sh --real
}

# The suites that play each example, help text and error message: many starts of the binary, and no wait.
messages='EndToEndTests.(Example|Fault|Help|Situation|SituationDocument)Tests'

# Which tests are built with a sanitizer, and why those, is in Package.swift (BLECTL_SANITIZER). What is compiled anew
# leaves out the programs that only scripts run (BLECTL_TOOLS).
thread_sanitizer() {
  local folder=.build-thread
  nice env -u BLECTL_TOOLS BLECTL_SANITIZER=thread \
    swift build --build-tests --sanitize=thread --scratch-path "$folder" &&
    TSAN_OPTIONS="halt_on_error=0 exitcode=66" nice "$(sanitized "$folder")" --testing-library swift-testing --no-parallel
}

# Leaks are not looked for: Swift keeps its pointers to the counts of weak references shifted, where the sanitizer does
# not find them, and it calls all that hangs on them lost.
address_sanitizer() {
  nice env -u BLECTL_TOOLS Scripts/fuzz.sh --build &&
    ASAN_OPTIONS="detect_leaks=0" nice "$(sanitized .build-address)" --testing-library swift-testing --no-parallel
}

# Whether a part reports how many tests it ran.
counts() { # PART
  case ${1%%:*} in
    real-core-bluetooth) false ;;
    unit | contract | contract-* | end-to-end | messages | real | real-* | clients | *-sanitizer) true ;;
    *) false ;;
  esac
}

play() { # PART
  local letters=
  case $1 in *:*) letters=${1#*:} ;; esac
  case ${1%%:*} in
    static) Scripts/check.sh ;;
    tools) tools ;;
    build) build_tests ;;
    release) released >/dev/null ;;
    unit) tests --skip ContractTests --skip EndToEndTests ;;
    contract) tests --filter ContractTests ;;
    contract-slow) slow tests --filter "$linked" ;;
    contract-*) BLECTL_CONTRACT_BLUEZ=${1#contract-} tests --filter ContractTests --skip "$lasting" ;;
    end-to-end) tests --filter EndToEndTests --skip "$messages" ;;
    messages) tests --filter "$messages" ;;
    clients) Tests/System/Clients/run.sh ;;
    fidelity) fidelity ;;
    real) real_and_recording 5.66 ContractTests ;;
    real-5.*) real_and_recording "${1#real-}" "$essential" --bluez "${1#real-}" ;;
    real-outages) in_rig "$outages" ;;
    real-serving) in_rig "$serving" --adapters 2 ;;
    real-slow) slow in_rig "$linked" --env BLECTL_CONTRACT_PACKET_TIME ;;
    real-experimental) real_experimental ;;
    real-bonds) real_bonds ;;
    start-up) Tests/System/StartUp/run.sh ;;
    package) package ;;
    manual) Tests/System/Manual/run.sh ;;
    completions) Tests/System/Completions/run.sh ;;
    examples) examples ;;
    core-bluetooth) nice Tests/System/CoreBluetooth/run.sh ;;
    testing) nice Tests/System/Testing/run.sh ;;
    real-core-bluetooth) real_core_bluetooth ;;
    log) Tests/System/Log/run.sh ;;
    brokers) Tests/System/Brokers/run.sh ;;
    chaos) Tests/System/Chaos/run.sh ;;
    screens) Tests/System/Screens/run.sh ;;
    recipes) Tests/System/Recipes/run.sh ;;
    hosts) Tests/System/Hosts/run.sh ;;
    comparison) Tests/System/Comparison/run.sh ;;
    thread-sanitizer) thread_sanitizer ;;
    address-sanitizer) address_sanitizer ;;
    fuzzers) nice env -u BLECTL_TOOLS Scripts/fuzz.sh "${FUZZ_SECONDS:-8}" ;;
    docs) nice Scripts/docs.sh ;;
  esac
}

parts=("$@")
for name in "${parts[@]%%:*}"; do
  if [[ " ${all[*]} " != *" $name "* ]]; then
    echo "test: no such part: $name (there are: ${all[*]})" >&2
    exit 64
  fi
done
if [ ${#parts[@]} != 0 ]; then
  in_turn "${parts[@]}"
else
  parts=("${all[@]}")
  in_turn "${first[@]}"
  is_built=''
  for name in build:debug release:shipped; do
    read -r count _ <"$results/${name%:*}" && [ "$count" != failed ] && is_built+=" ${name#*:}"
  done 2>/dev/null
  export BLECTL_BUILT=$is_built
  for lane in "${lanes[@]}"; do
    # shellcheck disable=SC2086  # the names of its parts
    in_lane $lane &
  done
  wait
fi

echo
passed=0 failed=()
for name in "${parts[@]}"; do
  # A part that left no result did not end.
  count=failed seconds=$SECONDS processor=0
  [ -e "$results/$name" ] && read -r count seconds processor <"$results/$name"
  if [ "$count" = failed ]; then
    printf '%-18s FAILED after %d s\n' "$name" "$seconds"
    failed+=("$name")
    continue
  fi
  passed=$((passed + count)) tests=
  counts "$name" && tests="$count tests "
  printf '%-18s %11spassed in %4d s (%4d s of a processor)\n' "$name" "$tests" "$seconds" "$processor"
done

echo
echo "$passed passed, ${#failed[@]} failed, in $((SECONDS / 60)) min"
if [ ${#failed[@]} != 0 ]; then
  for name in "${failed[@]}"; do why "$name"; done
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
