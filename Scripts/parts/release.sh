#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds blectl as it is shipped, and a program with CoreBluetooth in the same way: Swift does not compile some declarations,
# such as an isolated deinit, in the modules that import them with cross-module optimization.
set -euo pipefail
cd "$(dirname "$0")/../.."

Scripts/built.sh --shipped
BLECTL_TOOLS=1 Scripts/build.sh bench-corebluetooth
