#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page of --web in a real browser, chromium; behind nginx and Caddy; Prometheus, which scrapes its metrics; and fifty clients
# of its stream.
#
#   Tests/System/Page/run.sh                       as CI does; pictures are in .build/test-results/page-*.png
#   Tests/System/Page/run.sh browser | …           some tests
#   PAGE_RECORD=1 Tests/System/Page/run.sh         accepts what the pictures show: writes pictures.json
#   SECONDS_OF_LOAD=600 Tests/System/Page/run.sh load
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh chromium chromium-driver dpkg-dev procps
# Unpacked, not installed: no service is started on the machine.
unpack() { # PACKAGE PROGRAM
  local folder=$PWD/.build/page/$1
  if ! [ -x "$folder/$2" ]; then
    mkdir -p "$folder"
    (cd "$folder" && apt-get download -q "$1" >/dev/null 2>&1 && dpkg -x "$1"_*.deb .)
  fi
  PATH=$folder/$(dirname "$2"):$PATH
}
unpack prometheus usr/bin/promtool
unpack nginx usr/sbin/nginx
unpack caddy usr/bin/caddy
environment=$PWD/.build/page/python
if ! "$environment/bin/python" -c 'import selenium, axe_playwright_python' 2>/dev/null; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check -r Tests/System/Page/requirements.txt
  # Only for the checker in it, axe.
  "$environment/bin/pip" install -q --disable-pip-version-check --no-deps axe-playwright-python==0.1.4
fi

BLECTL=$(Scripts/built.sh --shipped)/blectl
FED_PAGE=$(Scripts/built.sh fed-page)/fed-page
export BLECTL FED_PAGE PATH PAGE_PICTURES=$PWD/.build/test-results
mkdir -p "$PAGE_PICTURES"
exec "$environment/bin/python" Tests/System/Page/page.py "$@"
