#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests with the address sanitizer. Package.swift (BLECTL_SANITIZER) says which, and why those.
#
# Leaks are not looked for: Swift keeps its pointers to the counts of weak references shifted, where the sanitizer does
# not find them, and it calls all that hangs on them lost.
set -euo pipefail
unset BLECTL_TOOLS
Scripts/fuzz.sh --build
ASAN_OPTIONS="detect_leaks=0" exec .build-address/debug/*PackageTests.xctest --testing-library swift-testing --no-parallel
