#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Updates every strap of a rack, then each of those that have failed once more, and prints what became of them.
#
#   straps.sh 'Strap *' app.zip 24
#   straps.sh 'Strap *' app.zip 3 --simulate=rack.json
set -euo pipefail
straps=$1 firmware=$2 count=$3
shift 3
blectl=${BLECTL:-blectl}

records=$(mktemp)
trap 'rm -f "$records"' EXIT
status=0
"$blectl" update "$straps" "$firmware" --all --jobs 6 --count "$count" --json "$@" >"$records" || status=$?
failed=$(jq -r 'select(.event == "failed") | .address' "$records")
# Not after a file that does not fit, or Ctrl-C.
if [ "$status" -lt 64 ] && [ -n "$failed" ]; then
  status=0
  for address in $failed; do
    "$blectl" update "$address" "$firmware" --json "$@" >>"$records" || status=$?
  done
fi

jq -rs 'map(select(.event == "updated" or .event == "failed")) | group_by(.address)[] | last
  | [.address, .name, .event, .from, .to, .seconds, .error] | map(. // "-" | tostring) | @tsv' "$records"
exit "$status"
