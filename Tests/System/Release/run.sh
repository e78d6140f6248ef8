#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a release from a fresh clone, twice, and tries what is on its page where users install it.
#
#   run.sh                          all of it
#   run.sh [--dist FOLDER] STEP…    some of: contents debian arm64 packaging; on a release that exists, dist/
#
# - build: `make release` makes all files, and the same bytes in another folder
# - contents: lintian, sums, licences and the bill of materials
# - debian: the package and the archive in Debian 12, 13 and testing: install, use, upgrade, purge
# - arm64: the same in Debian 12 for arm64, the demo there, and tests of the commands on its program, by qemu
# - packaging: the files for other systems, as far as Debian has their tools
#
# The chroots need root. Those of Debian are kept (Scripts/chroot.sh), and changed only for one run.
set -euo pipefail
cd "$(dirname "$0")/../../.."
here=Tests/System/Release
# shellcheck source=Scripts/chroot.sh
. Scripts/chroot.sh
# shellcheck source=packaging/release.sh
. packaging/release.sh

say() { echo "release: $*" >&2; }
fail() {
  say "$*"
  exit 1
}
dist=''
[ "${1-}" != --dist ] || { dist=$(realpath "$2") && shift 2; }
steps=("$@")
[ $# -gt 0 ] || steps=(build contents debian arm64 packaging)
[ -n "$dist" ] || dist=$PWD/dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export version

# Two clones in folders of other names: a path, a time or an order must not be part of what is built.
clone_and_build() { # FOLDER
  rm -rf "$1"
  git clone --quiet --no-hardlinks . "$1"
  (cd "$1" && make --no-print-directory release >&2)
}
step_build() {
  [ -z "$(git status --porcelain)" ] || say 'the clones have the commit, not the changes of this tree'
  clone_and_build .build-release/first
  clone_and_build .build-release/a-second
  dist=$PWD/.build-release/first/dist
  diff --recursive --brief "$dist" .build-release/a-second/dist >&2 || fail 'two builds of the same commit differ'
  say "two builds are the same: $(sha256sum <"$dist/SHA256SUMS" | cut -c1-16)"
  rm -rf .build-release/a-second
}

step_contents() {
  Scripts/setup.sh lintian python3-venv
  (cd "$dist" && sha256sum --check --strict --quiet SHA256SUMS) || fail 'SHA256SUMS has other sums'
  local architecture name expected
  expected=$(for architecture in amd64 arm64; do
    printf '%s\n' "blectl_$version-1_$architecture.deb" "blectl-$version-linux-$architecture"{.tar.xz,.spdx.json}
  done | cat - <(echo SHA256SUMS) | LC_ALL=C sort)
  [ "$(cd "$dist" && printf '%s\n' * | LC_ALL=C sort)" = "$expected" ] || fail "the release has other files: $(ls "$dist")"
  # What lintian finds in overrides is explained there. A locally built package has no public maintainer.
  lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
    "$dist"/*.deb >&2 || fail 'lintian finds fault'
  for architecture in amd64 arm64; do
    name=blectl-$version
    rm -rf "${work:?}/$name" "$work/deb"
    tar -C "$work" -xJf "$dist/$name-linux-$architecture.tar.xz"
    dpkg-deb -x "$dist/blectl_$version-1_$architecture.deb" "$work/deb"
    cmp "$work/$name/bin/blectl" "$work/deb/usr/bin/blectl" || fail 'package and archive have other programs'
    Scripts/release/glibc.sh "$work/$name/bin/blectl" "$glibc" >/dev/null
    for file in bin/blectl lib/systemd/system/blectl-log@.service share/man/man1/blectl.1 share/man/man1/blectl-scan.1 \
      share/man/man5/blectl-world.5 share/bash-completion/completions/blectl share/zsh/site-functions/_blectl \
      share/fish/vendor_completions.d/blectl.fish share/licenses/blectl/LICENSE share/licenses/blectl/NOTICE; do
      [ -s "$work/$name/$file" ] || fail "the archive for $architecture has no $file"
    done
    [ -x "$work/deb/usr/share/doc/blectl/examples/recipes/sqlite.sh" ] || fail 'the package has no recipes'
  done
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r $here/requirements.txt
  for architecture in amd64 arm64; do
    "$work/venv/bin/pyspdxtools" --infile "$dist/blectl-$version-linux-$architecture.spdx.json" || fail 'the bill is not SPDX'
  done
  say 'contents, sums, licences and bills are right'
}

# What the page of a release has, and an earlier package for the upgrade. None was published: it is this one with another version.
given() { # ARCHITECTURE
  local given=$work/given-$1
  mkdir "$given"
  cp "$dist"/SHA256SUMS "$dist/blectl_$version-1_$1.deb" "$dist/blectl-$version-linux-$1.tar.xz" packaging/install.sh \
    $here/debian.sh "$given"
  dpkg-deb -R "$given/blectl_$version-1_$1.deb" "$work/old"
  sed -i 's/^Version: .*/Version: 0.1.0-1/' "$work/old/DEBIAN/control"
  touch "$work/old/usr/share/doc/blectl/only-in-0.1"
  dpkg-deb --root-owner-group -Zgzip --build "$work/old" "$given/old.deb" >/dev/null
  rm -r "$work/old"
  echo "$given"
}

step_debian() {
  local suite files
  files=$(given "$(dpkg --print-architecture)")
  for suite in bookworm trixie testing; do
    need_root "$suite"
    apart enter_layer "$root" "$files" bash /given/debian.sh "$version" >&2 || fail "it fails in Debian $suite"
  done
}

# The commands that users run most; what depends on time and load is not played with an interpreter.
suites='EndToEndTests.(OutputTests|WriteFileTests|ReplyTests|ProfileTests|KeysTests|WorldFileTests)'
step_arm64() {
  local files
  [ "$(dpkg --print-architecture)" = amd64 ] || { say 'arm64: this is no amd64' && return; }
  files=$(given arm64)
  need_emulated_root bookworm
  emulated enter_layer "$root" "$files" bash /given/debian.sh "$version" >&2 || fail 'it fails in Debian for arm64'
  cp Scripts/demo.sh "$files"
  # shellcheck disable=SC2016  # another shell expands it
  emulated enter_layer "$root" "$files" bash -euc '
    mkdir /tmp/Scripts && cp /given/demo.sh /tmp/Scripts
    { apt-get update && apt-get install -qqy --no-install-recommends "$1" dbus-daemon; } >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
    BLECTL=/usr/bin/blectl exec /tmp/Scripts/demo.sh' bash "/given/blectl_$version-1_arm64.deb" >&2 || fail 'the demo fails on arm64'
  say 'arm64: installed, and the demo played'
  play_suites "$files" >&2 || fail 'tests of the commands fail on arm64'
}

# The tests are programs of this machine, which start the program of the package; its libraries are those of the chroot.
run_emulated() { # ROOT FOLDER COMMAND…
  export QEMU_LD_PREFIX=$1
  shift
  exec "$@"
}
play_suites() { # FOLDER
  local tests sysroot
  tests=$(Scripts/built.sh --tests)/blectlPackageTests.xctest
  sysroot=$(Scripts/release/arm64.sh --sysroot)
  dpkg-deb -x "$1/blectl_$version-1_arm64.deb" "$work/arm64"
  emulated run_emulated "$sysroot" env BLECTL="$work/arm64/usr/bin/blectl" \
    "$tests" --testing-library swift-testing --no-parallel --filter "$suites"
}

step_packaging() {
  $here/packaging.sh "$dist"
}

for step in "${steps[@]}"; do
  declare -F "step_$step" >/dev/null || { echo "release: no step $step" >&2 && exit 64; }
  "step_$step"
done
