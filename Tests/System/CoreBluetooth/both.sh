#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154  # run.sh sets blectl
# The programs of the peripheral role on one adapter, and centrals on another that hears it.
set -euo pipefail
# shellcheck source=Tests/System/CoreBluetooth/lib.sh
. "$(dirname "$0")/lib.sh"

# Two programs for each other.
export BLECTL_ADAPTER=hci0
start Peripheral
sees Peripheral '^added FFA0FFB0$'
sees Peripheral '^advertising$'
export BLECTL_ADAPTER=hci1
start Central
sees Central "^found Liuting's Device$"
sees Central '^found service FFA0FFB0$'
sees Central '^found characteristic FFCCFFDD$'
sees Central '^notifying: true$'
sees Peripheral '^a central has subscribed to FFCCFFDD$'
sees Peripheral '^centrals: 1$'
sees Central "^received $(date +%Y)-"
[ "$(sed -n 's/^sent //p' "$folder/Peripheral")" = "$(sed -n 's/^received //p' "$folder/Central")" ] ||
  fail "what was sent is not what was received"
kill "${running[1]}"
sees Peripheral '^a central has unsubscribed from FFCCFFDD$'
stop Peripheral Central

# A program that answers requests, and sends as fast as there is room.
uuid=71da3fd1-7e10-41c1-b16f-4430b506
export BLECTL_ADAPTER=hci0
start Requests
sees Requests '^advertising$'
export BLECTL_ADAPTER=hci1
address=$("$blectl" scan --service 71da --count 1 --json | sed -nE 's/.*"address":"([^"]*)".*/\1/p' | head -1)
[ "$("$blectl" read "$address" "${uuid}0001" --as utf8 --quiet)" != '' ] || fail 'the cached value cannot be read'
"$blectl" read "$address" "${uuid}0000" --as utf8 | grep -q 0123456789 || fail 'the value cannot be read'
sees Requests '^read with offset 0$'
"$blectl" write "$address" "${uuid}0000" 0102 || fail 'the value cannot be written'
sees Requests '^written <0102>$'
if "$blectl" write "$address" "${uuid}0000" "$(printf '00%.0s' {1..21})" 2>/dev/null; then
  fail 'a write that is too long was not refused'
fi
sees Requests '^write refused$'
numbers=$("$blectl" subscribe "$address" "${uuid}0002" --count 300 --json |
  sed -nE 's/.*"value":"([0-9a-f]*)".*/\1/p' | head -300)
[ "$numbers" = "$(for number in {0..299}; do printf '%04x\n' "$number"; done)" ] ||
  fail "the 300 values are not all there, in order: $numbers"
sees Requests '^full at '
sees Requests '^sent 300$'
stop Requests

# An L2CAP channel beside the attributes.
export BLECTL_ADAPTER=hci0
start ChannelServer
sees ChannelServer '^published$'
sees ChannelServer '^advertising$'
export BLECTL_ADAPTER=hci1
start ChannelClient
sees ChannelClient '^opened$'
sees ChannelServer '^opened by a central$'
sees ChannelClient '^echoed$'
sees ChannelServer '^closed after 20000 bytes$'
stop ChannelServer ChannelClient
