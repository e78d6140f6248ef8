#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Boots the rig and runs a command inside, beside a real bluetoothd and the peripherals of docs/built-in-world.md.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: run.sh [OPTION…] -- COMMAND [ARG…]

  --world FILE      Python program that plays the peripherals (default: world.py beside this file)
  --timeout S       end COMMAND after S seconds, with status 124 (default: 600)
  --env NAME=VALUE  set a variable for COMMAND; --env NAME passes it on from here
  --out DIR         keep the logs, and what COMMAND puts in $RIG_OUT, in DIR; else they are only kept after a failure
  --bluez VERSION   the bluetoothd of this version, such as 5.82, instead of the installed one
  --adapters N      how many adapters there are, hci0 and on (default: 1); they hear each other
  --bluetoothd ARG  an argument more for bluetoothd, such as -d or -E; may be repeated
  --survive-oops    let the kernel go on after a fault of its own: COMMAND is to cause one
  --snoop           record the HCI traffic: DIR/rig/hci.btsnoop, and as text DIR/rig/hci.txt
  --verbose         say how long each step took

The status is COMMAND's; 70 when the rig failed. Output comes as it is made. The standard input is empty.
COMMAND runs as root in this directory. It sees this machine's files; what it writes is lost, but for $RIG_OUT.
USAGE
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
world=$here/world.py timeout=600 out='' snoop='' verbose='' adapters=1 oops=oops=panic bluez='' bluetoothd=() env=()
while [ $# -gt 0 ]; do
  case $1 in
    --world) world=$(realpath -e "$2") && shift 2 ;;
    --timeout) timeout=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --bluez) bluez=$2 && shift 2 ;;
    --adapters) adapters=$2 && shift 2 ;;
    --bluetoothd) bluetoothd+=("$2") && shift 2 ;;
    --env)
      case $2 in *=*) env+=("$2") ;; *) env+=("$2=${!2-}") ;; esac
      shift 2
      ;;
    --survive-oops) oops='' && shift ;;
    --snoop) snoop=1 && shift ;;
    --verbose) verbose=1 && shift ;;
    --help | -h) usage && exit ;;
    --) shift && break ;;
    -*) usage >&2 && exit 64 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || { usage >&2 && exit 64; }

"$here/prepare.sh" || exit 70
cache=$("$here/prepare.sh" --print)
program=''
if [ -n "$bluez" ]; then program=$("$here/bluez.sh" "$bluez")/bluetoothd || exit 70; fi

keep=$out$verbose$snoop
[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/blectl-rig.XXXXXX")
mkdir -p "$out"
out=$(realpath "$out")
logs=$out/rig
rm -rf "$logs" && mkdir "$logs"

# The work of the guest, as a script that its first process runs.
{
  printf 'export RIG_HERE=%q RIG_OUT=%q RIG_PYTHON=%q\n' "$here" "$out" "$cache/python/bin/python"
  printf 'rig_timeout=%q rig_directory=%q\n' "$timeout" "$PWD"
  printf 'export RIG_PROGRAM=%q RIG_BLUETOOTHD=%q RIG_ADAPTERS=%q\n' "$program" "${bluetoothd[*]}" "$adapters"
  printf 'rig_env=('
  [ ${#env[@]} = 0 ] || printf ' %q' "${env[@]}"
  printf ' )\nrig_command=('
  printf ' %q' "$@"
  # shellcheck disable=SC2016  # for the guest to expand
  printf ' )\n. "$RIG_HERE/guest/session.sh"\n'
} >"$logs/session.sh"

# Linux 6.1 has a fault that a link which ends at the wrong moment sets off (list_debug.c, in hci_chan_del): no link is made
# from then on. It ends the boot at once (oops=panic). And Linux takes a controller that the host has starved for 2 s for
# broken. Neither says anything of COMMAND.
broken='Kernel panic'
starved='command 0x[0-9a-f]* tx timeout|Opcode 0x[0-9a-f]* failed: -110'
# Once the kernel went on sending on a link that had ended, and made no other one until the adapter was switched off.
stale='no connection for handle'

# The kernel's measurements at its start are wrong on a busy host: whether there is a timer (it panics if it
# saw none), and how fast the processor's counter of cycles runs (its clock is off if that is wrong). So it does not ask
# for the first, and takes the HPET for its clock, whose pace is known.
timers='no_timer_check clocksource=hpet tsc=reliable'

boot() {
  # The guest's two output streams come through virtio-serial ports, whose far ends are pipes to two cats.
  pipes=$(mktemp -d)
  mkfifo "$pipes/out" "$pipes/err"
  cat "$pipes/out" &
  cats=($!)
  cat "$pipes/err" >&2 &
  cats+=($!)
  exec 7>"$pipes/out" 8>"$pipes/err"

  # The radio and the peripherals run out here, where nothing is emulated; HCI packets go through other ports.
  local index hci='' ports=()
  for ((index = 0; index < adapters; index++)); do
    hci+=${hci:+:}$pipes/hci$index
    ports+=(-chardev "socket,id=hci$index,path=$pipes/hci$index,server=on,wait=off"
      -device "virtserialport,chardev=hci$index,nr=$((index + 4))")
  done
  PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 RIG_HCI=$hci RIG_CONTROL=$pipes/control \
    RIG_SNOOP=${snoop:+$logs/hci.btsnoop} "$cache/python/bin/python" "$world" >"$logs/world.log" 2>&1 7>&- 8>&- &
  jobs=($!)
  timeout --foreground -k 5 $((timeout + 120)) qemu-system-x86_64 \
    -M pc -accel tcg,thread=multi -cpu Nehalem -smp 2 -m "${RIG_MEMORY:-3072}" \
    -nodefaults -no-user-config -display none -no-reboot \
    -chardev file,id=serial,path="${logs//,/,,}/serial.log" -serial chardev:serial \
    -kernel "$cache/boot/vmlinux" -initrd "$cache/boot/initramfs.gz" \
    -append "console=ttyS0 loglevel=4 $oops panic=-1 mitigations=off cryptomgr.notests lsm= audit=0 $timers" \
    -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=root,mount_tag=root \
    -fsdev local,id=out,path="${out//,/,,}",security_model=none -device virtio-9p-pci,fsdev=out,mount_tag=out \
    -device virtio-serial-pci \
    -chardev file,id=stdout,path=/dev/fd/7,append=on -device virtserialport,chardev=stdout,nr=1 \
    -chardev file,id=stderr,path=/dev/fd/8,append=on -device virtserialport,chardev=stderr,nr=2 \
    -chardev socket,id=control,path="$pipes/control",server=on,wait=off -device virtserialport,chardev=control,nr=3 \
    "${ports[@]}" \
    </dev/null >"$logs/qemu.log" 2>&1 &
  jobs+=($!)
  wait -n "${jobs[@]}" || true # QEMU when the guest is off; the world only when it fails
  kill "${jobs[@]}" 2>/dev/null || true
  wait "${jobs[@]}" 2>/dev/null || true
  exec 7>&- 8>&-
  wait "${cats[@]}" || true
  rm -rf "$pipes"
}

# Why the boot says nothing of the command; nothing if it does.
void_reason() {
  cat "$logs/void" 2>/dev/null || grep -m 3 -E "$broken" "$logs/serial.log" && return
  [ "$(cat "$logs/status" 2>/dev/null)" = 0 ] ||
    grep -m 3 -hE "$starved|$stale" "$logs/serial.log" "$logs/world.log" || true
}

started=$EPOCHREALTIME pipes='' jobs=()
trap 'kill "${jobs[@]}" 2>/dev/null || true; rm -rf "$pipes"' EXIT
trap 'exit 130' INT TERM HUP
progress() { wc -l 2>/dev/null <"$out/passed" || true; }
attempt=0 vain=0
rm -f "$out/passed"
while :; do
  before=$(progress)
  boot
  reason=$(void_reason)
  [ -n "$reason" ] || break
  printf 'rig: %s\n' "${reason//$'\n'/$'\nrig: '}" >&2
  # A long command is not repeated from its beginning: rig-contract notes the suites that have passed.
  if [ "$(progress)" = "$before" ]; then vain=$((vain + 1)); fi
  attempt=$((attempt + 1))
  if [ "$vain" = 3 ] || [ "$attempt" = 8 ]; then break; fi
  cp -r "$logs" "$logs-$attempt"
  echo 'rig: the guest is broken, which says nothing of the command: once more, in a new boot' >&2
  rm -f "$logs/status" "$logs/void"
done

if [ -n "$snoop" ]; then
  # btmon of BlueZ 5.66 crashes on such files.
  "$cache/python/bin/python" -m bumble.apps.show --format snoop "$logs/hci.btsnoop" 2>&1 |
    sed 's/\x1b\[[0-9;]*m//g' >"$logs/hci.txt" || true
fi
if [ -n "$verbose" ]; then
  cat "$logs/times" >&2 2>/dev/null || true
  awk -v from="$started" -v to="$EPOCHREALTIME" -v logs="$logs" \
    'BEGIN { printf "rig: %5.1f s  in all; logs in %s\n", to - from, logs }' >&2
fi
if [ ! -s "$logs/status" ]; then
  printf 'rig: the rig failed; its logs, from %s:\n' "$logs" >&2
  for log in qemu serial session dbus world bluetoothd; do
    [ -s "$logs/$log.log" ] || continue
    tail -n 40 "$logs/$log.log" | sed "s/^/rig: $log: /" >&2
  done
  exit 70
fi
status=$(<"$logs/status")
if [ "$status" != 0 ]; then
  # The complaints of the kernel and the radio, which may be the cause.
  for log in serial world; do
    tail -n 5 "$logs/$log.log" 2>/dev/null | sed "s/^/rig: $log: /" >&2
  done
  printf 'rig: status %s; logs in %s\n' "$status" "$logs" >&2
elif [ -z "$keep" ]; then
  rm -rf "$out"
fi
exit "$status"
