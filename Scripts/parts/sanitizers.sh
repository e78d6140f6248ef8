#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests with a sanitizer: those of the files and folders below. Of the others, it compiles only those of the same targets,
# since compiling takes most of the time.
#
#   Scripts/parts/sanitizers.sh thread
#   Scripts/parts/sanitizers.sh address [--build]    --build only builds: the fuzzers too, which share the build
set -euo pipefail
cd "$(dirname "$0")/../.."

case $1 in
  # What can race: the loop and what waits on it, connections, sessions of the library, threads that write outputs and logs,
  # and the contract, with the library, the simulator and the binary. Each part of the simulator runs on one loop; beside it
  # are only processes, control connections and peripherals played by a real adapter. Values, models, parsers, charts and
  # texts are pure. The suites left out of the contract repeat commands and links that others use.
  thread)
    tests=(
      Tests/Ground/AsyncIOTests
      Tests/Ground/DBusTests/{Connection,Objects}
      Tests/Bluetooth/BlueZClientTests/{Streams,Waiting}
      Tests/Bluetooth/BLECentralTests/{ClosingTests.swift,Connection,Events,GATT,Pairing,Scanning,Waiting}
      Tests/Apple/CoreBluetoothTests/{Central,Channels,PeripheralRole}
      Tests/Lab/BlueZSimulatorTests/{Bus,Control}
      Tests/Lab/PeripheralEmulatorTests/Emulation
      Tests/Tool/{TerminalOutput,ValueStreams,ValueLogs,BlectlSession}Tests
      Tests/ContractTests
    )
    without=(Tests/ContractTests/Contract+{BackToBack,Commands,Reconnecting,Snapshots,Streams}.swift)
    ;;
  # What can overrun: unsafe pointers and C. That is the wire of D-Bus, packets of sockets, names searched in tables and text of
  # numbers, files of the system, terminals, logs in SQLite, and the processes and sockets of the simulator. CoreBluetooth uses
  # both libraries, which have no pointers of their own but those for sockets and numbers. The fuzzers feed the decoders with
  # more than their tests do.
  address)
    tests=(
      Tests/Ground/{AsyncIO,DBus,JSON}Tests
      Tests/Bluetooth/BLEFormatsTests/{AssignedNumbers,Ciphers,Formats,Identifiers}
      Tests/Bluetooth/BlueZClientTests/Values
      Tests/Apple/CoreBluetoothTests/{Central,Channels,PeripheralRole,Values}
      Tests/Lab/BlueZSimulatorTests/{Bus,Control,GATT}
      Tests/Tool/{TerminalOutput,ValueStreams,ValueLogs,Doctor,BlectlSession}Tests
    )
    without=()
    ;;
  *) echo "sanitizers: thread or address" >&2 && exit 64 ;;
esac

target() { grep -oE '[A-Za-z0-9]+Tests(/|$)' <<<"$1" | tr -d /; }
# The name of a test is TARGET.SUITE/FUNCTION/FILE:LINE:COLUMN.
pattern() { # PATH
  local files
  files=$(find "$1" -name '*.swift' -printf '%f\n' | sed 's/[+.]/\\&/g' | paste -sd '|') || return
  echo "^$(target "$1")\\..*/($files):"
}
options=()
for path in "${tests[@]}"; do
  some=$(pattern "$path")
  options+=(--filter "$some")
done
for path in "${without[@]}"; do
  some=$(pattern "$path")
  options+=(--skip "$some")
done
BLECTL_TESTS=$(for path in "${tests[@]}"; do target "$path"; done | sort -u | paste -sd ' ')
export BLECTL_TESTS
# Compiled again without the programs that only scripts run.
unset BLECTL_TOOLS

if [ "$1" = thread ]; then
  swift build --build-tests --sanitize=thread --scratch-path .build-thread
  export TSAN_OPTIONS="halt_on_error=0 exitcode=66"
else
  # lld, since gold fails on what the sanitizer brings. libFuzzer is linked into the program alone.
  BLECTL_FUZZ=1 swift build --scratch-path .build-address --build-tests --sanitize=address \
    -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table \
    -Xswiftc -use-ld=lld -Xlinker -lstdc++ 2>&1 |
    { grep -E '(error|warning): |^Build' || true; } >&2
  # Leaks are not looked for: Swift keeps its pointers to the counts of weak references shifted, where the sanitizer does not
  # find them, and it calls all that hangs on them lost.
  export ASAN_OPTIONS="detect_leaks=0"
fi
[ "${2-}" = --build ] || exec ".build-$1"/debug/*PackageTests.xctest --testing-library swift-testing --no-parallel "${options[@]}"
