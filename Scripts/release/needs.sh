#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the packages of Debian and Ubuntu that a program needs, by what its own headers name: dpkg-shlibdeps would need the
# packages of the other architecture. Fails if the program loads anything at its start beyond the C library and D-Bus.
#
#   Scripts/release/needs.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "needs: $*" >&2
  exit 1
}
headers=$(readelf --dynamic --wide "$1")
! grep -E 'R(UN)?PATH' <<<"$headers" || fail "$1 looks for libraries in folders of its own"
while read -r library; do
  case $library in
    libc.so.6 | libm.so.6 | ld-linux-*.so.? | libdbus-1.so.3) ;;
    *) fail "$1 needs $library" ;;
  esac
done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$headers")
# Each libdbus that Debian and Ubuntu still support.
echo "libc6 (>= $(Scripts/release/glibc.sh "$1")), libdbus-1-3 (>= 1.12)"
