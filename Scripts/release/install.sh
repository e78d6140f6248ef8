#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `make install` of a program that is built already, also of one for another machine.
#
#   Scripts/release/install.sh PROGRAM ARCHITECTURE PREFIX DESTDIR RUNNABLE
set -euo pipefail
cd "$(dirname "$0")/../.."

strip='strip'
[ "$2" = "$(dpkg --print-architecture)" ] || strip=$(dpkg-architecture -a"$2" -q DEB_HOST_GNU_TYPE 2>/dev/null)-strip
# RELEASE=true: nothing is built.
make --no-print-directory install PREFIX="$3" DESTDIR="$4" BLECTL="$1" RUNNABLE="$5" STRIP="$strip" RELEASE=true >/dev/null
