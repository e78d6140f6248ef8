#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds all programs, libraries and tests with Swift 6.2, the oldest version that the package promises to build with, and
# runs the unit tests of the lowest targets. The compiler is that of Debian sid, in a chroot.
#
#   run.sh             what the part swift-6.2 does
#   run.sh COMMAND…    runs COMMAND there, such as: run.sh swift build --scratch-path .build-swift-6.2 --target DBus
#
# The chroot is made once, in $BLECTL_SWIFT_CACHE, or blectl-swift-6.2 under $XDG_CACHE_HOME (~/.cache); it takes 3 GB, and
# deleting it makes the next run fetch it again. Only processes in it see its mounts, which end with them.
set -euo pipefail
cd "$(dirname "$0")/../../.."

wanted=6.2 source=$PWD scratch=.build-swift-6.2
cache=${BLECTL_SWIFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blectl-swift-6.2}
packages=(swiftlang git ca-certificates pkg-config libc6-dev g++ libdbus-1-dev dbus-daemon libssl-dev)
# The targets on which all others stand.
suites='AsyncIOTests|DBusTests|BlueZClientTests|JSONTests'

say() { printf 'swift-6.2: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Calls a function as root, and where its mounts end with it: no other process sees them.
apart() { # FUNCTION ARGUMENT…
  local privileges=()
  [ "$(id -u)" = 0 ] || privileges=(sudo)
  "${privileges[@]}" unshare --mount --propagation private bash -euo pipefail -c "$(declare -f "$1"); \"\$@\"" swift-6.2 "$@"
}

make_root() { # ROOT MIRROR PACKAGE…
  local root=$1.new ready=$1 mirror=$2
  shift 2
  # Left by one that was killed.
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase sid "$root" "$mirror" >/dev/null
  # No service may start.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  mount --rbind /proc "$root/proc"
  env -u TMPDIR DEBIAN_FRONTEND=noninteractive chroot "$root" \
    apt-get install -qqy --no-install-recommends "$@" >/dev/null
  chroot "$root" apt-get clean
  umount --lazy "$root/proc"
  mv "$root" "$ready"
}

# The package is /blectl in the chroot. Folders from which git fetches in place of a server have the same path there.
enter_root() { # ROOT SOURCE USER:GROUP GIT-CONFIGURATION COMMAND…
  local root=$1 source=$2 user=$3 configuration=$4 folder
  shift 4
  mount -t tmpfs -o mode=1777 tmp "$root/tmp"
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/blectl"
  mount --bind "$source" "$root/blectl"
  sed -nE 's|^\[url "(file://)?(/.*)"\]$|\2|p' "$configuration" | while read -r folder; do
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
  done
  mkdir "$root/tmp/home"
  cp "$configuration" "$root/tmp/home/.gitconfig"
  chown -R "$user" "$root/tmp/home"
  exec env -u TMPDIR -u XDG_CACHE_HOME HOME=/tmp/home PATH=/usr/bin:/usr/sbin:/bin:/sbin chroot --userspec="$user" "$root" \
    sh -c 'cd /blectl && exec "$@"' sh "$@"
}

enter() { apart enter_root "$root" "$source" "$(id -u):$(id -g)" "$scratch/gitconfig" env -u BLECTL_TOOLS "$@"; }

Scripts/setup.sh debootstrap debian-archive-keyring
mkdir -p "$cache" "$scratch"
root=$cache/$(printf '%s\n' "${packages[@]}" | sha256sum | cut -c1-16)
(
  flock 9
  if [ ! -d "$root" ]; then
    say "installing Swift of Debian sid in $root"
    apart make_root "$root" "${BLECTL_DEBIAN_MIRROR:-http://deb.debian.org/debian}" "${packages[@]}"
  fi
) 9>"$cache/lock"

# Where git fetches from on this machine; and it trusts repositories of any owner.
: >"$scratch/gitconfig"
{ git config --get-regexp '^url\..*\.insteadof$' || true; } | while read -r key value; do
  git config --file "$scratch/gitconfig" --add "$key" "$value"
done
git config --file "$scratch/gitconfig" safe.directory '*'

if [ $# -gt 0 ]; then
  enter "$@"
  exit
fi

version=$(enter swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p')
say "building with Swift $version"
# Debian has the module of Testing with Foundation, but not its library. The tests name it, and use nothing of it.
enter sh -c "mkdir -p '$scratch/empty' && ar rcs '$scratch/empty/lib_Testing_Foundation.a'"
enter swift build --build-tests --scratch-path "$scratch" -Xlinker "-L/blectl/$scratch/empty"
enter "$scratch/debug/blectlPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$suites"
say "built, and tested, with Swift $version"
case $version in
  "$wanted".*) ;;
  *) fail "Debian sid has Swift $version now: nothing was built with Swift $wanted" ;;
esac
