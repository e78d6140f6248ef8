#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Publishes the notifications of a device to an MQTT broker, one message per value.
#
#   mqtt.sh 'Heart Strap' 2a37 sensors/heart          to the local broker
#   MQTT_HOST=broker.example mqtt.sh …
set -euo pipefail
device=$1 characteristic=$2 topic=$3
shift 3

"${BLECTL:-blectl}" subscribe "$device" "$characteristic" --reconnect --json "$@" |
  mosquitto_pub -h "${MQTT_HOST:-localhost}" -p "${MQTT_PORT:-1883}" -t "$topic" -l
