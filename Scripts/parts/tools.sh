#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what parts need, before they run side by side.
set -euo pipefail
Tests/System/Clients/run.sh --python
Tests/System/Rig/prepare.sh
for version in 5.82 5.87; do Tests/System/Rig/bluez.sh "$version" >/dev/null; done
Scripts/setup.sh zsh fish mandoc tmux dpkg-dev lintian debootstrap debian-archive-keyring valgrind mosquitto mosquitto-clients sqlite3
