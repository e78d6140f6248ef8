#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds what a release page has into dist/: for each architecture a Debian package, an archive and a bill of materials (SPDX), and
# SHA256SUMS. The same commit makes the same bytes, with the same compilers.
#
#   Scripts/release/release.sh [--dirty] [--into FOLDER] [ARCHITECTURE…]     amd64 and arm64; on arm64 that one alone
#
# The tree must be that of a commit, which --dirty does without. On amd64, Scripts/release/arm64.sh builds for arm64.
# The programs start with the glibc that packaging/release.sh names.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/release.sh
. packaging/release.sh

fail() {
  echo "release: $1" >&2
  [ $# = 1 ] || echo "hint: $2" >&2
  exit 1
}
say() { echo "release: $*" >&2; }

dirty='' dist=dist
while [[ ${1-} = --* ]]; do
  case $1 in
    --dirty) dirty=yes ;;
    --into) dist=$2 && shift ;;
    *) fail "unknown option $1" ;;
  esac
  shift
done
native=$(dpkg --print-architecture)
architectures=("$@")
[ $# -gt 0 ] || architectures=("$native")
[ $# -gt 0 ] || [ "$native" != amd64 ] || architectures+=(arm64)
for architecture in "${architectures[@]}"; do
  case $native/$architecture in
    amd64/amd64 | arm64/arm64 | amd64/arm64) ;;
    *) fail "$architecture cannot be built on $native" "make release ARCHITECTURES=$native" ;;
  esac
done
changes=$(git status --porcelain)
[ -n "$dirty" ] || [ -z "$changes" ] || fail "the tree differs from the commit: $(head -1 <<<"$changes")" "commit, or git stash -u"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC BLECTL_GLIBC=$glibc
unset BLECTL_TOOLS BLECTL_TESTS BLECTL_FUZZ
umask 022

tools=(dpkg-dev xz-utils binutils)
[[ $native = arm64 || " ${architectures[*]} " != *' arm64 '* ]] || tools+=(binutils-aarch64-linux-gnu)
Scripts/setup.sh "${tools[@]}"

# The packages are those that this commit was tested with, not the newest.
pins=Scripts/release/pins.json
pinned() { jq -S '[.pins[] | {identity, state}]' "$1"; }
[ -e Package.resolved ] || cp "$pins" Package.resolved
[ "$(pinned Package.resolved)" = "$(pinned "$pins")" ] ||
  fail "Package.resolved has other versions than $pins" "cp $pins Package.resolved; or, for a release with the newer ones: cp Package.resolved $pins"

work=.build-release/dist
rm -rf "$work"
mkdir -p "$work"
# This one prints the manual and the completions of both.
say "building for $native with Swift $(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p')"
Scripts/build.sh blectl --scratch-path ".build-release/$native" >&2
runnable=$PWD/.build-release/$native/release/blectl
[ "$("$runnable" --version)" = "blectl $version" ] || fail "the program says $("$runnable" --version), and the version is $version"

for architecture in "${architectures[@]}"; do
  program=$runnable compiler=(swift --version)
  if [ "$architecture" != "$native" ]; then
    compiler=(Scripts/release/arm64.sh swift --version)
    say "building for $architecture"
    program=$(Scripts/release/arm64.sh)
  fi
  swift=$("${compiler[@]}" 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p')
  oldest=$(Scripts/release/glibc.sh "$program" "$glibc")
  if strings "$program" | grep -F "$PWD/"; then fail "the program for $architecture names the folder in which it was built"; fi
  export NOTICE=$work/NOTICE
  Scripts/release/bill.py notice ".build-release/$architecture" "$program" "$swift" >"$NOTICE"
  Scripts/release/deb.sh "$program" "$architecture" "$work" "$runnable"
  Scripts/release/archive.sh "$program" "$architecture" "$work" "$runnable"
  rm "$NOTICE"
  Scripts/release/bill.py spdx ".build-release/$architecture" "$program" "$swift" "$version" "$repository" \
    "$work/blectl_$version-1_$architecture.deb" "$work/blectl-$version-linux-$architecture.tar.xz" \
    >"$work/blectl-$version-linux-$architecture.spdx.json"
  say "$architecture: Swift $swift, glibc $oldest and later"
done
(cd "$work" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
rm -rf "$dist"
mv "$work" "$dist"
(cd "$dist" && wc --bytes -- * | sed '$d')
