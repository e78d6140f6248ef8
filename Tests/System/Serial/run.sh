#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs programs for serial ports on `blectl serial`, at simulated devices: pyserial, picocom and socat; and files.
# BYTES go each way through each of them, and LOSSES links are lost meanwhile.
#
#   [BLECTL=path/to/blectl] [BYTES=10000000] [LOSSES=20] Tests/System/Serial/run.sh [TEST…]
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh socat picocom python3-serial
BLECTL=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
export BLECTL
cd Tests/System/Serial
[ $# -gt 0 ] || set -- ports consoles losses files
# pyserial is installed for Debian's own Python.
exec /usr/bin/python3 -m unittest "$@"
