#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares what the simulator shows with the recordings of real bluetoothds; the versions side by side, since they wait.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
built=$(Scripts/built.sh contract-world) && python=$(Tests/System/Clients/run.sh --python) || exit
(cd Tests/System/Fidelity && python3 -B -m unittest --quiet selftest) || exit
running=() status=0
for version in 5.66 5.82 5.87; do
  CONTRACT_WORLD_PROGRAM=$built/contract-world "$python" Tests/System/Fidelity/compare.py --bluez "$version" &
  running+=($!)
done
for comparison in "${running[@]}"; do wait "$comparison" || status=1; done
exit $status
