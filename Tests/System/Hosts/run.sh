#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs blectl against another host: a real sshd on the loopback of a network namespace, which a user other than root logs
# in to. The system bus of that host is a simulated one.
#
#   Tests/System/Hosts/run.sh [TEST…]
#
# sshd is unpacked into .build/sshd, not installed: no service is started.
set -euo pipefail
cd "$(dirname "$0")/../../.."

BLECTL=$(Scripts/built.sh blectl)/blectl
export BLECTL SSHD=$PWD/.build/sshd/usr/sbin/sshd

root=()
if [ "$(id -u)" != 0 ]; then root=(sudo --preserve-env='BLECTL,SSHD'); fi
install() {
  echo "hosts: installing $*" >&2
  { "${root[@]}" apt-get update && "${root[@]}" apt-get install -y --no-install-recommends "$@"; } >/dev/null
}
for program in ssh:openssh-client systemd-stdio-bridge:systemd socat:socat ip:iproute2; do
  command -v "${program%%:*}" >/dev/null || install "${program##*:}"
done
if [ ! -x "$SSHD" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  if ! (cd "$folder" && apt-get download openssh-server) >/dev/null 2>&1; then
    # The lists of packages may be missing or old.
    "${root[@]}" apt-get update >/dev/null
    (cd "$folder" && apt-get download openssh-server) >/dev/null
  fi
  mkdir -p .build/sshd && dpkg -x "$folder"/openssh-server*.deb .build/sshd
fi
if ldd "$SSHD" | grep -q 'not found'; then install libwrap0 libgssapi-krb5-2 libpam0g; fi

exec "${root[@]}" unshare --net --pid --mount-proc --fork --kill-child python3 Tests/System/Hosts/hosts.py "$@"
