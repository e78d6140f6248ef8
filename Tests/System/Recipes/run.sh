#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Plays the recipes of Examples/recipes on a simulated BlueZ: a real database, systemd's own verdict.
set -euo pipefail
cd "$(dirname "$0")/../../.."

Scripts/setup.sh sqlite3 systemd strace mosquitto mosquitto-clients jq

BLECTL=${BLECTL:-$(Scripts/built.sh blectl)/blectl}
export BLECTL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "recipes: sqlite.sh" >&2
Examples/recipes/sqlite.sh 'Heart Strap' 4s "$work/heart.sqlite" --simulate | tee "$work/table"
grep -qE '^20[0-9T:-]+ +[0-9]+ +60 +[0-9]+ *$' "$work/table"

echo "recipes: lamps.ble and wristband.ble" >&2
"$BLECTL" run Piano Examples/recipes/lamps.ble --simulate >"$work/lamps"
[ "$(wc -l <"$work/lamps")" = 115 ]
"$BLECTL" run 'MI Band 2' Examples/recipes/wristband.ble --simulate >"$work/wristband"
grep -q 2a28 "$work/wristband"
"$BLECTL" run 'MI Band 2' Examples/recipes/wristband.ble --set VERSION=V2 --simulate >/dev/null 2>"$work/errors" && exit 1
grep -q 'wristband.ble:9: cannot get utf8 = V2 from 2a28: the value was V1.0.1.81' "$work/errors"

echo "recipes: straps.sh" >&2
"$BLECTL" simulate --firmware secure-dfu >"$work/new.zip"
XDG_STATE_HOME="$work/state" Examples/recipes/straps.sh 'Strap *' "$work/new.zip" 3 --simulate=Examples/recipes/rack.json \
  | cut -f 1-5 | tee "$work/straps"
printf '%s\n' $'C0:FF:EE:00:01:00\tStrap 1\tupdated\t1.0.0\t2.0.0' $'C0:FF:EE:00:02:00\tStrap 2\tupdated\t1.1.0\t2.0.0' \
  $'C0:FF:EE:00:03:00\tStrap 3\tupdated\t1.0.0\t2.0.0' | cmp - "$work/straps"

echo "recipes: blectl-log@.service" >&2
# systemd checks that the program exists: here it is the one just built.
sed "s|/usr/local/bin/blectl|$BLECTL|" 'Examples/recipes/blectl-log@.service' >"$work/blectl-log@.service"
systemd-analyze verify --man=no "$work/blectl-log@heart.service"

echo "recipes: blectl-sensors.service and blectl-home.service" >&2
for unit in blectl-sensors blectl-home; do
  sed "s|/usr/local/bin/blectl|$BLECTL|" "Examples/recipes/$unit.service" >"$work/$unit.service"
  systemd-analyze verify --man=no "$work/$unit.service"
done
# Where users without rights may not look into the checkout.
chmod 755 "$work"
cp "$BLECTL" "$work/blectl"
root=()
if [ "$(id -u)" != 0 ]; then root=(sudo); fi
for unit in blectl-sensors blectl-home; do
  "${root[@]}" env PATH="$PATH:/usr/sbin" PYTHONPATH=Tests/System/Brokers BLECTL="$work/blectl" \
    "$BLECTL" simulate -- python3 Tests/System/Recipes/confinement.py "Examples/recipes/$unit.service"
done
# What the first one runs, for a moment.
"$BLECTL" listen --log "$work/sensors.csv" --log "$work/sensors.sqlite" --log-rotate 24h --duration 3s --simulate >/dev/null
[ "$(sqlite3 "$work/sensors.sqlite" "SELECT temperature_celsius FROM advertised WHERE name = 'Garden'")" = 25.06 ]
[ "$(sqlite3 "$work/sensors.sqlite" 'SELECT count(*) FROM advertisement')" = "$(grep -c 'Z,value,' "$work/sensors.csv")" ]

echo "recipes: telegraf.conf and vector.toml, whose programs are not in Debian: only the files that they name were checked" >&2
"$BLECTL" subscribe 'Heart Strap' 2a37 --json --simulate --count 1 2>/dev/null >"$work/records"
python3 - "$work/records" <<'PYTHON'
import json
import sys
import tomllib

records = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
value = next(record for record in records if record['event'] == 'value')
with open('Examples/recipes/telegraf.conf', 'rb') as file:
    source = tomllib.load(file)['inputs']['execd'][0]
layout = source['json_v2'][0]
assert source['command'][:2] == ['blectl', 'subscribe'], source
for part in layout['tag'] + layout['object'] + [{'path': layout['timestamp_path']}]:
    wanted = [value] if part.get('optional') else records
    assert all(part['path'] in record for record in wanted), part
with open('Examples/recipes/vector.toml', 'rb') as file:
    config = tomllib.load(file)
assert config['sources']['bluetooth']['command'][:2] == ['blectl', 'subscribe'], config
assert config['transforms']['values']['condition'] == '.event == "value"', config
PYTHON

echo "recipes: grafana.json" >&2
# Each metric that it asks for is one of the page.
"$BLECTL" listen --absent 1h --web 0 --simulate >/dev/null 2>"$work/page" &
page=$!
for _ in $(seq 100); do
  grep -q 'the page is at' "$work/page" && break
  sleep 0.1
done
sleep 3
url=$(sed -n 's/^the page is at //p' "$work/page")
python3 - "$url" <<'END'
import json, re, sys, urllib.request
metrics = urllib.request.urlopen(sys.argv[1] + "metrics").read().decode()
known = set(re.findall(r"^(blectl_\w+)", metrics, re.M))
board = json.load(open("Examples/recipes/grafana.json"))
ids = [panel["id"] for panel in board["panels"]]
assert len(set(ids)) == len(ids) > 5
for panel in board["panels"]:
    for target in panel["targets"]:
        wanted = set(re.findall(r"blectl_\w+", target["expr"]))
        assert wanted and wanted <= known, (panel["title"], wanted - known)
END
kill -INT "$page"
wait "$page" || true

echo "recipes: all played" >&2
