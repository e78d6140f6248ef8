#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the decoding of standard values with an independent implementation, the package bluetooth-sig, in a virtual
# environment of its own. What differs is explained in Tests/System/Comparison/differences.json.
#
#   Tests/System/Comparison/run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."

environment=.build/comparison
requirements=Tests/System/Comparison/requirements.txt
if ! cmp -s "$requirements" "$environment/requirements.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
  cp "$requirements" "$environment/"
fi
built=$(Scripts/built.sh blectl)
"$environment/bin/python" Tests/System/Comparison/compare.py "$built/blectl" docs/characteristics.md
