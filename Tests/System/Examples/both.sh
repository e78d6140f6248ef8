#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a command that plays a peripheral, and one that plays the central; ends the first when the second has ended.
#
#   Tests/System/Examples/both.sh PERIPHERAL CENTRAL
set -uo pipefail
set -f # patterns are for the commands
$1 </dev/null &
peripheral=$!
$2
status=$?
kill "$peripheral"
wait "$peripheral"
exit "$status"
