#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the manual and lets mandoc judge it: a warning is a failure. Every command must have its page.
# Usage: [BLECTL=path/to/blectl] Tests/System/Manual/run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh mandoc
blectl=$(realpath "${BLECTL:-$(Scripts/built.sh blectl)/blectl}")
# Not .build/manual, from which a package takes its pages at the same time.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 Scripts/manual.py "$blectl" "$folder"

# Of what mandoc calls style it may say that pages are not installed yet.
mandoc -Tlint -W warning "$folder"/man*/*
for command in $("$blectl" --experimental-dump-help | jq -r '.command.subcommands[].commandName | select(. != "help")'); do
  [ -f "$folder/man1/blectl-$command.1" ] || { echo "manual: no page for $command" >&2 && exit 1; }
done
for page in "$folder"/man*/*; do
  text=$(mandoc -Tutf8 -O width=80 "$page" | col -b)
  for word in NAME DESCRIPTION; do
    grep -q "^$word" <<<"$text" || { echo "manual: $page has no $word" >&2 && exit 1; }
  done
done
