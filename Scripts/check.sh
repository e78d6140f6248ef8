#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The seven checks that need no build. CONTRIBUTING.md lists them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

status=0
check() { # ADVICE COMMAND…
  "${@:2}" || { echo "check: $1" >&2 && status=1; }
}
files() { git ls-files --cached --others --exclude-standard "$@"; }
scripts() {
  files | while read -r file; do
    if head -c 64 "$file" | grep -qE '^#!.*\b(bash|sh)$'; then echo "$file"; fi
  done
}
mapfile -t swift < <(files '*.swift')
mapfile -t shell < <(scripts)
check 'make format fixes most problems of format' swift format lint --strict "${swift[@]}"
check 'shellcheck reported problems' shellcheck --external-sources "${shell[@]}"
# Arm64 has another sign of char, and other sizes of some types. What C includes is then that of arm64 too.
for file in Sources/*/C*/*.c; do
  check "$file does not compile for arm64" clang --target=aarch64-linux-gnu -std=gnu17 -fsyntax-only -Wall -Wextra -Wconversion \
    -Werror -nostdlibinc -isystem /usr/aarch64-linux-gnu/include -I "${file%/*}/include" "$file"
done
check 'the imports of targets are not in order' Scripts/structure.py
check 'comments or titles of tests are not plain English' Scripts/prose.py
check 'the schema of world files is wrong' Scripts/worlds.py
check 'packages or pages have another version: packaging/update.sh' packaging/update.sh --check
[ "$status" != 0 ] || echo "check: ${#swift[@]} Swift files, ${#shell[@]} scripts: all well"
exit "$status"
