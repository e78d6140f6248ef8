#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the programs of Examples/CoreBluetooth as a stranger would, and plays them: on a simulated BlueZ, those that talk
# to each other over two adapters; with --real on the bluetoothd of the rig, in which it then runs.
#
#   run.sh [--real] [--programs FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../../.."

here=$PWD/Tests/System/CoreBluetooth programs='' is_real=
while [ $# -gt 0 ]; do
  case $1 in
    --real) is_real=1 ;;
    --programs) programs=$2 && shift ;;
    *) echo "core-bluetooth: unknown option $1" >&2 && exit 64 ;;
  esac
  shift
done

blectl=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
if [ -z "$programs" ]; then
  swift build --package-path Examples/CoreBluetooth
  programs=$(swift build --package-path Examples/CoreBluetooth --show-bin-path)
fi
export blectl programs

if [ "$is_real" ]; then
  Tests/System/Rig/run.sh --timeout 600 --env blectl="$blectl" --env programs="$programs" -- \
    "$here/centrals.sh"
  Tests/System/Rig/run.sh --timeout 600 --adapters 2 --env blectl="$blectl" --env programs="$programs" -- \
    "$here/both.sh"
  exit
fi

# The command has the small part of Foundation that its parser of arguments needs; only programs of CoreBluetooth have
# the whole.
links_foundation() { readelf -d "$1" | grep -qF '[libFoundation.so]'; }
links_foundation "$programs/Central" || { echo "core-bluetooth: Central does not link Foundation" >&2 && exit 1; }
if links_foundation "$blectl"; then echo "core-bluetooth: blectl links Foundation" >&2 && exit 1; fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CONTROL=$folder/control
"$blectl" simulate --control "$CONTROL" -- "$here/centrals.sh"
"$blectl" simulate --adapters 2 -- "$here/both.sh"
