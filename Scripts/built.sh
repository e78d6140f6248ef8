#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds what tests run, and prints the folder that contains it.
#
#   Scripts/built.sh [-c CONFIGURATION] PRODUCT…   some programs
#   Scripts/built.sh                               all programs and libraries
#   Scripts/built.sh --tests                       the tests too
#   Scripts/built.sh --shipped                     blectl as users get it
#
# $BLECTL_BUILT names what Scripts/test.sh has already built: tests (debug, with all programs), release (as shipped). That is
# not built here again, because others run it at this moment, and every `swift build` removes the link .build/debug for a
# moment, even if nothing has changed. The printed folder is not behind that link.
set -euo pipefail
cd "$(dirname "$0")/.."
export BLECTL_TOOLS=1

configuration=debug piece=tests
case ${1-} in
  -c) configuration=$2 && shift 2 ;;
  --shipped) configuration=release piece=release ;;
esac
[ "$configuration $piece" != 'release tests' ] || piece=none

if [[ " ${BLECTL_BUILT-} " != *" $piece "* ]]; then
  case ${1-} in
    --shipped) Scripts/build.sh blectl ;;
    --tests) swift build --build-tests ;;
    '') swift build -c "$configuration" ;;
    *) for product in "$@"; do swift build --quiet -c "$configuration" --product "$product"; done ;;
  esac >&2
fi
swift build -c "$configuration" --show-bin-path
