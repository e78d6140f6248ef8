#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fetches a bluetoothd that is not the one of this machine, once, with the libraries that it needs. Installs nothing.
#
#   bluez.sh VERSION   print the directory of that version in the cache of the rig, and fill it first if necessary.
#                      The program `bluetoothd` there starts it.
#
# bluez/VERSION.list pins the packages. They come from the mirror that apt uses on this machine, or from
# $BLECTL_DEBIAN_MIRROR; those that it does not have any more from Debian's archive, as of the day that the list names.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf 'bluez: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

[ $# = 1 ] || die 'usage: bluez.sh VERSION'
list=$here/bluez/$1.list
if [ ! -e "$list" ]; then
  known=$(cd "$here/bluez" && echo *.list)
  die "no such version of BlueZ: '$1' (there are: ${known//.list/})"
fi
cache=${BLECTL_RIG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blectl-rig}
ready=$cache/bluez-$1-$(cat "$list" "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)

# fetch MIRROR PATH SHA256 FILE
fetch() {
  /usr/lib/apt/apt-helper -o Acquire::Retries=3 -o APT::Sandbox::User=root \
    download-file "${1%/}/$2" "$4" "SHA256:$3"
}

fill() {
  local work mirror archive sum path
  # shellcheck disable=SC2016  # for apt to expand
  mirror=${BLECTL_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' |
    head -1)}
  [ -n "$mirror" ] || die 'apt knows no mirror of Debian: name one in BLECTL_DEBIAN_MIRROR'
  archive=http://snapshot.debian.org/archive/debian/$(sed -n 's/^# Seen on //p' "$list")
  work=$(mktemp -d "$cache/new.bluez.XXXXXX")
  # shellcheck disable=SC2064  # this directory
  trap "rm -rf '$work'" EXIT
  trap 'exit 130' INT TERM HUP
  while read -r sum path; do
    fetch "$mirror" "$path" "$sum" "$work/package.deb" >"$work/log" 2>&1 ||
      fetch "$archive" "$path" "$sum" "$work/package.deb" >>"$work/log" 2>&1 || {
      cat "$work/log" >&2
      die "cannot fetch ${path##*/}: 'Other versions of BlueZ' in Tests/System/Rig/README.md says what to do"
    }
    dpkg-deb -x "$work/package.deb" "$work/root"
    rm "$work/package.deb"
  done < <(grep -v '^#' "$list")
  # Only what runs is kept. The program replaces the shell: it has the process id that the caller knows.
  rm -rf "$work"/root/usr/share "$work"/root/usr/lib/x86_64-linux-gnu/gconv
  cat >"$work/root/bluetoothd" <<'PROGRAM'
#!/bin/sh
root=$(dirname "$(realpath "$0")")
libraries=$root/usr/lib/x86_64-linux-gnu
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$root/usr/libexec/bluetooth/bluetoothd" "$@"
PROGRAM
  chmod 755 "$work/root/bluetoothd"
  [ "$("$work/root/bluetoothd" --version)" = "$1" ] || die "the packages of bluez/$1.list do not run here"
  mv "$work/root" "$ready"
}

if [ ! -e "$ready" ]; then
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  [ -e "$ready" ] || fill "$1" # another one may have done the work meanwhile
fi
printf '%s\n' "$ready"
