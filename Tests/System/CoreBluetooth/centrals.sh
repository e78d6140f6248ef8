#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The programs of the central role, with the peripherals of docs/built-in-world.md.
set -euo pipefail
# shellcheck source=Tests/System/CoreBluetooth/lib.sh
. "$(dirname "$0")/lib.sh"

piano=D0:B5:C2:0A:0B:0C
band=C8:0F:10:01:02:03

# Lets a peripheral close its link.
drop() { # ADDRESS
  if command -v rig-world >/dev/null; then
    rig-world drop "$1"
  else
    python3 - "$CONTROL" "$1" <<'PYTHON'
import json, socket, sys
control = socket.socket(socket.AF_UNIX)
control.connect(sys.argv[1])
control.sendall(json.dumps({"do": "drop-link", "device": sys.argv[2]}).encode() + b"\n")
answer = control.makefile().readline()
sys.exit(0 if json.loads(answer)["ok"] else answer)
PYTHON
  fi
}

# A list that fills itself: many callbacks, but one object for each device; then one byte, which is confirmed.
start Helper
sees Helper '^powered on$'
sees Helper '^callbacks [0-9]+ for [0-9]+ objects$'
sees Helper '^connected$'
sees Helper '^sent$'
stop Helper

# 115 writes at once are answered in their order; the link is lost, and comes back.
start PianoTeacher
sees PianoTeacher '^connected to Piano$'
sees PianoTeacher '^115 lamps are lit$'
sees PianoTeacher '<9f5472>$'
keys=$(grep -oE '<9f54..>' "$folder/PianoTeacher" | head -115)
[ "$keys" = "$(sort <<<"$keys")" ] || fail "the keys are out of order: $keys"
[ "$(wc -l <<<"$keys")" = 115 ] || fail "there are not 115 keys: $keys"
drop "$piano"
sees PianoTeacher '^disconnected: The specified device has disconnected from us\.$'
sees PianoTeacher '^connected to Piano$' 2
sees PianoTeacher '^115 lamps are lit$' 2
stop PianoTeacher

# Everything that the wristband has, as Apple prints it; a value that is read and subscribed to in one go.
start Band
sees Band '^found MI Band 2$'
sees Band '^value of FED3: <00>$'
sees Band '^notification state of FED3: '
sees Band '^value of 2A37: <00..>$' 3
for uuid in 'Device Information' 00001530-0000-3512-2118-0009AF100700 1811 1802 'Heart Rate' FEE0 FEE1; do
  grep -qE "^<CBService: 0x[0-9a-f]+, isPrimary = YES, UUID = $uuid>$" "$folder/Band" ||
    fail "Band did not print the service $uuid: $(cat "$folder/Band")"
done
[ "$(grep -c '^<CBService: ' "$folder/Band")" = 7 ] || fail "Band printed more than seven services"
grep -qE '^<CBCharacteristic: 0x[0-9a-f]+, UUID = FED3, properties = 0xA, value = \(null\), notifying = NO>$' \
  "$folder/Band" || fail "Band did not print FED3: $(cat "$folder/Band")"
drop "$band"
sees Band '^disconnected$'
sees Band '^connected$' 2
stop Band
