#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the examples of docs/testing.md files of a package outside the checkout, and runs each: the test of a program of
# CoreBluetooth with BLETesting, by the steps of the CI job; pytest and the shell with blectl.
set -euo pipefail
cd "$(dirname "$0")/../../.."

root=$PWD page=$PWD/docs/testing.md
blectl=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
python=$(Tests/System/Clients/run.sh --python)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first line of an example that is a comment with a path names its file. JSON has no comments: there, the text before does.
"$python" - "$page" "$work" <<'END'
import pathlib, re, sys
page, folder = map(pathlib.Path, sys.argv[1:])
count = 0
for before, kind, code in re.findall(r'([^\n]*)\n\n^```(\w+)\n(.*?)^```', page.read_text(), re.M | re.S):
    if kind == 'json':
        named = re.search(r'`(\S+\.json)`:$', before)
    else:
        named = re.search(r'^(?://|#) (\S+/\S+|\S+\.\w+)\n', code, re.M)
    if not named:
        sys.exit(f'testing: an example in {kind} names no file:\n{code}')
    file = folder / named[1]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code)
    count += 1
print(f'testing: {count} files from {page.name}')
END
cd "$work"
ln -s "$blectl" blectl
export PATH=$work:$PATH

# The checkout instead of the address, and a build folder that is kept.
manifest=$(sed -E "s|\.package\(url: \"[^\"]*/blectl.git\", branch: \"main\", |.package(name: \"blectl\", path: \"$root\", |" Package.swift)
printf '%s\n' "$manifest" >Package.swift
swift() { command swift "$@" --scratch-path "$root/.build/testing"; }
# The packages that the job installs must be here.
apt-get() {
  [ "$1" != install ] || dpkg -s "${@:3}" >/dev/null
}
steps=$(sed -n 's/^ *- run: //p' .github/workflows/test.yml)
while IFS= read -r step; do
  echo "testing: $step"
  eval "$step"
done <<<"$steps" 2>&1 | tee swift.log
grep -qE 'Test run with [1-9][0-9]* tests? .*passed' swift.log || { echo 'testing: swift test ran no test' >&2 && exit 1; }

for script in *.sh; do
  echo "testing: $script"
  sh -eu "$script"
done
echo 'testing: pytest'
"$python" -B -m pytest -q -p no:cacheprovider
echo 'testing: every example runs'
