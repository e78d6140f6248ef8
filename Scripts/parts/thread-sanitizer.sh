#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests with the thread sanitizer. Package.swift (BLECTL_SANITIZER) says which, and why those.
set -euo pipefail
# Compiled again without the programs that only scripts run.
unset BLECTL_TOOLS
BLECTL_SANITIZER=thread swift build --build-tests --sanitize=thread --scratch-path .build-thread
TSAN_OPTIONS="halt_on_error=0 exitcode=66" exec .build-thread/debug/*PackageTests.xctest --testing-library swift-testing \
  --no-parallel
