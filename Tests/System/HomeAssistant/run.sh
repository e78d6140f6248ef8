#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A real Home Assistant on a real mosquitto, which shows what blectl announces: its entities and their histories are looked at.
#
#   Tests/System/HomeAssistant/run.sh                as CI does
#   Tests/System/HomeAssistant/run.sh fields | …     some tests
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh mosquitto mosquitto-clients
python=$(Tests/System/HomeAssistant/install.sh)

BLECTL=$(Scripts/built.sh -c "${CONFIGURATION:-debug}" blectl)/blectl
ALL_FIELDS=$(Scripts/built.sh all-fields)/all-fields
export BLECTL ALL_FIELDS PATH=$PATH:/usr/sbin PYTHONPATH=Tests/System/Brokers:Tests/System/Chaos
exec "$python" Tests/System/HomeAssistant/assistant.py "$@"
