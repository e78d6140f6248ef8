#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares what a real bluetoothd shows with the recording, while it is as new as it was then, and runs tests of the
# contract beside it.
#
#   Scripts/parts/recording.sh VERSION FILTER SKIP
set -euo pipefail
folder=$(Scripts/built.sh --tests)
released=$(Scripts/built.sh --shipped)
bundle=$(echo "$folder"/*PackageTests.xctest)
options=()
# The one of Debian 12 is installed.
[ "$1" = 5.66 ] || options=(--bluez "$1")
# shellcheck disable=SC2016  # for the guest to expand
exec Tests/System/Rig/run.sh --timeout 3600 "${options[@]}" --env BLECTL_CONTRACT=real --env BLECTL_CONTRACT_BLUEZ="$1" \
  --env BLECTL="$released/blectl" --env BUNDLE="$bundle" --env FILTER="$2" --env SKIP="$3" -- sh -c '
  [ -e "$RIG_OUT/compared" ] || {
    $RIG_PYTHON Tests/System/Fidelity/observe.py >/tmp/observed.txt &&
      $RIG_PYTHON Tests/System/Fidelity/compare.py --bluez "$BLECTL_CONTRACT_BLUEZ" --recorded /tmp/observed.txt || exit 1
    rig-world reset && rig-bluetoothd forget && touch "$RIG_OUT/compared" || exit 1
  }
  rig-contract "$BUNDLE" "$FILTER" "$SKIP"'
