#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the archive of a built program, its manual, completions, unit and licences, the same bytes each time.
#
#   Scripts/release/archive.sh PROGRAM ARCHITECTURE FOLDER [RUNNABLE]
#
# RUNNABLE prints the manual and the completions, where PROGRAM is for another machine. $NOTICE names what is linked in.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/release.sh
. packaging/release.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/blectl-$version
Scripts/release/install.sh "$1" "$2" /usr/local "$work/root" "${4-$1}"
mv "$work/root/usr/local" "$tree"
install -D -m 644 LICENSE "$tree/share/licenses/blectl/LICENSE"
install -m 644 "$NOTICE" "$tree/share/licenses/blectl/NOTICE"
chmod -R u=rwX,go=rX "$tree"
tar --create --directory "$work" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  "blectl-$version" | xz -9 --threads=1 >"$3/blectl-$version-linux-$2.tar.xz"
