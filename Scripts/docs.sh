#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the documentation of the library, with warnings as errors.
# Usage: Scripts/docs.sh [FOLDER]      the folder becomes a static web site; default .build/docs
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(realpath -m "${1:-.build/docs}")
mkdir -p "$output"
# The plugin is a dependency only here.
export BLECTL_DOCS=1
swift package --allow-writing-to-directory "$output" generate-documentation \
  --target BLEMeaning --target BLECore --target BLECentral --target BLEPeripheral --target CoreBluetooth \
  --enable-experimental-combined-documentation \
  --output-path "$output" --warnings-as-errors
