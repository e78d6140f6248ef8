#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sends what a device notifies to an MQTT broker, a message a value.
#
#   mqtt.sh 'Heart Strap' 2a37 sensors/heart          to the broker on this machine
#   MQTT_HOST=broker.example mqtt.sh …
set -euo pipefail
device=$1 characteristic=$2 topic=$3
shift 3

"${BLECTL:-blectl}" subscribe "$device" "$characteristic" --reconnect --json "$@" |
  mosquitto_pub -h "${MQTT_HOST:-localhost}" -p "${MQTT_PORT:-1883}" -t "$topic" -l
