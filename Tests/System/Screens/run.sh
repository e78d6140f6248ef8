#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares what a terminal shows with the texts in Tests/System/Screens/Golden; BLECTL_RECORD=1 writes them again.
# Usage: [BLECTL=path/to/blectl] [BLECTL_RECORD=1] Tests/System/Screens/run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh tmux
BLECTL=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
export BLECTL
python3 Tests/System/Screens/screens.py
python3 Tests/System/Screens/keys.py
python3 Tests/System/Screens/listen.py
python3 Tests/System/Screens/shell.py
