#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the documentation of the libraries, with warnings as errors, and compiles the Swift code in it.
# Usage: Scripts/docs.sh [FOLDER]      the folder becomes a static web site; default .build/docs
#
# BLECentral, BLEPeripheral and BLETesting hand on what is in BlueZClient: each documents it as its own. The plugin of DocC
# cannot do that.
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(realpath -m "${1:-.build/docs}")
built=$(Scripts/built.sh)
read -ra includes < <(pkg-config --cflags-only-I dbus-1)
modules=(-I "$built/Modules" -Xcc "-fmodule-map-file=$built/CPlatform.build/module.modulemap" -I Sources/Ground/CDBus "${includes[@]}")
Scripts/snippets.py "${modules[@]}"
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archives=()
for module in BLEFormats BLECentral BLEPeripheral BLEUpdate CoreBluetooth BLETesting; do
  mkdir "$work/$module"
  swift symbolgraph-extract -module-name "$module" -target "$target" "${modules[@]}" \
    -minimum-access-level public -experimental-allowed-reexported-modules=BlueZClient -output-dir "$work/$module"
  docc convert Sources/*/"$module/$module.docc" --additional-symbol-graph-dir "$work/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" --warnings-as-errors \
    --transform-for-static-hosting --output-path "$work/$module.doccarchive"
  archives+=("$work/$module.doccarchive")
done
rm -rf "$output"
docc merge "${archives[@]}" --synthesized-landing-page-name blectl --output-path "$output"
