#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples that need two adapters, and the built-in devices, recorded and served, beside a real bluetoothd. It forgets
# all devices between them: it connects to one that it knows before its advertisement is heard.
set -euo pipefail
released=$(Scripts/built.sh --shipped)
swift build --package-path Examples
exec Tests/System/Rig/run.sh --adapters 2 --timeout 1800 --env BLECTL="$released/blectl" -- sh -c '
  Tests/System/Examples/clocks.sh && rig-world reset && rig-bluetoothd forget && Tests/System/Serving/round_trip.py'
