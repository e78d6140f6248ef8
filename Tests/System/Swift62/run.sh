#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds all programs, libraries and tests with Swift 6.2, the oldest version that the package promises to build with, and
# runs the unit tests of the lowest targets. The compiler is that of Debian sid, in a chroot.
#
#   run.sh             what the part swift-6.2 does
#   run.sh COMMAND…    runs COMMAND there, such as: run.sh swift build --scratch-path .build-swift-6.2 --target DBus
#
# Scripts/chroot.sh makes it.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# shellcheck source=Scripts/chroot.sh
. Scripts/chroot.sh
wanted=6.2 scratch=.build-swift-6.2
# The targets on which all others stand.
suites='AsyncIOTests|DBusTests|BlueZClientTests|JSONTests'

say() { printf 'swift-6.2: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

need_root sid "${swift_packages[@]}"

if [ $# -gt 0 ]; then
  enter "$scratch" "$@"
  exit
fi

version=$(enter "$scratch" swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p')
say "building with Swift $version"
# Debian has the module of Testing with Foundation, but not its library. The tests name it, and use nothing of it.
enter "$scratch" sh -c "mkdir -p '$scratch/empty' && ar rcs '$scratch/empty/lib_Testing_Foundation.a'"
enter "$scratch" swift build --build-tests --scratch-path "$scratch" -Xlinker "-L/blectl/$scratch/empty"
enter "$scratch" "$scratch/debug/blectlPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$suites"
say "built, and tested, with Swift $version"
case $version in
  "$wanted".*) ;;
  *) fail "Debian sid has Swift $version now: nothing was built with Swift $wanted" ;;
esac
