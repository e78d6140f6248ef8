# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Chroots of Debian, for compilers and systems that this machine does not have. To be sourced.
#
# Each is made once, in $BLECTL_SWIFT_CACHE, or blectl-swift-6.2 under $XDG_CACHE_HOME (~/.cache). Deleting it makes the next run
# fetch it again. Only processes in a chroot see its mounts, which end with them.

chroots=${BLECTL_SWIFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blectl-swift-6.2}
debian=${BLECTL_DEBIAN_MIRROR:-http://deb.debian.org/debian}

# What builds blectl and its tests with the Swift of Debian sid; 3 GB.
# shellcheck disable=SC2034  # for the scripts that source this
swift_packages=(swiftlang git ca-certificates pkg-config libc6-dev g++ libdbus-1-dev dbus-daemon libssl-dev)

# Calls a function as root, and where its mounts end with it: no other process sees them.
apart() { # FUNCTION ARGUMENT…
  local privileges=()
  [ "$(id -u)" = 0 ] || privileges=(sudo)
  "${privileges[@]}" unshare --mount --propagation private bash -euo pipefail -c "$(declare -f "$1"); \"\$@\"" "${0##*/}" "$@"
}

# The same, and programs for arm64 run. Where this machine does not run them yet, qemu is registered for these processes alone:
# since Linux 6.7, each user namespace has a list of its own. In it, root is root, but makes no devices.
emulated() { # FUNCTION ARGUMENT…
  local interpreter privileges=()
  Scripts/setup.sh qemu-user-static
  if grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64; then
    apart "$@"
    return
  fi
  interpreter=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
  [ "$(id -u)" = 0 ] || privileges=(sudo)
  "${privileges[@]}" bash -euo pipefail -c "$(declare -f with_interpreter register "$1"); with_interpreter \"\$@\"" "${0##*/}" \
    "$interpreter" "$@"
}
register() { # INTERPRETER
  # A layer notes there what is new in it: other attributes need rights on the whole machine.
  export layer_options=,userxattr
  mount -t proc proc /proc
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  # The header of a program for arm64. F: the interpreter is opened now, since a chroot does not have it.
  printf ':qemu-aarch64:M:0:%s:%s:%s:OCF' '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
    '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$1" >/proc/sys/fs/binfmt_misc/register
}
with_interpreter() { # INTERPRETER FUNCTION ARGUMENT…
  local gate pid script
  gate=$(mktemp -d)
  mkfifo "$gate/open"
  script="$(declare -f register "$2"); register \"\$1\"; shift; \"\$@\""
  # shellcheck disable=SC2016  # another shell expands it
  # Root gets its rights in the namespace when it starts a program after the map was written.
  unshare --user --mount --propagation private --pid --fork --kill-child sh -c 'read -r _ <"$1"; shift; exec "$@"' sh "$gate/open" \
    bash -euo pipefail -c "$script" "${0##*/}" "$@" &
  pid=$!
  until [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do kill -0 "$pid"; done
  for map in uid_map gid_map; do echo '0 0 4294967295' >"/proc/$pid/$map"; done
  echo >"$gate/open"
  rm -r "$gate"
  wait "$pid"
}

make_root() { # ROOT SUITE MIRROR PACKAGE…
  local root=$1.new ready=$1 suite=$2 mirror=$3
  shift 3
  # Left by one that was killed.
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
  # No service may start.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  if [ $# -gt 0 ]; then
    mount --rbind /proc "$root/proc"
    env -u TMPDIR DEBIAN_FRONTEND=noninteractive chroot "$root" \
      apt-get install -qqy --no-install-recommends "$@" >/dev/null
    umount --lazy "$root/proc"
  fi
  chroot "$root" apt-get clean
  mv "$root" "$ready"
}

# A chroot of Debian for arm64 in two steps, the second in it.
unpack_emulated_root() { # ROOT SUITE MIRROR
  rm -rf --one-file-system "$1.new"
  debootstrap --variant=minbase --arch=arm64 --foreign "$2" "$1.new" "$3" >/dev/null
}
finish_emulated_root() { # ROOT
  # It is a container: debootstrap mounts, and makes no devices.
  container=lxc chroot "$1.new" /debootstrap/debootstrap --second-stage >/dev/null
  printf '#!/bin/sh\nexit 101\n' >"$1.new/usr/sbin/policy-rc.d"
  chmod 755 "$1.new/usr/sbin/policy-rc.d"
  mv "$1.new" "$1"
}
need_emulated_root() { # SUITE
  root=$chroots/$1-arm64
  Scripts/setup.sh debootstrap debian-archive-keyring
  mkdir -p "$chroots"
  (
    flock 9
    if [ ! -d "$root" ]; then
      echo "${0##*/}: installing Debian $1 for arm64 in $root" >&2
      apart unpack_emulated_root "$root" "$1" "$debian"
      emulated finish_emulated_root "$root"
    fi
  ) 9>"$chroots/lock"
}

# Makes a chroot unless it exists; `root` is then its folder. Its users may read it, and change it only above a layer of their own.
need_root() { # SUITE PACKAGE…
  root=$chroots/$1
  [ $# = 1 ] || root=$chroots/$(printf '%s\n' "${@:2}" | sha256sum | cut -c1-16)
  Scripts/setup.sh debootstrap debian-archive-keyring
  mkdir -p "$chroots"
  (
    flock 9
    if [ ! -d "$root" ]; then
      echo "${0##*/}: installing Debian $1 in $root" >&2
      apart make_root "$root" "$1" "$debian" "${@:2}"
    fi
  ) 9>"$chroots/lock"
}

# The package is /blectl in the chroot; other folders, one a line, have the same path there.
enter_root() { # ROOT SOURCE USER:GROUP GIT-CONFIGURATION FOLDERS COMMAND…
  local root=$1 source=$2 user=$3 configuration=$4 folders=$5 folder
  shift 5
  mount -t tmpfs -o mode=1777 tmp "$root/tmp"
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/blectl"
  mount --bind "$source" "$root/blectl"
  while read -r folder; do
    [ -n "$folder" ] || continue
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
  done <<<"$folders"
  mkdir "$root/tmp/home"
  cp "$configuration" "$root/tmp/home/.gitconfig"
  chown -R "$user" "$root/tmp/home"
  exec env -u TMPDIR -u XDG_CACHE_HOME HOME=/tmp/home PATH=/usr/bin:/usr/sbin:/bin:/sbin chroot --userspec="$user" "$root" \
    sh -c 'cd /blectl && exec "$@"' sh "$@"
}

# Runs a command in the chroot `root`, on the package. The folders `also` are there too, and those from which git fetches in place
# of a server.
also=()
enter() { # SCRATCH COMMAND…
  local scratch=$1 key value folders
  mkdir -p "$scratch"
  # Where git fetches from on this machine; and it trusts repositories of any owner.
  : >"$scratch/gitconfig"
  { git config --get-regexp '^url\..*\.insteadof$' || true; } | while read -r key value; do
    git config --file "$scratch/gitconfig" --add "$key" "$value"
  done
  git config --file "$scratch/gitconfig" safe.directory '*'
  folders=$(sed -nE 's|^\[url "(file://)?(/.*)"\]$|\2|p' "$scratch/gitconfig" && printf '%s\n' "${also[@]}")
  apart enter_root "$root" "$PWD" "$(id -u):$(id -g)" "$scratch/gitconfig" "$folders" env -u BLECTL_TOOLS "${@:2}"
}

# Runs a command as root in a chroot, above a layer that is gone afterwards. The folder is /given there.
enter_layer() { # ROOT FOLDER COMMAND…
  local root=$1 folder=$2
  shift 2
  mount -t tmpfs -o mode=755 layer /mnt
  mkdir /mnt/upper /mnt/work /mnt/root /mnt/given
  mount --bind "$folder" /mnt/given
  mount -t overlay -o "lowerdir=$root,upperdir=/mnt/upper,workdir=/mnt/work${layer_options-}" layer /mnt/root
  root=/mnt/root
  mount -t tmpfs -o mode=1777 tmp "$root/tmp"
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  rm -f "$root/etc/resolv.conf"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # A mirror may be older than apt allows: as this machine is set up.
  apt-config dump Acquire::Check-Valid-Until >"$root/etc/apt/apt.conf.d/mirror"
  mkdir "$root/given"
  mount --bind /mnt/given "$root/given"
  exec env -u TMPDIR -u XDG_CACHE_HOME -u XDG_RUNTIME_DIR HOME=/root PATH=/usr/bin:/usr/sbin:/bin:/sbin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

# Fetches packages of any suite and architecture, `with-needs` all that they depend on, and installs none.
fetch_packages() { # MIRROR SUITE ARCHITECTURE FOLDER alone|with-needs PACKAGE…
  local mirror=$1 suite=$2 architecture=$3 folder=$4 needs=$5 state options
  shift 5
  state=$(mktemp -d)
  mkdir -p "$state/lists/partial" "$state/archives/partial" "$folder/partial"
  : >"$state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/sources.list"
  options=(-qq -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$state"
    -o Dir::State::status="$state/status" -o Dir::Cache="$state" -o Dir::Cache::archives="$folder"
    -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  if [ "$needs" = alone ]; then
    (cd "$folder" && apt-get "${options[@]}" download "$@" >/dev/null)
  else
    apt-get "${options[@]}" --yes --no-install-recommends --download-only install "$@" >/dev/null
  fi
  rm -rf "$state" "$folder/partial" "$folder/lock"
}

# Unpacks packages into one tree, in which /lib is /usr/lib. They are not configured: their programs and libraries are there.
unpack_packages() { # TREE PACKAGE…
  local tree=$1 package link
  shift
  mkdir -p "$tree/usr/lib"
  [ -e "$tree/lib" ] || ln -s usr/lib "$tree/lib"
  for package; do dpkg-deb --fsys-tarfile "$package" | tar --keep-directory-symlink -x -C "$tree"; done
  # Links to /lib would lead out of the tree, and the linker would take the static library beside them.
  find "$tree" -type l -lname '/*' | while IFS= read -r link; do ln -srf "$tree$(readlink "$link")" "$link"; done
}
