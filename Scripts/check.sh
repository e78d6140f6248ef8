#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The checks that need no build: format and documentation of every public declaration, prose, scripts.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
fail() {
  echo "check: $*" >&2
  status=1
}

sources=$(git ls-files --cached --others --exclude-standard '*.swift')
# shellcheck disable=SC2086  # one file name a word
swift format lint --strict $sources || fail "swift format reported problems (make format fixes most)"

for file in $sources; do
  head -n 1 "$file" | grep -qE '^// (SPDX-License-Identifier: MIT|swift-tools-version)' ||
    fail "$file does not begin with its licence"
done

# Scripts/structure.py holds the sources to the arrows between targets; these modules no target is built from.
forbidden() { # FOLDER MODULE…
  local folder=$1 module
  shift
  for module in "$@"; do
    if grep -rnE "^(internal |package |public |@testable )?import $module\$" "Sources/$folder"; then
      fail "Sources/$folder must not import $module"
    fi
  done
}
forbidden Ground/JSON Glibc
forbidden Bluetooth/BLEFormats Glibc
# Foundation, which Apple's interface is made of, costs each program that links it 5 ms and 11 MB.
for folder in Sources/*/*; do
  [ "$folder" = Sources/Apple/CoreBluetooth ] || forbidden "${folder#Sources/}" Foundation CoreBluetooth
done

scripts=$(git ls-files --cached --others --exclude-standard | while read -r file; do
  if head -c 64 "$file" | grep -qE '^#!.*\b(bash|sh)$'; then echo "$file"; fi
done)
# shellcheck disable=SC2086
shellcheck --external-sources $scripts || fail "shellcheck reported problems"

# Arm64 has another sign of char, and other sizes of some types. What C includes is then that of arm64 too.
for file in Sources/*/C*/*.c; do
  clang --target=aarch64-linux-gnu -std=gnu17 -fsyntax-only -Wall -Wextra -Wconversion -Werror -nostdlibinc \
    -isystem /usr/aarch64-linux-gnu/include -I "${file%/*}/include" "$file" ||
    fail "$file does not compile for arm64"
done
# CChar is UInt8 there, which has no bit pattern.
# shellcheck disable=SC2016  # a regular expression
if git grep -nE 'map *(\{ *UInt8\(bitPattern: \$0\)|\(UInt8\.init\(bitPattern)' -- '*.swift'; then
  fail "CChar has a sign on some processors only: use withUnsafeBytes"
fi

# A release build prints the text of no other function that ends the program.
if git grep -nE '\b(precondition|preconditionFailure|assert|assertionFailure)\(' -- Sources/Apple/CoreBluetooth; then
  fail "misuse of Apple's interface ends a program with fatalError"
fi

# A build in one part would remove the link .build/debug, for a moment, behind which another part runs.
if git grep -nE '^[^#]*\bswift build\b' -- Scripts 'Tests/System/*.sh' ':!Scripts/build.sh' ':!Scripts/built.sh' \
  ':!Scripts/check.sh' | grep -vE -- '--(package|scratch)-path'; then
  fail "Scripts/built.sh builds what tests run"
fi

Scripts/worlds.py || fail "the schema of world files is wrong"
Scripts/structure.py || fail "the targets and folders of Sources/ are not in order"
Scripts/expectations.py || fail "expectations are written in a way that the compiler may break"
Scripts/prose.py || fail "comments are not plain English"
Scripts/titles.py || fail "titles of tests are not sentences that stand alone"

if git grep -nIE '\b(TODO|FIXME|XXX)\b' -- Sources Tests Fuzz Examples Benchmarks Scripts ':!Scripts/check.sh'; then
  fail "unfinished work"
fi
[ "$status" != 0 ] || echo "check: $(echo "$sources" | wc -l) Swift files, $(echo "$scripts" | wc -l) scripts: all well"
exit "$status"
