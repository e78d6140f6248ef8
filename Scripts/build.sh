#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a product as it is shipped: release, and nothing loaded at its start that can be linked in.
#
#   Scripts/build.sh [PRODUCT] [ARGUMENT…]      blectl, when none is named; the arguments are for swift build
#
# With BLECTL_GLIBC=2.35, the program is one for other machines: the link does nothing for which it would need a later glibc,
# and it is the same in whichever folder it is built. Scripts/release/release.sh checks both.
#
# Most of the memory of a command are pages of the program, which the kernel maps 16 at a time. The link decides how many
# these are; Benchmarks/results/diary.md has the figure of each choice below.
set -euo pipefail
cd "$(dirname "$0")/.."

product=${1:-blectl}
# A section for each function: the linker drops those without a caller. Without the local
# rpath, the loader does not look for libraries in the folder of the program, which may be anybody's.
flags=(-c release --static-swift-stdlib --disable-local-rpath -Xswiftc -cross-module-optimization
  -Xswiftc -Xfrontend -Xswiftc -function-sections)

# The C++ library that Swift's runtime needs costs the loader 1.7 million instructions, more than a whole C program
# takes to start; linked in, of its functions only those remain that are called. The same goes for the library of GCC.
# Where the compiler has no static one, it is loaded as before.
archive=$("${CC:-cc}" -print-file-name=libstdc++.a 2>/dev/null || true)
if [ -f "$archive" ]; then
  folder=$PWD/.build/static-libraries/$("${CC:-cc}" -dumpmachine)
  mkdir -p "$folder"
  ln -sf "$archive" "$folder/"
  flags+=(-Xswiftc "-L$folder" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
fi

# The linker of Swift's toolchain. The default one makes a program that takes 4 MiB more.
resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
if [ -x "$resources/../../bin/ld.lld" ]; then
  # No program looks up functions of this one by name.
  flags+=(-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -T -Xlinker "$PWD/Scripts/discard-unwinding.ld")
  flags+=(-Xlinker --symbol-ordering-file -Xlinker "$PWD/Scripts/start-order.txt" -Xlinker --no-warn-symbol-ordering)
  # Addresses that the loader corrects, as bits instead of 24 bytes each: since glibc 2.36.
  oldest=$(printf '%s\n' 2.36 "${BLECTL_GLIBC:-2.36}" | sort --version-sort | head -1)
  if [ "$oldest" = 2.36 ] && grep -q GLIBC_ABI_DT_RELR "$("${CC:-cc}" -print-file-name=libc.so.6)"; then
    flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
  fi
fi

# Paths are part of debug information, which the identifier of the build depends on, and of messages in C.
if [ -n "${BLECTL_GLIBC-}" ]; then
  flags+=(-debug-info-format none -Xcc "-ffile-prefix-map=$PWD=/blectl" -Xswiftc -file-prefix-map -Xswiftc "$PWD=/blectl")
fi

exec swift build "${flags[@]}" --product "$product" "${@:2}"
