#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs Home Assistant in .build/home-assistant, and prints the Python that has it; returns quickly when it is there.
#
#   HOME_ASSISTANT_PYTHON=…     the Python 3.13 to use; otherwise one of PATH, of pyenv, or the one that uv installs
set -euo pipefail
cd "$(dirname "$0")/../../.."

requirements=$PWD/Tests/System/HomeAssistant/requirements.txt
environment=$PWD/.build/home-assistant/python

wanted() { # PYTHON
  "$1" -c 'import ensurepip, sqlite3, ssl, sys, venv; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null
}

find_python() {
  local python
  for python in ${HOME_ASSISTANT_PYTHON-} python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13*/bin/python3.13; do
    if wanted "$python"; then
      echo "$python"
      return
    fi
  done
  # Debian 12 and 13 have another one.
  python3 -m venv .build/home-assistant/uv
  .build/home-assistant/uv/bin/pip install -q --disable-pip-version-check uv==0.9.8
  .build/home-assistant/uv/bin/uv python install -q 3.13
  .build/home-assistant/uv/bin/uv python find 3.13
}

if ! cmp -s "$requirements" "$environment/installed"; then
  mkdir -p .build/home-assistant
  "$(find_python)" -m venv --clear "$environment"
  echo 'home-assistant: installing, which takes some minutes' >&2
  "$environment/bin/pip" install -q --disable-pip-version-check -r "$requirements" >&2
  cp "$requirements" "$environment/installed"
fi
echo "$environment/bin/python"
