#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian package; installed in a fresh Debian 12 too where we are root, which a chroot needs.
set -euo pipefail
options=()
[ "$(id -u)" != 0 ] || options=(--chroot)
BLECTL=$(Scripts/built.sh --shipped)/blectl
export BLECTL
exec Scripts/package.sh "${options[@]}"
