#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Logs to a real MQTT broker, mosquitto, on the loopback: it is killed and restarted, refuses passwords, encrypts, and does
# not answer.
#
#   Tests/System/Brokers/run.sh                                  as CI does
#   Tests/System/Brokers/run.sh flood | …                        some tests
#   COUNT=1000000 KILLS=5 BUFFER=256M Tests/System/Brokers/run.sh flood      in full; with CONFIGURATION=release, on
#                                                                what users get
#   RATE=5000 Tests/System/Brokers/run.sh flood                  5000 values a second; without RATE, as fast as possible
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh mosquitto mosquitto-clients openssl

configuration=${CONFIGURATION:-debug}
built=$(Scripts/built.sh -c "$configuration" blectl bench-world)
export BLECTL=$built/blectl BENCH_WORLD=$built/bench-world
export PATH=$PATH:/usr/sbin
environment=$PWD/.build/brokers/python
if ! "$environment/bin/python" -c 'import paho.mqtt' 2>/dev/null; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check paho-mqtt==2.1.0
fi
exec "$environment/bin/python" Tests/System/Brokers/brokers.py "$@"
