#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fetches what the rig needs, once: Debian packages, a kernel (unpacked, never installed) and a Python environment.
#
#   prepare.sh          make the cache ready; does nothing, quickly, when it is
#   prepare.sh --print  print the directory in the cache and leave
#
# The cache is $BLECTL_RIG_CACHE, or blectl-rig under $XDG_CACHE_HOME (~/.cache). Deleting it is safe when no rig runs.
# The name of the built image depends on this file and on the guest's init: other versions of them may be at work.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${BLECTL_RIG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blectl-rig}
ready=$cache/$(cat "${BASH_SOURCE[0]}" "$here/guest/init" | sha256sum | cut -c1-16)
if [ "${1:-}" = --print ]; then
  printf '%s\n' "$ready"
  exit
fi

packages=(bluez busybox-static ca-certificates cpio dbus iproute2 kmod python3-venv qemu-system-x86 xz-utils)
wheels=(bumble==0.0.236 bleak==3.1.0)
# The modules that the guest loads at boot; dependencies are added. The first line is what pairing needs.
modules=(cmac ecb ctr ccm sha512_generic drbg ecdh_generic algif_hash algif_skcipher
  virtio_pci virtio_console 9p 9pnet_virtio overlay bluetooth hci_vhci uhid)

say() { printf 'prepare: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

is_ready() {
  dpkg -s "${packages[@]}" >/dev/null 2>&1 && [ -s "$ready/boot/vmlinux" ] &&
    "$ready/python/bin/python" -c 'import bumble, bleak' 2>/dev/null
}

if is_ready; then exit 0; fi

[ "$(uname -m)" = x86_64 ] || die "the rig boots this machine's own programs in an x86_64 guest; this is $(uname -m)"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if is_ready; then exit 0; fi # another one has done the work meanwhile
rm -rf "${cache:?}"/new.* # left by one that was killed
work=$(mktemp -d "$cache/new.XXXXXX")
policy='' # a file of ours that must not stay
trap 'rm -rf "$work"; [ -z "$policy" ] || as_root rm -f "$policy"' EXIT
trap 'exit 130' INT TERM HUP

retry() { # COMMAND…: up to four times, with growing pauses
  local pause
  for pause in 2 5 15 0; do
    "$@" && return
    say "failed: $*"
    [ "$pause" = 0 ] || sleep "$pause"
  done
  return 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Debian's package lists are only fetched when something cannot be had without.
with_lists() {
  "$@" 2>"$work/apt.log" || {
    retry as_root apt-get update -q >&2
    retry "$@" || { cat "$work/apt.log" >&2 && return 1; }
  }
}

# bluez and dbus bring system services. The rig has its own inside the guest: nothing may start here.
install_packages() {
  local status=0
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 \
    install -qqy --no-install-recommends "$@" >"$work/install.log" || status=$?
  if [ -n "$policy" ]; then as_root rm -f "$policy"; fi
  policy=''
  if [ "$status" != 0 ]; then tail -20 "$work/install.log" >&2; fi
  return "$status"
}

fetch_kernel() { # into the current directory
  local name
  name=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1)
  [ -n "$name" ] && apt-get -o Acquire::Retries=3 -o APT::Sandbox::User=root download -qq "$name"
}

# QEMU starts an uncompressed kernel by its PVH entry, without a BIOS, and the kernel need not unpack itself: together
# that is half of the time that booting takes in emulation.
uncompress_kernel() { # FROM TO
  python3 - "$@" <<'PYTHON'
import lzma, sys, zlib

image = open(sys.argv[1], 'rb').read()
for magic, unpack in ((b'\xfd7zXZ\0', lzma.LZMADecompressor()), (b'\x1f\x8b\x08', zlib.decompressobj(31))):
    start = image.find(magic)
    if start >= 0:
        kernel = unpack.decompress(image[start:])
        if kernel[:4] == b'\x7fELF':
            open(sys.argv[2], 'wb').write(kernel)
            sys.exit()
sys.exit('the kernel is packed in an unknown way')
PYTHON
}

build_boot() { # boot/: vmlinux, and an initramfs with busybox, the modules and our init
  local root=$work/kernel ramfs=$work/ramfs version module n=0
  mkdir -p "$root" "$ramfs"/{bin,modules,proc,sys,dev} "$work/boot"
  (cd "$work" && with_lists fetch_kernel) || die "cannot download the kernel"
  dpkg-deb -x "$work"/linux-image-*.deb "$root"
  version=$(ls "$root/lib/modules")
  depmod -b "$root" "$version"
  for module in "${modules[@]}"; do
    modprobe -d "$root" -S "$version" --show-depends "$module" || die "kernel $version has no module $module"
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' >"$work/modules"
  while read -r module; do
    n=$((n + 1))
    cp "$module" "$ramfs/modules/$(printf '%02d' "$n")-${module##*/}"
  done <"$work/modules"
  find "$ramfs/modules" -name '*.xz' -exec xz -d {} +
  cp /bin/busybox "$ramfs/bin/"
  install -m 755 "$here/guest/init" "$ramfs/init"
  (cd "$ramfs" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/boot/initramfs.gz"
  uncompress_kernel "$root"/boot/vmlinuz-* "$work/boot/vmlinux"
  printf '%s\n' "$version" >"$work/boot/version"
}

build_python() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import ensurepip, venv' 2>/dev/null && break
  done
  "$python" -m venv "$work/python"
  retry "$work/python/bin/python" -m pip install -q --disable-pip-version-check "${wheels[@]}"
}

if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
  say "installing ${packages[*]}"
  with_lists install_packages "${packages[@]}" || die "cannot install the packages"
fi
say "fetching the kernel"
build_boot
say "fetching ${wheels[*]}"
build_python

mkdir "$work/done"
mv "$work/boot" "$work/python" "$work/done/"
rm -rf "$ready" # packages that went, or a Python that changed
mv "$work/done" "$ready"
say "ready in $ready: kernel $(cat "$ready/boot/version"), $(dpkg-query -W -f='bluez ${Version}' bluez)"
