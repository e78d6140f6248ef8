#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints why parts failed: the first failures of each, since others may follow from them, and what the rig noticed.
for part in "$@"; do
  log=${RESULTS:-.build/tests}/$part.log
  echo "== $part, why:"
  if ! [ -e "$log" ]; then
    echo 'it did not run'
    continue
  fi
  reasons=$({
    grep -aE -A 3 '✘.*recorded an issue|Sanitizer:|: error: ' "$log" |
      grep -aE '✘.*recorded|↳|Sanitizer:|: error: ' | head -20
    grep -aE '^rig: ' "$log"
  } | cut -c 1-600)
  # Not both: who reads only the end of a long output would miss the reasons.
  if [ -n "$reasons" ]; then echo "$reasons"; else tail -10 "$log"; fi
done
