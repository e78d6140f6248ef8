#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a product as it is shipped: release, and nothing loaded at its start that can be linked in.
#
#   Scripts/build.sh [PRODUCT]      blectl, when none is named
#
# The C++ library that Swift's runtime needs costs the loader 1.7 million instructions, more than a whole C program
# takes to start; linked in, of its functions only those remain that are called. Where the compiler has no static one,
# it is loaded as before.
set -euo pipefail
cd "$(dirname "$0")/.."

product=${1:-blectl}
flags=(-c release --static-swift-stdlib --product "$product" -Xswiftc -cross-module-optimization)

archive=$("${CC:-cc}" -print-file-name=libstdc++.a 2>/dev/null || true)
if [ -f "$archive" ]; then
  folder=$PWD/.build/static-libraries
  mkdir -p "$folder"
  ln -sf "$archive" "$folder/"
  flags+=(-Xswiftc "-L$folder")
fi
exec swift build "${flags[@]}" "${@:2}"
