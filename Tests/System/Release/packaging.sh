#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks the files for other systems with the tools that Debian has of them, on a release: the PKGBUILD and the RPM spec are built,
# the others parsed. What they need of the network is not played.
#
#   packaging.sh DIST
set -euo pipefail
cd "$(dirname "$0")/../../.."
dist=$(realpath "$1")
# shellcheck source=packaging/release.sh
. packaging/release.sh

fail() {
  echo "packaging: $*" >&2
  exit 1
}
Scripts/setup.sh rpm rpmlint nix-bin makepkg ruby libarchive-tools fakeroot python3-venv python3-yaml
work=$(mktemp -d)
# makepkg does not run as root, and asks for pacman before it does anything: as_nobody.
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

packaging/update.sh --check

# The page of a release, with the sums of these files. It changes files of the tree, so it gets a copy.
git ls-files -z | xargs -0 cp --parents --no-dereference -t "$work" --
mkdir "$work/given"
cp "$dist"/* "$work/given"
(cd "$work" && git init --quiet && git add -A && packaging/assemble.sh page given)
(cd "$work/page" && sha256sum --check --strict --quiet SHA256SUMS) || fail 'the page has other sums'
for file in install.sh "blectl-$version-packaging.tar.xz"; do
  [ -s "$work/page/$file" ] || fail "the page has no $file"
done
tar -C "$work" -xJf "$work/page/blectl-$version-packaging.tar.xz"
packaging=$work/packaging
! grep -rE '0{64}' "$packaging" || fail 'a package has no sum of its archive'

# Arch Linux. What the shell of makepkg would print is compared with .SRCINFO, and the package built from the archive here.
shellcheck "$packaging/arch/PKGBUILD"
cp "$work/page/blectl-$version"-linux-*.tar.xz "$packaging/arch"
chmod -R a+rwX "$packaging/arch"
as_nobody() { (cd "$packaging/arch" && setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$packaging/arch" PACMAN=true "$@"); }
as_nobody makepkg --printsrcinfo | diff - "$packaging/arch/.SRCINFO" || fail '.SRCINFO is not that of the PKGBUILD'
as_nobody makepkg --nodeps --nocheck >"$work/said" 2>&1 || { cat "$work/said" >&2 && fail 'makepkg fails'; }
contents=$(tar -tf "$packaging"/arch/*.pkg.tar.*)
for file in usr/bin/blectl usr/lib/systemd/system/blectl-log@.service usr/share/licenses/blectl-bin/NOTICE; do
  grep -qx "$file" <<<"$contents" || fail "the package of Arch Linux has no $file"
done

# RPM.
rpmbuild -bb --nodeps --target x86_64 --define "_topdir $work/rpm" --define "_sourcedir $work/page" \
  --define "_unitdir /usr/lib/systemd/system" "$packaging/rpm/blectl.spec" >"$work/said" 2>&1 || { cat "$work/said" >&2 && fail 'rpmbuild fails'; }
rpm=$(find "$work/rpm/RPMS" -name '*.rpm')
rpm -qp --list "$rpm" | grep -qx /usr/bin/blectl || fail 'the RPM has no /usr/bin/blectl'
rpm -qp --requires "$rpm" | grep -q 'libdbus-1.so.3' || fail 'the RPM does not need libdbus'
rpmlint "$packaging/rpm/blectl.spec" >"$work/said" 2>&1 || { cat "$work/said" >&2 && fail 'rpmlint finds errors'; }

# The others.
nix-instantiate --parse "$packaging/nix/flake.nix" >/dev/null 2>"$work/said" || { cat "$work/said" >&2 && fail 'nix does not parse the flake'; }
ruby -c "$packaging/homebrew/blectl.rb" >/dev/null || fail 'ruby does not parse the formula'
dash -n packaging/install.sh
# What the Containerfile copies is on the page.
for architecture in amd64 arm64; do
  name=$(sed -n 's/^COPY \([^ ]*\) .*/\1/p' packaging/container/Containerfile |
    sed "s/\${VERSION}/$version/; s/\${TARGETARCH}/$architecture/")
  [ -s "$work/page/$name" ] || fail "the page has no $name, which the Containerfile copies"
done
packaging/notes.sh | grep -qF "blectl_$version-1" || fail 'the notes name another package'

# The workflows. zizmor looks for rights that a job does not need, and for inputs that become commands.
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r Tests/System/Release/requirements.txt
"$work/venv/bin/zizmor" --offline --quiet --no-progress --min-severity medium .github/workflows >"$work/said" 2>&1 ||
  { cat "$work/said" >&2 && fail 'zizmor finds fault'; }
echo 'packaging: Arch Linux and RPM built, Nix, Homebrew, container and workflows checked' >&2
