#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries the completions in real shells: bash, zsh and fish, each on a terminal, beside a simulated BlueZ.
# Usage: [BLECTL=path/to/blectl] Tests/System/Completions/run.sh [SHELL…]
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh zsh fish
blectl=$(realpath "${BLECTL:-$(Scripts/built.sh blectl)/blectl}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$blectl" "$work/bin/blectl"
export PATH="$work/bin:$PATH"
for shell in bash zsh fish; do
  blectl --generate-completion-script "$shell" >"$work/_$shell"
done
bash -n "$work/_bash"
zsh -n "$work/_zsh"
fish --no-execute "$work/_fish"
mkdir "$work/zsh"
cp "$work/_zsh" "$work/zsh/_blectl"

status=0
for shell in "${@:-bash zsh fish}"; do
  for name in $shell; do
    script=$work/_$name
    [ "$name" = zsh ] && script=$work/zsh/_blectl
    blectl simulate -- python3 Tests/System/Completions/completions.py "$name" "$script" || status=1
  done
done
exit "$status"
