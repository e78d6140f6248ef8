#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sixty sensors through `blectl listen` into a table, a database and a real MQTT broker. Nothing is there at the start, and
# each part is lost in between.
#
#   Tests/System/Gateway/run.sh                    as CI does
#   CHANGES=1200 Tests/System/Gateway/run.sh       ten minutes a phase; CONFIGURATION=release tests what users get
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh mosquitto mosquitto-clients dbus-bin

BLECTL=$(Scripts/built.sh -c "${CONFIGURATION:-debug}" blectl)/blectl
export BLECTL PATH=$PATH:/usr/sbin PYTHONPATH=Tests/System/Brokers:Tests/System/Chaos
exec python3 Tests/System/Gateway/gateway.py "$@"
