#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the folder of a Python environment that has the packages of a file, and makes it again when that file has changed.
#
#   Scripts/python-environment.sh FOLDER REQUIREMENTS
set -euo pipefail

environment=$(realpath -m "$1") requirements=$2
if ! cmp -s "$requirements" "$environment/requirements.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install -q --retries 5 --disable-pip-version-check -r "$requirements" >&2
  cp "$requirements" "$environment/requirements.txt"
fi
echo "$environment"
