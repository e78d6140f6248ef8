#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds the logs to their promises, on a simulated BlueZ: nothing is lost, doubled or out of order, whatever happens to
# the process and the disk.
#
#   Tests/System/Log/run.sh                               as CI does
#   COUNT=1000000 KILLS=100 Tests/System/Log/run.sh       in full; with CONFIGURATION=release, on what users get
#   Tests/System/Log/run.sh exact | kill | disk           one part
#   RATE=5000 Tests/System/Log/run.sh exact               5000 values a second; without RATE, as fast as possible
set -euo pipefail
cd "$(dirname "$0")/../../.."

configuration=${CONFIGURATION:-debug}
built=$(Scripts/built.sh -c "$configuration" blectl bench-world)
export BLECTL=$built/blectl BENCH_WORLD=$built/bench-world
export COUNT=${COUNT:-100000} KILLS=${KILLS:-20}

parts=("$@")
[ ${#parts[@]} = 0 ] && parts=(exact kill disk)
for part in "${parts[@]}"; do
  case $part in
    exact) "$BENCH_WORLD" known --devices 1 --notifications "$COUNT" ${RATE:+--rate "$RATE"} -- python3 Tests/System/Log/exact.py ;;
    kill) "$BENCH_WORLD" known --devices 1 --notifications 100000 --rate 2000 -- python3 Tests/System/Log/kill.py ;;
    # A disk of its own needs a mount namespace, which root may have, and usually others too.
    disk) unshare --mount --map-root-user \
      "$BENCH_WORLD" known --devices 1 --notifications 5000 -- python3 Tests/System/Log/disk.py ;;
    *)
      echo "log: no such part: $part (there are: exact kill disk)" >&2
      exit 64
      ;;
  esac
done
