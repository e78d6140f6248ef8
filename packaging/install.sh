#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs blectl from the archive of a release, after it has compared the archive with SHA256SUMS.
#
#   curl -fsSL https://example.org/blectl/releases/latest/download/install.sh | sh
#   curl -fsSL https://example.org/blectl/releases/latest/download/install.sh | sh -s -- --uninstall
#
# The options are in usage(). The last line calls everything; braces around it, so that half of the line does nothing either.
set -eu

# packaging/update.sh writes these two, and the addresses above.
version=1.0.0
repository=https://example.org/blectl

usage() {
  cat <<END
Installs blectl $version, or removes it.

  sh install.sh [--prefix FOLDER] [--from FOLDER|URL]
  sh install.sh [--prefix FOLDER] --uninstall

  --prefix FOLDER    default \$PREFIX, or /usr/local for root and ~/.local for others
  --from FOLDER|URL  where the archive and SHA256SUMS are; default
                     $repository/releases/download/v$version
  --uninstall        removes what an earlier installation in this folder has installed
END
}

fail() { # WHAT AND WHY [HINT]
  echo "install: $1" >&2
  [ $# = 1 ] || echo "hint: $2" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Creates a folder, and keeps which folders were created: only these are removed later.
created=''
ensure() { # FOLDER
  [ ! -d "$1" ] || return 0
  ensure "$(dirname "$1")"
  mkdir "$1" || fail "cannot create $1" "select another folder with --prefix, or run this as root"
  created="$1
$created"
}

remove_folders() { # removes those that standard input names, if nothing is in them
  while IFS= read -r folder; do
    [ -z "$folder" ] || rmdir "$folder" 2>/dev/null || :
  done
}

stage='' finished=''
clean() {
  [ -z "$stage" ] || rm -rf "$stage"
  [ -n "$finished" ] || printf '%s' "$created" | remove_folders
}

architecture() {
  [ "$(uname -s)" = Linux ] || fail "this is $(uname -s), and blectl runs on Linux"
  # A 64-bit kernel may run a 32-bit system, as that of Raspberry Pi OS does.
  [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] ||
    fail "this system is a 32-bit one, and blectl needs a 64-bit one" "Raspberry Pi OS exists in a 64-bit version"
  case $(uname -m) in
    x86_64 | amd64) echo amd64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "no release is built for $(uname -m)" "build it from source: $repository" ;;
  esac
}

fetch() { # FILE: from $from to $stage
  case $from in
    https://*)
      if have curl; then
        curl --proto '=https' --tlsv1.2 -fsSL --retry 3 -o "$stage/$1" "$from/$1" || fail "cannot download $from/$1"
      elif have wget; then
        wget -q -O "$stage/$1" "$from/$1" || fail "cannot download $from/$1"
      else
        fail "cannot download $1: neither curl nor wget is installed" "download the files, then: sh install.sh --from FOLDER"
      fi
      ;;
    *://*) fail "cannot download from $from: only https is accepted" ;;
    *) cp "$from/$1" "$stage/$1" 2>/dev/null || fail "cannot read $from/$1" ;;
  esac
}

verify() { # FILE in $stage
  expected=$(awk -v file="$1" '$2 == file || $2 == "*" file { print $1 }' "$stage/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS of $from does not list $1"
  found=$(sha256sum "$stage/$1" | cut -d ' ' -f 1)
  [ "$found" = "$expected" ] ||
    fail "$1 is damaged: its SHA-256 is $found, and SHA256SUMS has $expected" "download it again; nothing was installed"
}

# Runs the program before anything is installed: a library may be missing, or the C library too old.
try() { # PROGRAM
  if ! said=$("$1" --version 2>&1); then
    case $said in
      *libdbus*) hint='install libdbus: libdbus-1-3 on Debian and Ubuntu, dbus-libs on Fedora, dbus on Arch' ;;
      *GLIBC*) hint="this system is older than the one that the release was built on; build from source: $repository" ;;
      *) hint="the release needs glibc, libdbus-1 and a folder in which programs may run; or build from source: $repository" ;;
    esac
    fail "blectl does not run here: $said" "$hint"
  fi
  [ "$said" = "blectl $version" ] || fail "the archive has another version: $said instead of blectl $version"
}

installed() { # PREFIX: the list of what is installed there, "f FILE" and "d FOLDER"
  echo "$1/share/blectl/installed"
}

put() { # FOLDER: moves what is in it to $prefix
  list=$(installed "$prefix")
  (cd "$1" && find . ! -type d | sed 's|^\./||') >"$stage/files"
  # The folders first, so that the list has them; an interrupted installation can then be removed as well.
  while IFS= read -r file; do ensure "$(dirname "$prefix/$file")"; done <"$stage/files"
  ensure "${list%/*}"
  {
    printf '%s' "$created" | sed 's/^/d /'
    [ ! -e "$list" ] || grep '^d ' "$list" || :
  } >"$stage/folders"
  {
    while IFS= read -r file; do echo "f $prefix/$file"; done <"$stage/files"
    echo "f $list"
    cat "$stage/folders"
  } >"$stage/new"
  if [ -e "$list" ]; then cp "$list" "$stage/old"; else : >"$stage/old"; fi
  sort -u "$stage/old" "$stage/new" >"$stage/both"
  cat "$stage/both" >"$list"
  finished=yes
  while IFS= read -r file; do mv -f "$1/$file" "$prefix/$file"; done <"$stage/files"
  # Files of an earlier version that this one no longer has.
  grep '^f ' "$stage/old" | grep -vxFf "$stage/new" | cut -c 3- | while IFS= read -r file; do rm -f "$file"; done || :
  cat "$stage/new" >"$list"
}

install() {
  archive=blectl-$version-linux-$(architecture).tar.xz
  for tool in tar xz sha256sum awk; do
    have "$tool" || fail "the command $tool is missing" "install it: xz is in the package xz-utils or xz"
  done
  ensure "$prefix"
  # In the folder itself, so that each file is replaced in one step, also while the program runs.
  stage=$(mktemp -d "$prefix/.blectl.XXXXXX" 2>/dev/null) ||
    fail "cannot write in $prefix" "select another folder with --prefix, or run this as root"
  fetch SHA256SUMS
  fetch "$archive"
  verify "$archive"
  xz -dc "$stage/$archive" | tar -xof - -C "$stage" || fail "cannot unpack $archive"
  tree=$stage/blectl-$version
  [ -x "$tree/bin/blectl" ] || fail "$archive has no blectl-$version/bin/blectl"
  try "$tree/bin/blectl"

  # The units name the program.
  escaped=$(printf '%s' "$prefix" | sed 's/[&|\\]/\\&/g')
  for unit in "$tree"/lib/systemd/system/*.service; do
    [ -e "$unit" ] || continue
    sed "s|^ExecStart=[^ ]*/bin/blectl |ExecStart=$escaped/bin/blectl |" "$unit" >"$stage/unit"
    cat "$stage/unit" >"$unit"
  done
  put "$tree"

  echo "installed blectl $version in $prefix; sh install.sh --prefix '$prefix' --uninstall removes it"
  first=$(command -v blectl || :)
  case $first in
    "$prefix/bin/blectl") ;;
    '') echo "hint: $prefix/bin is not in PATH" ;;
    *) echo "hint: PATH has another one first: $first" ;;
  esac
}

uninstall() {
  list=$(installed "$prefix")
  [ -f "$list" ] || fail "nothing is installed in $prefix: $list does not exist" "name the folder with --prefix"
  # In memory, since the list itself is removed.
  entries=$(cat "$list")
  printf '%s\n' "$entries" | while IFS= read -r entry; do
    case $entry in
      "f $prefix"/*) rm -f "${entry#f }" || fail "cannot remove ${entry#f }" "run this as the user who installed it" ;;
    esac
  done
  # The deepest first.
  printf '%s\n' "$entries" | sed -n 's/^d //p' | LC_ALL=C sort -r | remove_folders
  echo "removed blectl from $prefix"
}

main() {
  prefix=${PREFIX:-} from=$repository/releases/download/v$version action=install
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix | --from)
        [ -n "${2:-}" ] || fail "$1 needs a value" "sh install.sh --help"
        if [ "$1" = --prefix ]; then prefix=$2; else from=${2%/}; fi
        shift
        ;;
      --uninstall) action=uninstall ;;
      --help | -h) usage && exit ;;
      *) fail "unknown option $1" "sh install.sh --help" ;;
    esac
    shift
  done
  if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?}/.local; fi
  fi
  case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  prefix=${prefix%/}
  # What it installs is for all users.
  umask 022
  trap clean EXIT
  trap 'exit 130' INT TERM HUP
  "$action"
}

{ main "$@"; }
