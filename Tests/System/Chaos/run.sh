#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Loggers of eight devices on a simulated BlueZ, while faults of every kind come in random order: nothing is lost, doubled,
# leaked or left behind, neither of what the devices send over links, nor of what they advertise. The bus, bluetoothd and the
# adapter are away for up to 60 s, in short runs for 2.5 s.
#
#   Tests/System/Chaos/run.sh                     as CI does: the seeds of seeds.txt, and a new one for each, 60 s
#   DURATION=3600 Tests/System/Chaos/run.sh       an hour of a new seed for each; ROLE=listen or subscribe plays one
#   DURATION=60 Tests/System/Chaos/run.sh SEED…   the same faults again; when exactly they happen, the machine decides
#
# CONFIGURATION=release tests what users get. The file that a failure names has everything that was said and done.
# A seed that fails belongs into seeds.txt.
set -euo pipefail
cd "$(dirname "$0")/../../.."

configuration=${CONFIGURATION:-debug}
BLECTL=$(Scripts/built.sh -c "$configuration" blectl)/blectl
export BLECTL

(cd Tests/System/Chaos && python3 -m unittest --quiet selftest)

# A disk of its own needs a mount namespace, which root may have, and usually others too.
chaos() { unshare --mount --map-root-user python3 Tests/System/Chaos/chaos.py "$@"; }

if [ $# = 0 ] && [ -z "${DURATION-}" ]; then
  mapfile -t seeds < <(sed -e 's/ *#.*//' -e '/^$/d' Tests/System/Chaos/seeds.txt)
  for seed in "${seeds[@]}"; do
    chaos "${seed% *}" 15 "${seed#* }"
  done
fi
for role in ${ROLE:-subscribe listen}; do
  chaos "$role" "${DURATION:-60}" "$@"
done
