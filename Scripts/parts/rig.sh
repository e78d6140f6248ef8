#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests of the contract beside a real bluetoothd, in a virtual machine. The bundle runs there as it is: the machine
# sees these files. The commands that the tests start are those of the release build, where there is one: on an emulated
# processor, a command that is not optimized costs nearly twice as much.
#
#   Scripts/parts/rig.sh FILTER RIG-OPTION…
set -euo pipefail
folder=$(Scripts/built.sh --tests)
[[ " ${BLECTL_BUILT- release} " != *' release '* ]] || BLECTL=$(Scripts/built.sh --shipped)/blectl
exec Tests/System/Rig/run.sh --timeout 3600 --env BLECTL_CONTRACT=real --env BLECTL="${BLECTL:-$folder/blectl}" "${@:2}" -- \
  rig-contract "$folder"/*PackageTests.xctest "$1"
