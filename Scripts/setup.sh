#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what building and testing need, beyond git, make and Swift, and the packages that are named as arguments;
# returns quickly when everything is installed.
# The rig with the real bluetoothd installs its own things: Tests/System/Rig/prepare.sh.
set -euo pipefail

packages=(libdbus-1-dev libmosquitto1 pkg-config dbus-daemon jq shellcheck python3 python3-venv python3-jsonschema
  libc6-dev-arm64-cross "$@")
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} = 0 ] && exit 0

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

echo "setup: installing ${missing[*]}" >&2
as_root apt-get update -q >/dev/null
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends "${missing[@]}" >/dev/null
