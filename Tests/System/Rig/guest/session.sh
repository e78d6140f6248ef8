# shellcheck shell=bash disable=SC2154  # run.sh writes the variables
# SPDX-License-Identifier: MIT
# The guest's session, sourced by its first process with the variables that run.sh wrote: starts the bus, the adapter
# and bluetoothd, runs the command, hands back its status and turns the machine off.
export PATH=$RIG_HERE/guest/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 RIG_LOGS=/run/rig/logs RIG_STATE=/run/rig
unset rig_failure
mkdir -p "$RIG_LOGS" /run/dbus /run/lock /run/user/0
exec </dev/null >"$RIG_LOGS/session.log" 2>&1

# $RIG_OUT is the same path in here as out there.
mkdir -p "$RIG_OUT"
mount --bind /run/rig/out "$RIG_OUT"

step() { printf 'rig: %5.1f s  %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*" >>"$RIG_LOGS/times"; }

finish() {
  cp "$RIG_LOGS"/* "$RIG_OUT/rig/"
  [ -z "${1-}" ] || echo "$1" >"$RIG_OUT/rig/status"
  sync
  echo o >/proc/sysrq-trigger
  while :; do sleep 1; done
}

fail() {
  echo "rig: $*"
  echo "rig: $*" >/dev/console
  finish
}

# A clock that is off ends every limit too soon or too late. It is off when the host stood still for longer than the HPET
# counts (43 s). The real-time clock is the host's.
check_clock() {
  local drift=$((EPOCHSECONDS - $(</sys/class/rtc/rtc0/since_epoch)))
  [ "${drift#-}" -le $((2 + SECONDS / 20)) ] && return
  echo "the guest's clock is off by $drift s" >"$RIG_LOGS/void"
  fail "$(<"$RIG_LOGS/void")"
}

mkfifo /run/rig/never
exec {never}<>/run/rig/never
pause() { # SECONDS; starts no process, which takes long in emulation
  read -rt "$1" -u "$never" || true
}

wait_for() { # SECONDS COMMAND…
  local tries=$(($1 * 20))
  shift
  while ! "$@" >/dev/null 2>&1; do
    [ $((tries -= 1)) -gt 0 ] || return 1
    pause 0.05
  done
}

step 'the session starts'
ip link set lo up
hostname rig
rm -rf /var/lib/bluetooth/* /run/dbus/pid
rig-bus start &
bus=$!
for ((adapter = 0; adapter < RIG_ADAPTERS; adapter++)); do
  # One after the other, for the kernel numbers them as they come.
  /usr/bin/python3 -I -S "$RIG_HERE/guest/relay.py" "$(echo /dev/vport*p$((adapter + 4)))" >>"$RIG_LOGS/relay.log" 2>&1 &
  wait_for 60 test -e "/sys/class/bluetooth/hci$adapter" || fail "there is no adapter hci$adapter"
  step "there is an adapter hci$adapter"
done
wait "$bus" || fail 'dbus-daemon did not start'
step 'the bus is up'
rig-bluetoothd start || fail 'bluetoothd did not start'
step 'bluetoothd is up, and the adapter on'
check_clock

# Both streams go through pipes, for programs that reopen or inspect theirs.
mkfifo /run/rig/stdout /run/rig/stderr
cat /run/rig/stdout >"$(echo /dev/vport*p1)" &
cats=($!)
cat /run/rig/stderr >"$(echo /dev/vport*p2)" &
cats+=($!)
(
  cd "$rig_directory" || exit 70
  exec env "${rig_env[@]}" timeout -k 5 "$rig_timeout" "${rig_command[@]}" >/run/rig/stdout 2>/run/rig/stderr
)
status=$?
step 'the command ended'
[ "$status" = 0 ] || check_clock
# A process that the command left running may hold the streams open: the output until now is enough.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 "${cats[@]}" 2>/dev/null || break
  pause 0.1
done
finish "$status"
