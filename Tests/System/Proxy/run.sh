#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The clients of Home Assistant on `blectl proxy`: aioesphomeapi and bleak-esphome, over a simulated bluetoothd.
#
#   Tests/System/Proxy/run.sh                     as CI does
#   Tests/System/Proxy/run.sh flood | …           some tests
#   Tests/System/Proxy/run.sh --real [TEST…]      beside a real bluetoothd, in a virtual machine
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh avahi-daemon

built=$(Scripts/built.sh -c "${CONFIGURATION:-debug}" blectl bench-world)
export BLECTL=$built/blectl BENCH_WORLD=$built/bench-world PATH=$PATH:/usr/sbin
environment=$(Scripts/python-environment.sh .build/proxy/python Tests/System/Proxy/requirements.txt)
if [ "${1-}" = --real ]; then
  BLECTL=$(Scripts/built.sh --shipped)/blectl
  exec Tests/System/Rig/run.sh --timeout 1800 --env BLECTL="$BLECTL" -- "$environment/bin/python" -B Tests/System/Proxy/proxy.py "${@:2}"
fi
exec "$environment/bin/python" -B Tests/System/Proxy/proxy.py "$@"
