#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds blectl for arm64 on amd64, and prints the path of the program.
#
#   Scripts/release/arm64.sh [COMMAND…]    or runs COMMAND where it would be built
#   Scripts/release/arm64.sh --setup       fetches what that needs: the only step that uses the network
#   Scripts/release/arm64.sh --sysroot     prints the folder with the libraries of arm64
#
# The compiler is that of Debian sid, in the chroot of the part swift-6.2; modules and static libraries of Swift for arm64 are from
# the same version of Debian's package. Headers and libraries of C are those of Debian 12, in a tree of their own: they decide
# which glibc the program needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Scripts/chroot.sh
. Scripts/chroot.sh
# shellcheck source=packaging/release.sh
. packaging/release.sh

# What the link needs, and what blectl loads at run time: the tests run it with these.
libraries=(libc6-dev libdbus-1-dev libstdc++-12-dev libedit2 libmosquitto1 libsqlite3-0 libssl3)
scratch=.build-release/arm64

fail() {
  echo "arm64: $*" >&2
  exit 1
}

need_root sid "${swift_packages[@]}"
swift=$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Version}' swiftlang | cut -d- -f1)
target=$chroots/arm64-$(printf '%s\n' "$swift" "${libraries[@]}" | sha256sum | cut -c1-16)
sysroot=$target/sysroot

make_target() {
  local packages=$target.packages
  rm -rf "$target.new" "$packages"
  mkdir -p "$target.new/sysroot" "$packages/swift" "$packages/c"
  fetch_packages "$debian" sid arm64 "$packages/swift" alone swiftlang
  [ "$(dpkg-deb -f "$packages"/swift/*.deb Version | cut -d- -f1)" = "$swift" ] ||
    fail "Debian sid has another Swift by now than the chroot, $swift: delete $root"
  dpkg-deb --fsys-tarfile "$packages"/swift/*.deb | tar -x -C "$target.new" --strip-components=5 \
    ./usr/libexec/swift/lib/clang ./usr/libexec/swift/lib/swift_static
  fetch_packages "$debian" bookworm arm64 "$packages/c" with-needs "${libraries[@]}"
  unpack_packages "$target.new/sysroot" "$packages"/c/*.deb
  # The link looks for swiftrt.o there.
  ln -s "$target/swift_static" "$target.new/sysroot/usr/lib/swift_static"
  # Scripts/build.sh asks it where libraries are.
  cat >"$target.new/cc" <<END
#!/bin/sh
exec /usr/libexec/swift/bin/clang --target=aarch64-linux-gnu --sysroot=$sysroot "\$@"
END
  chmod 755 "$target.new/cc"
  rm -rf "$packages"
  mv "$target.new" "$target"
}
(
  flock 9
  if [ ! -d "$target" ]; then
    echo "arm64: fetching Swift $swift and libraries of Debian 12 for arm64 to $target" >&2
    make_target
  fi
) 9>"$chroots/lock"

case ${1-} in
  --setup) exit ;;
  --sysroot) echo "$sysroot" && exit ;;
esac
mkdir -p "$scratch"
also=("$target")
# SwiftPM passes the sysroot on to clang only. It looks for libraries of the chroot behind those of PKG_CONFIG_PATH.
cat >"$scratch/destination.json" <<END
{
  "version": 1,
  "sdk": "$sysroot",
  "toolchain-bin-dir": "/usr/libexec/swift/bin",
  "target": "aarch64-unknown-linux-gnu",
  "extra-cc-flags": ["-fPIC", "--sysroot=$sysroot"],
  "extra-cpp-flags": [],
  "extra-swiftc-flags": ["-sdk", "$sysroot", "-resource-dir", "$target/swift_static", "-use-ld=lld"]
}
END
setting=(env "CC=$target/cc" "PKG_CONFIG_SYSROOT_DIR=$sysroot"
  "PKG_CONFIG_PATH=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig"
  "BLECTL_GLIBC=$glibc")
if [ $# -gt 0 ]; then
  enter "$scratch" "${setting[@]}" "$@"
  exit
fi

enter "$scratch" "$target/cc" -O2 -fPIC -ffunction-sections -c Scripts/release/older-glibc.c -o "$scratch/older-glibc.o" >&2
enter "$scratch" "${setting[@]}" Scripts/build.sh blectl --disable-sandbox --scratch-path "$scratch" \
  --destination "$scratch/destination.json" -Xlinker "/blectl/$scratch/older-glibc.o" >&2
echo "$PWD/$scratch/aarch64-unknown-linux-gnu/release/blectl"
