#!/bin/bash
# SPDX-License-Identifier: MIT
# Installs, uses, removes and upgrades the package in a fresh Debian, as root in a chroot. /given has the release, and old.deb.
#
#   debian.sh VERSION
set -euo pipefail
version=$1
deb=/given/blectl_$version-1_$(dpkg --print-architecture).deb

fail() {
  echo "debian: $*" >&2
  exit 1
}
quietly() { "$@" >/tmp/said 2>&1 || { cat /tmp/said >&2 && fail "failed: $*"; }; }
# The output is kept whole: a program whose reader has gone would fail.
says() { # PATTERN COMMAND…
  "${@:2}" >/tmp/said 2>&1 || fail "${*:2} fails: $(cat /tmp/said)"
  grep -q -e "$1" /tmp/said || fail "${*:2} does not print $1: $(cat /tmp/said)"
}
files() { find / -xdev \( -path /proc -o -path /tmp -o -path /given -o -path /var/cache -o -path /var/lib/apt -o -path /var/log \) -prune -o -name '*blectl*' -print; }

quietly apt-get update
# The package alone, and what it depends on; then what it recommends for its manual, and what the checks need.
quietly apt-get install -qqy --no-install-recommends "$deb"
[ "$(blectl --version)" = "blectl $version" ] || fail "the version is $(blectl --version)"
quietly apt-get install -qqy --no-install-recommends dbus-daemon libsqlite3-0 man-db bash-completion zsh fish

# As a user, who is the one that starts it.
useradd --create-home tester
as_user() { setpriv --reuid tester --regid tester --init-groups env HOME=/home/tester "$@"; }
cd /home/tester
says 'MI Band 2' as_user blectl scan --simulate --duration 1s
[ "$(as_user blectl read 'MI Band 2' 2a28 --as utf8 --simulate)" = V1.0.1.81 ] || fail 'read prints another value'
says 'the page is at http://127.0.0.1:' as_user blectl listen --web 0 --duration 2s --simulate
says '"check":"version","status":"ok"' as_user blectl doctor --simulate --json
quietly as_user blectl subscribe 'Heart Strap' 2a37 --count 2 --log log.sqlite --simulate
[ -s log.sqlite ] || fail 'the log is empty'

for page in blectl blectl-scan blectl-world; do
  MANPAGER=cat MANWIDTH=80 man "$page" 2>/tmp/warnings >/tmp/said || fail "no manual page $page: $(cat /tmp/warnings)"
  grep -q ^DESCRIPTION /tmp/said || fail "man $page prints $(cat /tmp/said)"
  [ ! -s /tmp/warnings ] || fail "man $page says $(cat /tmp/warnings)"
done
as_user bash -c '. /usr/share/bash-completion/bash_completion
  { declare -F _comp_load >/dev/null && _comp_load blectl; } || _completion_loader blectl || [ $? = 124 ]
  complete -p blectl' >/dev/null || fail 'bash does not complete'
# shellcheck disable=SC2016  # zsh expands it
[ "$(as_user zsh -fc 'autoload -Uz compinit && compinit -D -u && print -- $_comps[blectl]')" = _blectl ] || fail 'zsh does not complete'
says '^scan' as_user fish --command 'complete --do-complete "blectl sc"'
grep -q '^ExecStart=/usr/bin/blectl ' /usr/lib/systemd/system/blectl-log@.service || fail 'the unit starts another program'
quietly dpkg --verify blectl
[ ! -s /tmp/said ] || fail "files differ from the package: $(cat /tmp/said)"

quietly apt-get purge -qqy blectl
[ -z "$(files)" ] || fail "purging leaves $(files)"

# The one before this, with a file that this one does not have; what its user wrote stays.
quietly apt-get install -qqy --no-install-recommends /given/old.deb
mkdir -p /etc/blectl
echo DEVICE=F0:F1:F2:F3:F4:F5 >/etc/blectl/heart.conf
[ -e /usr/share/doc/blectl/only-in-0.1 ] || fail 'the earlier package was not installed'
quietly apt-get install -qqy --no-install-recommends "$deb"
[ "$(dpkg-query -W -f '${Version}' blectl)" = "$version-1" ] || fail 'it was not upgraded'
[ ! -e /usr/share/doc/blectl/only-in-0.1 ] || fail 'a file of the earlier version is left'
[ -e /etc/blectl/heart.conf ] || fail 'the configuration is gone'
says 'MI Band 2' blectl scan --simulate --duration 1s
quietly apt-get purge -qqy blectl
rm -r /etc/blectl

# The archive, by the script of the release page.
quietly apt-get install -qqy --no-install-recommends xz-utils libdbus-1-3
before=$(files)
quietly sh /given/install.sh --from /given --prefix /opt/tried
says 'MI Band 2' /opt/tried/bin/blectl scan --simulate --duration 1s
grep -q '^ExecStart=/opt/tried/bin/blectl ' /opt/tried/lib/systemd/system/blectl-log@.service || fail 'the unit starts another program'
[ -s /opt/tried/share/licenses/blectl/NOTICE ] || fail 'the archive has no notice'
quietly sh /given/install.sh --from /given --prefix /opt/tried
quietly sh /given/install.sh --prefix /opt/tried --uninstall
[ ! -e /opt/tried ] || fail "removing leaves $(find /opt/tried)"
[ "$(files)" = "$before" ] || fail "removing leaves $(files)"
mkdir /tmp/damaged
cp /given/SHA256SUMS /given/*.tar.xz /tmp/damaged
for archive in /tmp/damaged/*.tar.xz; do echo >>"$archive"; done
if sh /given/install.sh --from /tmp/damaged --prefix /opt/tried 2>/tmp/said; then fail 'a damaged archive was installed'; fi
grep -q 'is damaged' /tmp/said || fail "a damaged archive is refused with: $(cat /tmp/said)"
[ ! -e /opt/tried ] || fail 'a damaged archive leaves files'
echo "debian: installed, used, upgraded and removed in Debian $(cat /etc/debian_version), $(dpkg --print-architecture)"
