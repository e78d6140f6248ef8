#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Firmware updates beside the tools of others: images of imgtool and packages of adafruit-nrfutil; smpmgr and nrf-ota on
# simulated devices; `blectl update` on an SMP server that is made of the package smp. 200 kB over links that are lost twenty
# times, by commands that are killed. And what each refusal says.
#
#   Tests/System/Update/run.sh                          as CI does
#   Tests/System/Update/run.sh killed | refusals.smp | foreign.smpmgr | …       some tests
#   [BLECTL=path/to/blectl] [SEED=N] [JOBS=N] Tests/System/Update/run.sh        the same losses again; as many tests at a time
set -euo pipefail
cd "$(dirname "$0")/../../.."

BLECTL=$(realpath "${BLECTL:-$(Scripts/built.sh blectl)/blectl}")
export BLECTL PATH=$PATH:/usr/sbin
environment=$(Scripts/python-environment.sh .build/update/python Tests/System/Update/requirements.txt)
cd Tests/System/Update
exec "$environment/bin/python" -B update.py "$@"
