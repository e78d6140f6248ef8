#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares decoding with independent implementations, in a virtual environment of its own: standard values with the package
# bluetooth-sig, encrypted advertisements with bthome-ble, xiaomi-ble and victron-ble, those of sensors with the packages in
# adverts.py. What differs is explained in differences.json, key-differences.json and adverts.json.
#
#   Tests/System/Comparison/run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

environment=$(Scripts/python-environment.sh .build/comparison Tests/System/Comparison/requirements.txt)
built=$(Scripts/built.sh blectl advert-decoder)
status=0
"$environment/bin/python" Tests/System/Comparison/compare.py "$built/blectl" docs/characteristics.md || status=1
"$environment/bin/python" Tests/System/Comparison/compare_keys.py "$built/advert-decoder" || status=1
"$environment/bin/python" Tests/System/Comparison/adverts.py "$built/blectl" || status=1
exit $status
