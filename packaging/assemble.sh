#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Assembles what a release page has: the files of `make release` of each architecture, install.sh, the packages with the sums of
# these files, and one SHA256SUMS.
#
#   packaging/assemble.sh DIST FOLDER…     DIST must not exist
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: packaging/assemble.sh DIST FOLDER…" >&2 && exit 64; }
root=$(realpath "$(dirname "$0")/..")
dist=$(realpath "$1")
[ ! -e "$dist" ] || { echo "packaging: $1 exists" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for folder in "${@:2}"; do
  (cd "$folder" && sha256sum --check --strict --quiet SHA256SUMS)
  while read -r _ file; do
    file=${file#\*}
    # Such as the bill of materials, which each architecture writes.
    if [ -e "$work/$file" ] && ! cmp -s "$folder/$file" "$work/$file"; then
      echo "packaging: $folder/$file differs from that of another architecture" >&2
      exit 1
    fi
    cp "$folder/$file" "$work/"
  done <"$folder/SHA256SUMS"
done
sums() { (cd "$work" && rm -f SHA256SUMS && sha256sum -- * >"$work.sums" && mv "$work.sums" SHA256SUMS); }
sums

cd "$root"
packaging/update.sh "$work"
# shellcheck source=packaging/release.sh
. packaging/release.sh
cp packaging/install.sh "$work/"
tar -cJf "$work/blectl-$version-packaging.tar.xz" --owner=0 --group=0 --sort=name \
  packaging/{arch,container,homebrew,nix,rpm} packaging/README.md
sums
chmod 755 "$work"
mv "$work" "$dist"
trap - EXIT
