#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests of the debug build. The bundle itself, since `swift test` would keep the build folder locked.
#
#   Scripts/parts/tests.sh OPTION…       such as --filter ContractTests
set -euo pipefail
folder=$(Scripts/built.sh --tests)
exec "$folder"/*PackageTests.xctest --testing-library swift-testing "$@"
