#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a Debian package in .build/, and checks it: what it needs, what is in it, and what lintian says. With
# --chroot it is also installed in a fresh Debian 12, as root, where the program then has to do its work.
# Usage: [BLECTL=path/to/blectl] Scripts/package.sh [--chroot]       default .build/release/blectl
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh dpkg-dev lintian chrpath
blectl=${BLECTL:-.build/release/blectl}
version=$("$blectl" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
date=$(git log -1 --format=%cD)
# A locally built package has no public maintainer.
maintainer="${DEBFULLNAME:-blectl maintainers} <${DEBEMAIL:-blectl@localhost.localdomain}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# RELEASE=true: the binary is built already.
make --no-print-directory install PREFIX=/usr DESTDIR="$tree" BLECTL="$blectl" RELEASE=true >/dev/null
# The build looks for libraries beside the program; here there are none.
chrpath --delete "$tree/usr/bin/blectl" >/dev/null
find "$tree/usr/share/man" -type f -exec gzip -9n {} +

documents=$tree/usr/share/doc/blectl
mkdir -p "$documents" "$work/debian" "$tree/DEBIAN"
{
  echo "blectl ($version-1) unstable; urgency=medium"
  printf '\n  * See /usr/share/doc/blectl/changelog.gz.\n\n'
  echo " -- $maintainer  $date"
} >"$work/debian/changelog"
gzip -9nc "$work/debian/changelog" >"$documents/changelog.Debian.gz"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
{
  echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  printf 'Upstream-Name: blectl\n\nFiles: *\n'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE | head -1
  echo 'License: MIT'
  sed -e '1,/^Copyright/d' -e '/./!d' -e 's/^/ /' LICENSE
} >"$documents/copyright"

# The unit among the recipes is installed where systemd looks for it.
for file in $(git ls-files Examples | grep -v '\.service$'); do
  install -D -m "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$documents/examples/${file#Examples/}"
done
install -m 644 docs/example-world.json "$documents/examples"

# Its dependencies are read from the binary.
printf 'Source: blectl\n\nPackage: blectl\nArchitecture: any\n' >"$work/debian/control"
needs=$(cd "$work" && dpkg-shlibdeps -O tree/usr/bin/blectl 2>/dev/null | sed 's/^shlibs:Depends=//')
# Packed relocations need glibc 2.36; dpkg-shlibdeps looks at functions only.
if readelf -VW "$tree/usr/bin/blectl" | grep -q GLIBC_ABI_DT_RELR; then
  needs=$(sed -E 's/libc6 \(>= 2\.([0-2]?[0-9]|3[0-5])\)/libc6 (>= 2.36)/' <<<"$needs")
fi
cat >"$tree/DEBIAN/control" <<EOF
Package: blectl
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Depends: $needs
Recommends: bluez, libsqlite3-0
Suggests: dbus-daemon, libedit2, libmosquitto1, libssl3
Section: utils
Priority: optional
Description: Bluetooth Low Energy for the shell
 Scans, connects, lists services, reads, writes and subscribes, over BlueZ and
 D-Bus. Prints tables for people, lines for pipes and JSON for programs, and
 simulates a BlueZ where there is no radio.
EOF
(cd "$tree" && find usr -type f -printf '%P\n' | sed 's|^|usr/|' | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$tree"
package=.build/blectl_$version-1_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null

fail() {
  echo "package: $*" >&2
  exit 1
}

# Nothing beyond the C library, D-Bus and a database may be needed.
read -ra words <<<"$(sed -e "s/([^)]*)//g" -e "s/,/ /g" <<<"$needs")"
for need in "${words[@]}"; do
  case $need in
    libc6 | libgcc-s1 | libstdc++6 | libdbus-1-3 | libsqlite3-0) ;;
    *) fail "it needs $need" ;;
  esac
done
if readelf -d "$tree/usr/bin/blectl" | grep -E 'NEEDED.*(swift|Foundation)|RUNPATH|RPATH'; then
  fail "the Swift runtime is not linked into it"
fi
contents=$(dpkg-deb --contents "$package")
for file in usr/bin/blectl usr/share/man/man1/blectl.1.gz usr/share/man/man1/blectl-scan.1.gz \
  usr/share/man/man5/blectl-world.5.gz usr/share/bash-completion/completions/blectl \
  usr/share/zsh/site-functions/_blectl usr/share/fish/vendor_completions.d/blectl.fish \
  usr/share/doc/blectl/copyright usr/share/doc/blectl/examples/recipes/sqlite.sh \
  usr/lib/systemd/system/blectl-log@.service; do
  grep -q " \./$file\$" <<<"$contents" || fail "$file is not in it"
done
unit=$tree/usr/lib/systemd/system/blectl-log@.service
grep -q '^ExecStart=/usr/bin/blectl ' "$unit" || fail "the unit does not start /usr/bin/blectl"
if grep -q /usr/local "$unit"; then fail "the unit has a path of /usr/local"; fi
# The Swift runtime is linked in on purpose, and there is no bug that the first upload closes.
suppressed=initial-upload-closes-no-bugs,embedded-library,bogus-mail-host,bogus-mail-host-in-debian-changelog
lintian --allow-root --fail-on error --suppress-tags "$suppressed" "$package" || fail "lintian finds fault"

if [ "${1-}" = --chroot ]; then
  Scripts/setup.sh debootstrap
  root=${BLECTL_CHROOT:-$work/root}
  [ -d "$root/usr" ] || debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >/dev/null
  cp "$package" "$root/tmp/blectl.deb"
  # Swift reads its arguments from there.
  mount -t proc proc "$root/proc"
  trap 'umount "$root/proc"; rm -rf "$work"' EXIT
  # Its folder for temporary files is another one.
  env -u TMPDIR chroot "$root" sh -euc '
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q >/dev/null
    apt-get install -qqy --no-install-recommends /tmp/blectl.deb dbus-daemon >/dev/null
    blectl --version
    blectl read "MI Band 2" 2a28 --as utf8 --simulate | grep -x V1.0.1.81
    blectl listen --web 0 --duration 2s --simulate 2>&1 | grep -q "the page is at http://127.0.0.1:"
    blectl doctor --simulate --json | grep -q "\"check\":\"version\",\"status\":\"ok\""
    apt-get purge -qqy blectl >/dev/null
    [ ! -e /usr/bin/blectl ] && ! find /usr/share -name "*blectl*" | grep .
  ' || fail "it does not work in a fresh Debian 12"
  echo "package: installed, run and purged in a fresh Debian 12"
fi

echo "package: $package, $(stat -c %s "$package") bytes, $(du -sk --apparent-size "$tree/usr" | cut -f1) KiB installed; needs: $needs"
