#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Logs heart rates to a database for some time, then prints a summary per minute.
#
#   sqlite.sh 'Heart Strap' 10m heart.sqlite
set -euo pipefail
device=$1 duration=$2 log=$3
shift 3

"${BLECTL:-blectl}" subscribe "$device" heart-rate-measurement --reconnect --duration "$duration" --log "$log" "$@" >/dev/null

sqlite3 -header -column "$log" "
  SELECT substr(time, 1, 16) AS minute, count(*) AS beats,
    min(decoded ->> 'heart_rate_bpm') AS lowest, max(decoded ->> 'heart_rate_bpm') AS highest
  FROM log GROUP BY minute"
