#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the oldest glibc that a program starts with. With a limit, fails if the program needs a later one.
#
#   Scripts/release/glibc.sh PROGRAM [LIMIT]
set -euo pipefail
limit=${2-}

# Symbols, and what the loader must be able to do: packed relocations need 2.36 without a symbol of it.
needed=$(readelf --version-info --wide "$1" | grep -oE 'GLIBC_[0-9.]+|GLIBC_ABI_DT_RELR' |
  sed 's/GLIBC_ABI_DT_RELR/2.36/; s/GLIBC_//' | sort --version-sort | tail -1)
[ -n "$needed" ] || { echo "glibc: $1 names no version of glibc" >&2 && exit 1; }
if [ -n "$limit" ] && [ "$(printf '%s\n' "$needed" "$limit" | sort --version-sort | tail -1)" != "$limit" ]; then
  echo "glibc: $1 needs glibc $needed, and the limit is $limit" >&2
  echo "hint: BLECTL_GLIBC=$limit Scripts/build.sh" >&2
  exit 1
fi
echo "$needed"
