#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a Debian package of a built program, the same bytes each time.
#
#   Scripts/release/deb.sh PROGRAM ARCHITECTURE FOLDER [RUNNABLE]
#
# RUNNABLE prints the manual and the completions, where PROGRAM is for another machine. $NOTICE names what is linked in, for a
# package that is given to others.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/release.sh
. packaging/release.sh

blectl=$1 architecture=$2 folder=$3 runnable=${4-$1}
date=$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
# A locally built package has no public maintainer.
maintainer="${DEBFULLNAME:-blectl maintainers} <${DEBEMAIL:-blectl@localhost.localdomain}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

Scripts/release/install.sh "$blectl" "$architecture" /usr "$tree" "$runnable"
# Where Debian's zsh looks: not in site-functions of /usr.
mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
find "$tree/usr/share/man" -type f -exec gzip -9n {} +

documents=$tree/usr/share/doc/blectl
mkdir -p "$documents" "$work/debian" "$tree/DEBIAN" "$tree/usr/share/lintian/overrides"
{
  echo "blectl ($version-1) unstable; urgency=medium"
  printf '\n  * See /usr/share/doc/blectl/changelog.gz.\n\n'
  echo " -- $maintainer  $date"
} | gzip -9n >"$documents/changelog.Debian.gz"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
{
  echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  printf 'Upstream-Name: blectl\n'
  [ -z "${NOTICE-}" ] || echo 'Comment: /usr/share/doc/blectl/NOTICE.gz names what is linked in, with its licences.'
  printf '\nFiles: *\n'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE | head -1
  echo 'License: MIT'
  sed -e '1,/^Copyright/d' -e '/./!d' -e 's/^/ /' LICENSE
} >"$documents/copyright"
[ -z "${NOTICE-}" ] || gzip -9nc "$NOTICE" >"$documents/NOTICE.gz"
cat >"$tree/usr/share/lintian/overrides/blectl" <<END
# The runtime of Swift is linked in on purpose: no release of Debian has one that others could share.
blectl: embedded-library
# No bug of Debian asks for the package.
blectl: initial-upload-closes-no-bugs
END

# The unit among the recipes is installed where systemd looks for it.
for file in $(git ls-files Examples | grep -v '\.service$'); do
  install -D -m "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$documents/examples/${file#Examples/}"
done
install -m 644 docs/example-world.json "$documents/examples"

cat >"$tree/DEBIAN/control" <<END
Package: blectl
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f1)
Depends: $(Scripts/release/needs.sh "$blectl")
Recommends: bluez, libsqlite3-0
Suggests: dbus-daemon, libedit2, libmosquitto1, libssl3
Section: utils
Priority: optional
Description: Bluetooth Low Energy for the shell
 Scans, connects, lists services, reads, writes and subscribes, over BlueZ and
 D-Bus. Prints tables for people, lines for pipes and JSON for programs, and
 simulates a BlueZ where there is no radio.
END
(cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$tree"
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
# With several threads, xz makes other bytes.
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$tree" "$folder/blectl_$version-1_$architecture.deb" >/dev/null
