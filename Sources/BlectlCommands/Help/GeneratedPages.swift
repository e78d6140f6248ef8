// SPDX-License-Identifier: MIT
// swift-format-ignore-file
//
// Generated from docs/ by BLECTL_RECORD=1 swift test --filter GeneratedPagesTests: do not edit.

/// Pages of the documentation that `blectl help` shows.
enum GeneratedPages {
  static let json = #"""
# JSON records

With `--json`, every command prints one JSON object a line, on a terminal and in a pipe. The examples are from the
simulated world, one line each there, broken here where they are long.

- Keys are in `snake_case`. New keys may be added; those that are here stay.
- What is not known is absent, never null.
- Times are RFC 3339, UTC, with microseconds: when the record was read from the bus.
- Bytes are lower-case hex digits. UUIDs are in the 128-bit form, in lower case. Addresses are in upper case.
- Handles are numbers (`11` is `@000b`).
- Errors are text on stderr, also with `--json`.

## Devices: `scan`, `devices`, `info`

```json
{"event":"found","time":"2026-11-21T05:15:23.154809Z","address":"C8:0F:10:01:02:03","address_type":"random",
 "adapter":"hci0","name":"MI Band 2","rssi":-55,"services":["0000fee0-0000-1000-8000-00805f9b34fb"],
 "manufacturer_data":{"0157":"0100c80f10010203"},"connected":false,"paired":false}
```

| key | |
|---|---|
| `event` | `scan` only: `found` when first heard; `changed` when facts became known that were absent, such as a name, and with `--duplicates` at each further advertisement; `lost` when BlueZ has forgotten it |
| `time` | `scan` only |
| `address`, `address_type` | `public` or `random` |
| `adapter` | which one heard it |
| `name` | what the device calls itself, or its alias here |
| `rssi` | dBm; absent when it was not heard of late |
| `tx_power` | dBm, as the device says |
| `distance` | metres, from `rssi`; a rough guess ([how rough](adverts.md#distance)): walls and bodies make it wrong by a factor of three |
| `distance_basis` | where the strength at one metre comes from: `given` (`--rssi-at-1m`), `beacon`, `tx-power`, `assumed` |
| `flags` | the names of the advertising flags; BlueZ tells them from 5.78 on |
| `services` | as advertised; after a connection, as found |
| `manufacturer_data` | by company identifier, four hex digits |
| `service_data` | by UUID |
| `company` | the name of the company with the lowest identifier in `manufacturer_data` |
| `beacon` | what manufacturer or service data mean, where their format is known: `type` and its values ([adverts](adverts.md)) |
| `more_beacons` | an array of such objects, where there are more |
| `connected`, `paired` | |

`info` adds `bonded`, `trusted`, `blocked`, `services_resolved`, and where they are known `battery_level` (percent),
`appearance`, `appearance_name`, `class`, `icon`, `modalias`:

```json
{"address":"E7:10:20:30:40:50","address_type":"random","adapter":"hci0","name":"Thermometer",
 "services":["00001800-0000-1000-8000-00805f9b34fb","00001809-0000-1000-8000-00805f9b34fb",
 "0000181a-0000-1000-8000-00805f9b34fb"],"connected":false,"paired":false,"bonded":false,"trusted":false,
 "blocked":false,"services_resolved":false}
```

## The tree: `services`

One record for the device:

```json
{"address":"D0:B5:C2:0A:0B:0C","name":"Piano","services":[
 {"uuid":"0000ffe0-0000-1000-8000-00805f9b34fb","handle":6,"primary":true,"characteristics":[
  {"uuid":"0000ffe2-0000-1000-8000-00805f9b34fb","handle":7,"properties":["notify"],"descriptors":[
   {"uuid":"00002902-0000-1000-8000-00805f9b34fb","handle":9}]}]},
 {"uuid":"0000ffe1-0000-1000-8000-00805f9b34fb","handle":10,"primary":true,"characteristics":[
  {"uuid":"0000ffe3-0000-1000-8000-00805f9b34fb","handle":11,"properties":["write"],"descriptors":[]}]}]}
```

| key | |
|---|---|
| `name` | of services, characteristics and descriptors that the Bluetooth SIG or their vendor has named |
| `primary` | false for secondary services |
| `includes` | the handles of the services that this one includes |
| `properties` | `read`, `write-without-response`, `write`, `notify`, `indicate`, `broadcast`, `authenticated-signed-writes`, `extended-properties`, `reliable-write`, `writable-auxiliaries` |
| `mtu` | of the link, in bytes, where BlueZ tells |
| `value` | with `--read`, of characteristics and descriptors that could be read |
| `decoded` | with `--read`, what a value means, see [below](#decoded-values) |

## Values: `read`, `subscribe`, `write --reply`

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"C8:0F:10:01:02:03",
 "service":"0000180a-0000-1000-8000-00805f9b34fb","characteristic":"00002a28-0000-1000-8000-00805f9b34fb",
 "handle":11,"value":"56312e302e312e3831","via":"read"}
```

| key | |
|---|---|
| `handle` | of the characteristic |
| `descriptor` | with `--descriptor`: which one was read |
| `via` | `read`; `signal` or `socket` for notifications and indications |

### Decoded values

`decoded` is there for standard characteristics and descriptors, in the records of values, in the tree with `--read`, and in
those of `decode`: an object whose keys have the unit at their end. [characteristics.md](characteristics.md) lists the keys,
and says how special values, missing bytes and reserved bits are told.

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"F0:F1:F2:F3:F4:F5",
 "service":"0000180d-0000-1000-8000-00805f9b34fb","characteristic":"00002a37-0000-1000-8000-00805f9b34fb",
 "handle":11,"value":"104fe803","decoded":{"heart_rate_bpm":79,"rr_intervals_ms":[976.6]},"via":"signal"}
```

`decode` prints `uuid`, `name`, `value` and `decoded`:

```json
{"uuid":"00002a6e-0000-1000-8000-00805f9b34fb","name":"Temperature","value":"6608",
 "decoded":{"temperature_celsius":21.50}}
```

## Links: `connect`, `disconnect`, `subscribe`

```json
{"event":"connected","time":"2026-11-21T05:11:04.785312Z","address":"F0:F1:F2:F3:F4:F5"}
```

| key | |
|---|---|
| `event` | `connected`, `disconnected`, `reconnected` |
| `reason` | of a `disconnected`, where it is known |
| `gap_seconds` | of a `reconnected` of `subscribe` and `connect --stay`: how long there was no link, as far as BlueZ has told |

`subscribe` prints one when the subscription stands, and `disconnected` when the link is lost, so that a gap is visible.

## What was dropped: `subscribe`

```json
{"event":"dropped","time":"2026-11-21T08:31:04.785312Z","count":117}
```

So many records are missing at this place, from this time on, because the reader took too little and `--buffer` was full.

## Adapters: `adapter`

```json
{"adapter":"hci0","address":"00:1A:7D:DA:71:13","name":"BlueZ 5.66","powered":true,"discovering":false,
 "blocked":false,"modalias":"usb:v1D6Bp0246d0542"}
```

## Numbers: `uuid`

One record for each meaning:

```json
{"kind":"service","name":"Heart Rate","uuid":"0000180d-0000-1000-8000-00805f9b34fb","short":"180d",
 "allocated_by":"Bluetooth SIG"}
```

| key | |
|---|---|
| `kind` | `service`, `characteristic`, `descriptor`, `declaration`, `member`, `standard`, `unit`, `object-type`, `mesh-profile`, `service-class`, `protocol`; `company`, `appearance` |
| `uuid`, `short` | the 128-bit form, and the short one where there is one |
| `value` | of companies and appearances, instead: four hex digits |
| `allocated_by` | `Bluetooth SIG` or `vendor`; the name of a `member` is whom the SIG has given the UUID to |

## Events: `monitor`

Devices (`found`, `changed`, `lost`), links (`connected`, `disconnected`) and values (`value`, with `via` always `signal`:
some program has read it, or the device has sent it) are as above, with `adapter` and `name` where they lack there.

```json
{"event":"adapter_changed","time":"2026-11-21T08:11:45.712186Z","adapter":"hci0","address":"00:1A:7D:DA:71:13",
 "name":"BlueZ 5.66","powered":false,"discovering":false,"blocked":false,"modalias":"usb:v1D6Bp0246d0542"}
{"event":"state","time":"2026-11-21T08:11:45.712196Z","state":"off"}
```

| key | |
|---|---|
| `event` | also `adapter_added`, `adapter_changed`, `adapter_removed`; `state`; `missed`, when the reader is too slow |
| `properties` | of `changed`: which ones, by their keys here; `battery_level` and the like are gone where their keys are absent |
| `state` | `on`, `off`, `blocked`, `no_adapter`, `service_unavailable`, `bus_unavailable` |
| `count` | of `missed`: how many events |

## Checks: `doctor`

```json
{"check":"power","status":"fail","message":"hci0 is off","fix":"blectl adapter on","adapter":"hci0"}
```

| key | |
|---|---|
| `check` | `user`, `container`, `bus`, `service`, `owner`, `simulator`, `policy`, `version`, `adapter`, `rfkill`, `power`, `central`, `peripheral`, `passive`, `cache`; those that do not apply are left out |
| `status` | `ok`; `warn`, when something is unusual; `fail`, when Bluetooth cannot be used |
| `message` | for people |
| `fix` | the command that mends it, or a few words |
| `uid`, `pid`, `program` | of `service` and `owner`: who answers as org.bluez |
| `version` | of `version`: BlueZ's |

## With jq

```sh
# the address of the strongest heart-rate strap
blectl scan --service 180d --json | jq -rs 'max_by(.rssi).address'

# everything that can be notified
blectl services 'MI Band 2' --json |
  jq -r '.services[].characteristics[] | select(.properties | index("notify")) | .uuid'

# a heart rate as a number, while it comes
blectl subscribe 'Heart Strap' 2a37 --json |
  jq -r --unbuffered 'select(.event == "value") | .decoded.heart_rate_bpm'
```
"""#

  static let exitStatus = #"""
# Exit status and errors

Errors go to stderr, in one form:

```
blectl: cannot WHAT: WHY
hint: COMMAND
```

The hint is there where something helps. Between them, candidates are listed when something is ambiguous. `-v` adds the
causes (the D-Bus error name and the ATT error), `-vv` the traffic on the bus.

| status | meaning |
|---|---|
| 0 | done; an empty scan too |
| 1 | the operation failed: mostly, the device refused |
| 3 | Bluetooth is not available: no bus, no daemon, no adapter, off, denied |
| 4 | not found, or ambiguous |
| 5 | timed out |
| 64 | the command line is wrong; nothing has been sent |
| 129, 130, 143, 141 | ended by SIGHUP, SIGINT, SIGTERM, SIGPIPE, after cleaning up |

`blectl simulate -- COMMAND` ends with the status of the command, or 128 and the number of the signal that ended it.

## Time

`--timeout` (20 s) is the limit for finding a device, connecting to it and learning its services, all together; then for
each operation. `0` is no limit. `scan` ends after its `--duration` (10 s), and `subscribe` after `--count` or
`--duration`, with status 0.

## Signals

The first SIGINT, SIGTERM or SIGHUP (the terminal was closed, ssh was lost) ends the command cleanly: scans and
subscriptions are stopped, links that it opened are closed, and what is known is printed. The second ends the process at
once. A closed pipe (`blectl subscribe … | head -1`) does the same as SIGINT, without a word. Under `nohup`, SIGHUP ends
nothing.

A command that `simulate -- COMMAND` or `monitor --exec` runs gets SIGTERM then; that of `--exec` with everything that it
has started, and SIGKILL a second later. The second signal kills it at once.

## Situations

Each is played by a test, on a simulated BlueZ, and the tables are made from what it expects. "Lamp" is a device that is as the
situation needs it. Not among them is what a full disk does to a log: `117 records were not written to heart.csv`, with
status 1 at the end; [logging](logging.md) tells more.

### Bluetooth is not available

| situation | command | status | message | hint |
|---|---|---|---|---|
| there is no bus | `blectl scan` | 3 | `cannot reach the system bus: Failed to connect to socket /nonexistent: No such file or directory` | `blectl doctor; without a radio, add --simulate` |
| an address that is none of a bus | `blectl scan --bus nonsense` | 3 | `cannot reach the bus nonsense: Address does not contain a colon` | `blectl doctor; without a radio, add --simulate` |
| bluetoothd does not run | `blectl scan` | 3 | `cannot scan: the Bluetooth service (org.bluez) is not running` | `sudo systemctl start bluetooth` |
| bluetoothd ends in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: the Bluetooth service (bluetoothd) ended` | `sudo systemctl start bluetooth` |
| the bus denies access | `blectl devices` | 3 | `cannot talk to the Bluetooth service: the policy of the bus does not permit it` | `blectl doctor` |
| there is no adapter | `blectl scan` | 3 | `cannot scan: there is no Bluetooth adapter` | `blectl adapter list; without a radio, add --simulate` |
| there is no such adapter | `blectl scan --adapter hci7` | 3 | `cannot scan: there is no Bluetooth adapter hci7` | `blectl adapter list; without a radio, add --simulate` |
| the adapter is off | `blectl read Lamp 2a19` | 3 | `cannot scan: the adapter hci0 is off` | `blectl adapter on` |
| switching a blocked adapter on | `blectl adapter on` | 3 | `cannot switch hci0 on: the radio is blocked (rfkill)` | `sudo rfkill unblock bluetooth` |
| the adapter is switched off in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: the adapter hci0 is off` | `blectl adapter on` |
| the adapter is unplugged in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: there is no Bluetooth adapter` | `blectl adapter list; without a radio, add --simulate` |
| doctor finds a fault | `blectl doctor` | 3 | `cannot use Bluetooth: the bus unix:path=/nonexistent is not there: Failed to connect to socket /nonexistent: No such file or directory` | `give another --bus, or unset DBUS_SYSTEM_BUS_ADDRESS` |
| the simulation cannot start | `TMPDIR=/nonexistent blectl scan --simulate` | 3 | `cannot start the simulated BlueZ: its private bus did not start: no directory in /nonexistent: No such file or directory` |  |

### Not found, or ambiguous

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device is not heard | `blectl read D0:00:00:00:00:0D 2a19 --timeout 4s` | 4 | `cannot find D0:00:00:00:00:0D: not heard in the time given` | `blectl scan; a device that is connected elsewhere does not advertise` |
| its name is misspelt | `blectl read Tnermometer 2a6e --timeout 4s` | 4 | `cannot find Tnermometer: not heard in the time given; did you mean Thermometer?` | `blectl scan; a device that is connected elsewhere does not advertise` |
| several devices are called that | `blectl info Lamp` | 4 | `cannot tell which device: 2 are called Lamp` · `C0:00:00:00:00:01 Lamp` · `C0:00:00:00:00:02 Lamp` | `give the address, or --pick strongest` |
| none of the devices of --all is heard | `blectl subscribe 'Lamp*' 2a19 --all --timeout 4s` | 4 | `cannot find Lamp*: none was heard in the time given` | `blectl scan; a device that is connected elsewhere does not advertise` |
| disconnecting from an unknown device | `blectl disconnect Piano` | 4 | `cannot disconnect from Piano: BlueZ knows no such device` | `blectl devices --connected` |
| there is no such characteristic | `blectl read Piano battery-level` | 4 | `cannot find 2a19 on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| there is no such handle | `blectl read Piano @00ff` | 4 | `cannot find @00ff on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| there are several such characteristics | `blectl read Lamp 2a19` | 4 | `cannot tell which 2a19: C0:00:00:00:00:01 has 2` · `180f/2a19 @0007` · `fff0/2a19 @000a` | `write SERVICE/CHAR, or the handle such as @0007` |
| there is no such descriptor | `blectl read Piano ffe2 --descriptor 2901` | 4 | `cannot find descriptor 2901 of ffe2: no such descriptor` · `2902 @0009` |  |
| a name that nothing has | `blectl uuid frobnicate` | 4 | `cannot find 'frobnicate': neither a number nor a part of a name` |  |
| a misspelt name | `blectl uuid hart-rate` | 4 | `cannot find 'hart-rate': neither a number nor a part of a name` | `blectl uuid heart-rate` |
| values whose meaning is not known | `blectl decode fff1 00` | 4 | `cannot decode fff1: no meaning of its values is known` | `man blectl-values` |

### Timed out

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device does not answer | `blectl connect Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: no connection in the time given` | `a longer --timeout, or the device nearer` |
| its services do not come | `blectl services Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: no connection in the time given` | `a longer --timeout, or the device nearer` |
| reading is not answered | `blectl read Lamp 2a19 --timeout 4s` | 5 | `cannot read 2a19 of C0:00:00:00:00:01: no answer in the time given` | `a longer --timeout, or the device nearer` |
| writing is not answered | `blectl write Lamp 2a19 01 --timeout 4s` | 5 | `cannot write 2a19 of C0:00:00:00:00:01: no answer in the time given` | `a longer --timeout, or the device nearer` |
| nothing is notified as a reply | `blectl write Piano ffe3 00 --reply ffe2 --timeout 4s` | 5 | `cannot get a reply of ffe2: nothing came in the time given` | `a longer --timeout, or the device nearer` |
| bluetoothd hangs | `blectl read Lamp 2a19 --every 10ms --timeout 4s` | 5 | `cannot read 2a19 of C0:00:00:00:00:01: no answer in the time given` | `a longer --timeout, or the device nearer` |

### The operation failed

| situation | command | status | message | hint |
|---|---|---|---|---|
| the link cannot be made | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: the connection could not be made (le-connection-refused)` |  |
| a device that cannot be connected to | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: it accepts no connections (BlueZ forgets it with each scan)` | `blectl scan --address C0:00:00:00:00:01; it can only be listened to` |
| the link is lost | `blectl read Lamp 2a19 --every 10ms` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the link was lost` |  |
| the link is lost under a subscription | `blectl subscribe Lamp 2a19 -q` | 1 | `cannot go on with notifications: the link was lost` |  |
| what cannot be read | `blectl read 'Heart Strap' 2a39` | 1 | `cannot read 2a39 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x02 read not permitted)` |  |
| what cannot be written | `blectl write 'Heart Strap' 2a38 01` | 1 | `cannot write 2a38 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x03 write not permitted)` |  |
| what cannot be subscribed to | `blectl subscribe Piano ffe3` | 1 | `cannot subscribe to ffe3 of D0:B5:C2:0A:0B:0C: the characteristic has neither notifications nor indications` |  |
| the device wants encryption | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device wants to be paired` | `bluetoothctl pair C0:00:00:00:00:01` |
| the device wants authentication | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device wants to be paired` | `bluetoothctl pair C0:00:00:00:00:01` |
| the device wants authorisation | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x08 insufficient authorization)` |  |
| an offset outside of the value | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x07 invalid offset)` |  |
| a value that is too long for it | `blectl write Lamp 2a19 010203` | 1 | `cannot write 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x0d invalid attribute value length)` |  |
| an error of the application | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` |  |
| the same, with its causes | `blectl read Lamp 2a19 -v` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` · `cause: D-Bus error org.bluez.Error.Failed` · `cause: ATT 0x85 application error` |  |
| an error while subscribing | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x80 application error)` |  |
| another request goes on for ever | `blectl read Lamp 2a19 --timeout 4s` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: an operation of the same kind is under way` | `end the other program that uses it, or try again` |
| another program holds the characteristic | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: another program holds the characteristic (Notify acquired)` | `end the other program that uses it, or try again` |
| too long for a write without response | `blectl write Lamp 2a19 --no-response --from values.txt` | 1 | `cannot write 2a19 of C0:00:00:00:00:01: 21 bytes do not fit a write without response: 20 at most` · `at line 1; 0 of 1 values were written` |  |
| a passive scan without experimental features | `blectl scan --passive` | 1 | `cannot scan passively: bluetoothd offers it only with experimental features on` | `start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf` |
| one of the devices of --all fails | `blectl subscribe 'Lamp*' 2a19 --all --duration 5s -q` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: the characteristic has neither notifications nor indications` · `cannot go on with 1 of 1 devices` |  |

### Files, outputs and other programs

| situation | command | status | message | hint |
|---|---|---|---|---|
| the folder of a log is not there | `blectl subscribe Thermometer 2a6e --log logs/heart.csv` | 1 | `cannot write logs/heart.csv: No such file or directory` |  |
| a log that is no file | `ln -s /dev/null heart.csv; blectl subscribe Thermometer 2a6e --log heart.csv` | 1 | `cannot write heart.csv: it is not a regular file` |  |
| another process writes to the log | `flock -o heart.csv blectl subscribe Thermometer 2a6e --log heart.csv` | 1 | `cannot write heart.csv: flock (process 4711) writes to it already` |  |
| a log that is something else | `blectl subscribe Thermometer 2a6e --log heart.sqlite` | 1 | `cannot write heart.sqlite: file is not a database` |  |
| a chart, and no terminal to draw on | `blectl subscribe 'Heart Strap' 2a37 --plot` | 64 | `cannot plot: the output is not a terminal that can be drawn on` | `--plot-svg FILE draws into a file, beside the lines of text` |
| the file of a chart is no file | `ln -s /dev/null heart.svg; blectl subscribe 'Heart Strap' 2a37 --count 1 -q --plot-svg heart.svg` | 1 | `cannot write heart.svg: it is not a regular file` |  |
| the disk is full | `blectl adapter >/dev/full` | 1 | `cannot write the output: No space left on device` |  |
| simulate cannot run its command | `blectl simulate -- nosuchcommand` | 1 | `cannot run nosuchcommand: No such file or directory` |  |
| the control socket is there already | `blectl simulate --control here.txt` | 1 | `cannot make the socket here.txt: there is a file already: remove it first` |  |

### The command line is wrong

| situation | command | status | message | hint |
|---|---|---|---|---|
| a command that there is not | `blectl scam` | 64 | `cannot run 'scam': there is no such command; did you mean scan?` | `blectl scan --help` |
| an option that there is not | `blectl devices --conected` | 64 | `cannot run 'devices': there is no option --conected; did you mean --connected?` | `blectl devices --help` |
| an option without its value | `blectl scan --name` | 64 | `cannot run 'scan': --name needs a <pattern>` | `blectl scan --help` |
| an argument is missing | `blectl read Piano` | 64 | `cannot run 'read': <characteristics> is missing` | `blectl read --help` |
| a word too many | `blectl scan Piano` | 64 | `cannot run 'scan': 'Piano' is one word too many` | `blectl scan --help` |
| options that do not go together | `blectl devices --simulate --bus unix:path=/run/bus` | 64 | `cannot run 'devices': --simulate brings its own bus: leave --bus out` | `blectl devices --help` |
| a UUID that is none | `blectl read Piano 2a1` | 64 | `cannot run 'read': '2a1' is not a UUID, nor the name of a characteristic` | `blectl read --help` |
| a misspelt characteristic | `blectl read Piano battery-levle` | 64 | `cannot run 'read': 'battery-levle' is not a UUID, nor the name of a characteristic; did you mean battery-level?` | `blectl read --help` |
| a handle that is none | `blectl read Piano @xyz` | 64 | `cannot run 'read': '@xyz' is not a handle; write @ and up to four hexadecimal digits, such as @002a` | `blectl read --help` |
| an odd hexadecimal digit | `blectl write Piano ffe3 f03` | 64 | `cannot run 'write': 'f03' has an odd number of hexadecimal digits` | `blectl write --help` |
| a value that does not fit | `blectl write Piano ffe3 u8:300` | 64 | `cannot run 'write': '300' does not fit u8, which holds 0 to 255` | `blectl write --help` |
| a format that there is not | `blectl read Piano 2a19 --as utf9` | 64 | `cannot run 'read': --as: 'utf9' is not a format; did you mean utf8?` | `blectl read --help` |
| a meaning that is not known | `blectl write Piano ffe3 auto:high` | 64 | `cannot make a value: 'auto:high' needs a characteristic whose values are known, which ffe3 is not` | `man blectl-values` |
| a value that is too long for any | `blectl write Piano ffe3 @long.bin` | 64 | `cannot read long.bin: it is longer than the limit of 512 bytes` |  |
| a duration that is none | `blectl scan --duration soon` | 64 | `cannot run 'scan': --duration: 'soon' is not a duration; write 500ms, 10s, 2m, 1h, or 0 for no limit` | `blectl scan --help` |
| an address that is none | `blectl scan --address 12:34` | 64 | `cannot run 'scan': --address: '12:34' is not a Bluetooth address` | `blectl scan --help` |
| a file of values that is not there | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values.txt: No such file or directory` |  |
| a line that is no value | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read line 2 of values.txt: 'f0 3' has an odd number of hexadecimal digits` |  |
| a file without values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values from values.txt: there are none` |  |
| a log of no known kind | `blectl subscribe Piano ffe2 --log heart.txt` | 64 | `cannot run 'subscribe': --log: 'heart.txt' does not end in .ndjson, .jsonl, .csv, .sqlite or .db` | `blectl subscribe --help` |
| a world file that is not there | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json: No such file or directory` |  |
| a world file that is not JSON | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json:1:1: expected a value, found "d"` |  |
| a world file with a misspelt key | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json:1:20: /peripherals/0/adress: expected a key of a peripheral, found "adress": did you mean "address"?` |  |
| a topic that there is not | `blectl help jsno` | 64 | `cannot help on 'jsno': it is neither a command nor a topic; did you mean json?` | `blectl help` |

### Ended from outside

| situation | command | status | message | hint |
|---|---|---|---|---|
| Ctrl-C | `blectl subscribe 'Heart Strap' 2a37 -q` | 130 |  |  |
| kill | `blectl scan --duration 0` | 143 |  |  |
| the terminal is closed, or ssh is lost | `blectl scan --duration 0` | 129 |  |  |
| the reader of a pipe has gone | `blectl subscribe 'Heart Strap' 2a37 -q \| head -1` | 141 |  |  |
"""#

  static let formats = #"""
# Formats of values

A FORMAT says how bytes stand as text: behind `--as`, where values are shown, and before the colon of a VALUE, where they
are typed.

| format | bytes as text |
|---|---|
| `auto` | the standard meaning of the characteristic; where there is none, as `hex`. What a terminal shows |
| `hex` | hexadecimal digits, two a byte. What a pipe gets |
| `utf8` | text |
| `base64` | base 64 (RFC 4648) |
| `raw` | the bytes themselves |
| `u8` `i8` | integers of one byte, without and with a sign |
| `u16` `i16` `u24` `i24` `u32` `i32` `u64` `i64` | integers of 16 to 64 bits, the lowest byte first, as Bluetooth has them |
| `u16be` `i16be` `u24be` `i24be` `u32be` `i32be` `u64be` `i64be` | the same, the highest byte first |
| `f32` `f64` `f32be` `f64be` | floating-point numbers of IEEE 754 |
| `sfloat` `float` | floating-point numbers of IEEE 11073, of 16 and 32 bits, as thermometers and scales have them |

A value of several numbers is shown with spaces between them.

```sh
blectl read 'MI Band 2' 2a28 --as utf8 --simulate
blectl read Thermometer 2a6e --as i16 --simulate
blectl subscribe 'Heart Strap' 2a37 --as hex --count 2 --simulate
```

## VALUE

What is written, and what `decode` is asked about:

| VALUE | bytes |
|---|---|
| `f03d3d0002f7`, `0xf03d`, `f0:3d`, `'f0 3d'` | hexadecimal digits, with `0x`, colons and spaces as you like |
| `FORMAT:TEXT` | a text in that format: `u16:1000`, `i8:-5`, `utf8:hello`, `f32:1.5`, `base64:8D0=` |
| `auto:TEXT` | the standard meaning: `auto:high`, `auto:now`, `'auto:heart_rate_bpm=79'` |
| `hex:` | no bytes at all |
| `-` | standard input, as it is |
| `@FILE` | a file, as it is |

Several are joined: `u8:2 u16:1000` is `02e803`. A number that does not fit, or an odd digit, is refused before anything
is sent, with status 64.

```sh
blectl write Piano ffe3 f03d3d0002f7 --reply ffe2 --simulate
blectl write 'MI Band 2' fed3 utf8:hello --simulate
blectl decode 2a06 auto:high --json
```

## Other words

| word | what is typed |
|---|---|
| DEVICE | an address (`F0:F1:F2:F3:F4:F5`), a name (`Piano`), a pattern (`'MI Band*'`), or a part of a name that fits only one |
| CHAR | a UUID (`2a37`) or its name (`heart-rate-measurement`); `SERVICE/CHAR` where it stands in two services; `@000b`, a handle that `services` prints |
| UUID | 4, 8 or 32 hexadecimal digits, or a name of the Bluetooth SIG; `blectl uuid heart-rate` looks one up |
| DURATION | `500ms`, `10s`, `2m`, `1h`, a bare number of seconds; `0` is no limit |
| SIZE | `16M`, `100K`, `1G`, a bare number of bytes |
"""#
}
