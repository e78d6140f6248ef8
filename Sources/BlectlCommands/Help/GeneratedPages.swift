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
| `error`, `att_error` | with `--read`, why there is no value, and the ATT error code where the device gave one |

## Values: `read`, `subscribe`, `write --reply`

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"C8:0F:10:01:02:03","name":"MI Band 2",
 "service":"0000180a-0000-1000-8000-00805f9b34fb","characteristic":"00002a28-0000-1000-8000-00805f9b34fb",
 "handle":11,"value":"56312e302e312e3831","via":"read"}
```

| key | |
|---|---|
| `name` | what the device calls itself |
| `handle` | of the characteristic |
| `descriptor` | with `--descriptor`: which one was read |
| `formatted` | with `--as`: the value as that format shows it, a text; absent when the value does not fit |
| `via` | `read`; `signal` or `socket` for notifications and indications |

Where `read` takes several characteristics and one cannot be read, a record with the event `error` stands in its place:

```json
{"event":"error","time":"2026-11-21T05:11:03.350665Z","address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap",
 "service":"0000180d-0000-1000-8000-00805f9b34fb","characteristic":"00002a39-0000-1000-8000-00805f9b34fb",
 "handle":14,"error":"the device does not permit it (ATT 0x02 read not permitted)","att_error":2,"via":"read"}
```

### Decoded values

`decoded` is there for standard characteristics and descriptors, in the records of values, in the tree with `--read`, and in
those of `decode`: an object whose keys have the unit at their end. [characteristics.md](characteristics.md) lists the keys,
and says how special values, missing bytes and reserved bits are told.

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap",
 "service":"0000180d-0000-1000-8000-00805f9b34fb","characteristic":"00002a37-0000-1000-8000-00805f9b34fb",
 "handle":11,"value":"104fe803","decoded":{"heart_rate_bpm":79,"rr_intervals_ms":[976.6]},"via":"signal"}
```

`decode` prints `uuid`, `name`, `value` and `decoded`:

```json
{"uuid":"00002a6e-0000-1000-8000-00805f9b34fb","name":"Temperature","value":"6608",
 "decoded":{"temperature_celsius":21.50}}
```

## Writes: `write`

One record for the run, when all was sent; with `--reply` the replies are printed instead:

```json
{"event":"written","time":"2026-11-21T05:11:03.350665Z","address":"D0:B5:C2:0A:0B:0C",
 "characteristic":"0000ffe3-0000-1000-8000-00805f9b34fb","handle":11,"values":115,"bytes":690}
```

| key | |
|---|---|
| `descriptor` | with `--descriptor`: which one was written |
| `values`, `bytes` | how many were written |

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

One record for each adapter; `adapter on` and `adapter off` print the one that was switched.

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
some program has read it, or the device has sent it) are as above, with `adapter` and `name` where they lack there. A `changed` of nothing but `rssi` comes with `--rssi` only.

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
| a misspelt device name | `blectl read Tnermometer 2a6e --timeout 4s` | 4 | `cannot find Tnermometer: not heard in the time given; did you mean Thermometer?` | `blectl scan; a device that is connected elsewhere does not advertise` |
| a misspelt word of a device name | `blectl read Hart 2a38 --timeout 4s` | 4 | `cannot find Hart: not heard in the time given; did you mean Heart Strap?` | `blectl scan; a device that is connected elsewhere does not advertise` |
| several devices have that name | `blectl info Lamp` | 4 | `cannot choose a device: 'Lamp' matches 2 devices` · `C0:00:00:00:00:01 Lamp` · `C0:00:00:00:00:02 Lamp` | `use the address, or --pick strongest` |
| none of the devices of --all is heard | `blectl subscribe 'Lamp*' 2a19 --all --timeout 4s` | 4 | `cannot find Lamp*: none was heard in the time given` | `blectl scan; a device that is connected elsewhere does not advertise` |
| disconnecting from an unknown device | `blectl disconnect Piano` | 4 | `cannot disconnect from Piano: BlueZ knows no such device` | `blectl devices --connected` |
| an unknown adapter | `blectl adapter -i hci3` | 4 | `cannot find hci3: no such adapter` · `hci0 00:1A:7D:DA:71:13` | `blectl adapter list` |
| an unknown characteristic | `blectl read Piano battery-level` | 4 | `cannot find 2a19 on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| an unknown handle | `blectl read Piano @00ff` | 4 | `cannot find @00ff on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| an ambiguous characteristic | `blectl read Lamp 2a19` | 4 | `cannot choose 2a19: C0:00:00:00:00:01 has 2` · `180f/2a19 @0007` · `fff0/2a19 @000a` | `use SERVICE/CHAR, or a handle such as @0007` |
| an unknown descriptor | `blectl read Piano ffe2 --descriptor 2901` | 4 | `cannot find descriptor 2901 of ffe2: no such descriptor` · `2902 @0009` |  |
| an unknown name | `blectl uuid frobnicate` | 4 | `cannot find 'frobnicate': no such number or name` |  |
| a misspelt name | `blectl uuid hart-rate` | 4 | `cannot find 'hart-rate': no such number or name` | `blectl uuid heart-rate` |
| values of unknown meaning | `blectl decode fff1 00` | 4 | `cannot decode fff1: the meaning of its values is unknown` | `man blectl-values` |

### Timed out

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device does not answer | `blectl connect Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: no connection in the time given` | `use a longer --timeout, or move closer to the device` |
| service discovery takes too long | `blectl services Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: no connection in the time given` | `use a longer --timeout, or move closer to the device` |
| no answer to a read | `blectl read Lamp 2a19 --timeout 4s` | 5 | `cannot read 2a19 of C0:00:00:00:00:01: no answer in the time given` | `use a longer --timeout, or move closer to the device` |
| no answer to one of several reads | `blectl services Lamp --read --timeout 4s` | 5 | `cannot read 2a06 of C0:00:00:00:00:01: no answer in the time given` · `cannot read 1 of 2 values of C0:00:00:00:00:01` | `use a longer --timeout, or move closer to the device` |
| no answer to a write | `blectl write Lamp 2a19 01 --timeout 4s` | 5 | `cannot write 2a19 of C0:00:00:00:00:01: no answer in the time given` · `the device may still have received the value` | `use a longer --timeout, or move closer to the device` |
| no notification as a reply | `blectl write Piano ffe3 00 --reply ffe2 --timeout 4s` | 5 | `cannot get a reply of ffe2: nothing came in the time given` | `use a longer --timeout, or move closer to the device` |
| bluetoothd hangs | `blectl read Lamp 2a19 --every 10ms --timeout 4s` | 5 | `cannot read 2a19 of C0:00:00:00:00:01: no answer in the time given` | `use a longer --timeout, or move closer to the device` |

### The operation failed

| situation | command | status | message | hint |
|---|---|---|---|---|
| the link cannot be made | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: the connection could not be made (le-connection-refused)` |  |
| a device that cannot be connected to | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: it accepts no connections (BlueZ forgets it after each scan)` | `blectl scan --address C0:00:00:00:00:01 prints its advertisements` |
| the link is lost | `blectl read Lamp 2a19 --every 10ms` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the link was lost` |  |
| the link is lost under a subscription | `blectl subscribe Lamp 2a19 -q` | 1 | `notifications stopped: the link was lost` |  |
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
| one of several values is refused | `blectl read Lamp 2a06 2a19` | 1 | `cannot read 2a06 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` · `cannot read 1 of 2 values of C0:00:00:00:00:01` |  |
| a value that is not of the format | `blectl read Lamp 2a19 --as u16` | 1 | `cannot show 2a19 of C0:00:00:00:00:01 as u16: 57 is 1 byte` |  |
| an error while subscribing | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x80 application error)` |  |
| another request goes on for ever | `blectl read Lamp 2a19 --timeout 4s` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: an operation of the same kind is under way` | `stop the other program that uses it, or try again` |
| another program holds the characteristic | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: another program holds the characteristic (Notify acquired)` | `stop the other program that uses it, or try again` |
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
| a chart, and no terminal to draw on | `blectl subscribe 'Heart Strap' 2a37 --plot` | 64 | `cannot plot: stdout is not a terminal that supports drawing` | `--plot-svg FILE writes the chart to a file and prints lines as usual` |
| the file of a chart is no file | `ln -s /dev/null heart.svg; blectl subscribe 'Heart Strap' 2a37 --count 1 -q --plot-svg heart.svg` | 1 | `cannot write heart.svg: it is not a regular file` |  |
| the disk is full | `blectl adapter >/dev/full` | 1 | `cannot write the output: No space left on device` |  |
| simulate cannot run its command | `blectl simulate -- nosuchcommand` | 1 | `cannot run nosuchcommand: No such file or directory` |  |
| the control socket is there already | `blectl simulate --control here.txt` | 1 | `cannot create the socket here.txt: there is a file already: remove it first` |  |

### Invalid command line

| situation | command | status | message | hint |
|---|---|---|---|---|
| an unknown command | `blectl scam` | 64 | `cannot run 'scam': no such command; did you mean scan?` | `blectl scan --help` |
| a command of another tool | `blectl pair Lamp` | 64 | `cannot run 'pair': no such command; pair with bluetoothctl, and blectl uses the bond` | `bluetoothctl pair DEVICE` |
| a command by another name | `blectl ls` | 64 | `cannot run 'ls': no such command; 'devices' lists known devices, 'scan' shows those nearby` | `blectl devices` |
| a world without an equals sign | `blectl scan --simulate world.json` | 64 | `cannot run 'scan': --simulate takes its world after '=': --simulate=world.json` | `blectl scan --help` |
| an unknown option | `blectl devices --conected` | 64 | `cannot run 'devices': unknown option '--conected'; did you mean --connected?` | `blectl devices --help` |
| an option without its value | `blectl scan --name` | 64 | `cannot run 'scan': missing value for '--name <pattern>'` | `blectl scan --help` |
| a missing argument | `blectl read Piano` | 64 | `cannot run 'read': missing expected argument '<characteristics> ...'` | `blectl read --help` |
| an extra argument | `blectl scan Piano` | 64 | `cannot run 'scan': unexpected argument 'Piano'` | `blectl scan --help` |
| options that exclude each other | `blectl devices --simulate --bus unix:path=/run/bus` | 64 | `cannot run 'devices': --simulate and --bus exclude each other` | `blectl devices --help` |
| an invalid UUID | `blectl read Piano 2a1` | 64 | `cannot run 'read': '2a1' is not a UUID or the name of a characteristic` | `blectl read --help` |
| a misspelt characteristic | `blectl read Piano battery-levle` | 64 | `cannot run 'read': 'battery-levle' is not a UUID or the name of a characteristic; did you mean battery-level?` | `blectl read --help` |
| an invalid handle | `blectl read Piano @xyz` | 64 | `cannot run 'read': '@xyz' is not a handle; use @ and up to four hexadecimal digits, such as @002a` | `blectl read --help` |
| text without a format | `blectl write Piano ffe3 hi` | 64 | `cannot run 'write': 'hi' is not hexadecimal; for text use utf8:hi` | `blectl write --help` |
| an odd number of hexadecimal digits | `blectl write Piano ffe3 f03` | 64 | `cannot run 'write': 'f03' has an odd number of hexadecimal digits` | `blectl write --help` |
| a value out of range | `blectl write Piano ffe3 u8:300` | 64 | `cannot run 'write': '300' does not fit u8, which holds 0 to 255` | `blectl write --help` |
| an unknown format | `blectl read Piano 2a19 --as utf9` | 64 | `cannot run 'read': --as: 'utf9' is not a format; did you mean utf8?` | `blectl read --help` |
| a text for a characteristic of unknown meaning | `blectl write Piano ffe3 auto:high` | 64 | `cannot encode the value: 'auto:high' needs a standard characteristic, which ffe3 is not` | `man blectl-values` |
| a value that is too long | `blectl write Piano ffe3 @long.bin` | 64 | `cannot read long.bin: it is longer than the limit of 512 bytes` |  |
| an invalid duration | `blectl scan --duration soon` | 64 | `cannot run 'scan': --duration: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, or 0 for no limit` | `blectl scan --help` |
| an invalid address | `blectl scan --address 12:34` | 64 | `cannot run 'scan': --address: '12:34' is not a Bluetooth address` | `blectl scan --help` |
| a missing file of values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values.txt: No such file or directory` |  |
| an invalid line in a file of values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read line 2 of values.txt: 'f0 3' has an odd number of hexadecimal digits` |  |
| a file without values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values from values.txt: it contains none` |  |
| a log of an unknown kind | `blectl subscribe Piano ffe2 --log heart.txt` | 64 | `cannot run 'subscribe': --log: 'heart.txt' does not end in .ndjson, .jsonl, .csv, .sqlite or .db` | `blectl subscribe --help` |
| a missing world file | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json: No such file or directory` |  |
| a world file that is not JSON | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json:1:1: expected a value, found "d"` |  |
| a world file with a misspelt key | `blectl scan --simulate=world.json` | 64 | `cannot simulate: world.json:1:20: /peripherals/0/adress: expected a key of a peripheral, found "adress": did you mean "address"?` |  |
| an unknown help topic | `blectl help jsno` | 64 | `cannot show help on 'jsno': no such command or topic; did you mean json?` | `blectl help` |

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

  static let faults = #"""
# Faults: what can go wrong in a simulation

One vocabulary, three ways to say it:

- **From the beginning**: a peripheral or a characteristic of a [world file](world.md) lists its `faults`.
- **At a time**: the file lists `events`.
- **While it runs**: `blectl simulate --control PATH` takes commands.

A fault lasts until it is taken back: by `heal`, by its opposite, after the time in `for`, or when it has happened so
often as `times` says.

## In a world file

```json
{
  "peripherals": [
    {
      "address": "C0:FF:EE:00:00:01", "name": "Trouble",
      "faults": [
        {"do": "refuse-connect", "times": 2, "text": "le-connection-abort-by-local"},
        {"do": "delay-services", "by": "2s"}
      ],
      "services": [
        {
          "uuid": "180f",
          "characteristics": [
            {
              "uuid": "2a19", "properties": ["read", "notify"], "value": "57",
              "faults": [{"do": "att-error", "code": "0x0e", "operation": "read", "times": 3}]
            }
          ]
        }
      ]
    }
  ],
  "events": [
    {"at": "10s", "do": "adapter-off", "for": "2s"},
    {"at": "30s", "every": "30s", "do": "drop-link", "device": "C0:FF:EE:00:00:01"},
    {"when": {"connected": "C0:FF:EE:00:00:01", "after": "5s", "repeat": true}, "do": "freeze-daemon", "for": "1s"},
    {"when": {"operations": 4, "device": "C0:FF:EE:00:00:01"}, "do": "kill-daemon", "for": "1s"}
  ]
}
```

`at` counts from the start of the simulation. `when` waits for a link to a peripheral to come up, or for so many reads
and writes on one, those that bluetoothd does for itself included; the event happens once, with `"repeat": true` each
time. In `faults` only those of the first two tables below can stand that last, and without `device`, `service`,
`characteristic` and `for`.

## While it runs

```
blectl simulate --control /tmp/ble.control &
echo '{"do":"drop-link","device":"F0:F1:F2:F3:F4:F5"}' | nc -U -q1 /tmp/ble.control
{"ok":true}
```

The socket is a Unix stream socket of mode 0600, which is removed at the end; a file that is there already is left
alone, and refused. It takes a JSON object a line, from any number of clients, and answers each with a line, in order:
`{"ok":true}`, or `{"ok":false,"error":"…","pointer":"/device"}`, where the pointer (RFC 6901) names the part of the
command that is wrong; it is empty for the whole. A line has 65,535 bytes at most.

With `-- COMMAND`, the command finds the path in `BLECTL_SIMULATE_CONTROL`. `--control -` reads commands from standard
input and answers on standard output, after the address of the bus; the simulation ends with the input.

`{"do":"state"}` tells how things stand:

```json
{"ok":true,"daemon":"running","adapters":[{"name":"hci0","address":"00:1A:7D:DA:71:13","powered":true,"blocked":false,"discovering":false}],"peripherals":[{"address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap","present":true,"connected":true,"subscribed":["00002a37-0000-1000-8000-00805f9b34fb"]}]}
```

`daemon` is `running`, `frozen` or `stopped`; `subscribed` are the characteristics that notify or indicate at present.

## Peripherals

All name the `device`. Those marked • take `for`, after which they are undone. `times` is how often; without it, always.

| `do` | | |
|---|---|---|
| `drop-link` | the peripheral closes its link | `{"do":"drop-link","device":"F0:F1:F2:F3:F4:F5"}` |
| `vanish` • | it goes out of reach: its link breaks, it is not heard | `{"do":"vanish","device":"F0:F1:F2:F3:F4:F5","for":"10s"}` |
| `appear` • | it comes into reach | `{"do":"appear","device":"F0:F1:F2:F3:F4:F5"}` |
| `set-rssi` | it is heard with another strength, in dBm | `{"do":"set-rssi","device":"F0:F1:F2:F3:F4:F5","rssi":-90}` |
| `repeat-device` | the daemon tells all properties of the device again though none has changed; of a device that it does not have, it tells an RSSI | `{"do":"repeat-device","device":"F0:F1:F2:F3:F4:F5"}` |
| `refuse-connect` • | attempts to connect fail; the error is `org.bluez.Error.Failed`, `le-connection-abort-by-local`, if no other | `{"do":"refuse-connect","device":"F0:F1:F2:F3:F4:F5","times":2,"error":"Failed","text":"le-connection-refused"}` |
| `hang-connect` • | attempts come to nothing, until the daemon gives up after 40 s; for 4 s others wait behind them | `{"do":"hang-connect","device":"F0:F1:F2:F3:F4:F5","times":1}` |
| `drop-after-operations` • | it closes each link at so many reads and writes; 0 is never | `{"do":"drop-after-operations","device":"F0:F1:F2:F3:F4:F5","operations":10}` |
| `drop-after-time` • | it closes each link when it is so old; `0s` is never | `{"do":"drop-after-time","device":"F0:F1:F2:F3:F4:F5","time":"3s"}` |
| `slow-link` • | each packet of its links takes so long, one at a time in each direction; `0s` is no time at all | `{"do":"slow-link","device":"F0:F1:F2:F3:F4:F5","packet_time":"30ms"}` |
| `delay-services` • | finding the services takes longer | `{"do":"delay-services","device":"F0:F1:F2:F3:F4:F5","by":"5s"}` |
| `order-services` • | `ServicesResolved` comes before the objects: `resolved_first`, or so much before: `objects_late` | `{"do":"order-services","device":"F0:F1:F2:F3:F4:F5","order":"objects_late","by":"300ms"}` |
| `lose-adverts` • | it is not heard, and cannot be connected to; a link stays | `{"do":"lose-adverts","device":"F0:F1:F2:F3:F4:F5","for":"5s"}` |
| `lose-names` • | what is heard of it comes without the name | `{"do":"lose-names","device":"F0:F1:F2:F3:F4:F5","times":3}` |
| `heal` | takes back all that lasts, also of its characteristics | `{"do":"heal","device":"F0:F1:F2:F3:F4:F5"}` |

## Characteristics

All name the `device` and the `characteristic`: the first one with the UUID, in the `service` where one is named.
`operation` is `read`, `write` or `subscribe` (writing the client configuration); without it, all are meant.

| `do` | | |
|---|---|---|
| `set-value` | it gets a value, and notifies it to who is subscribed | `{"do":"set-value","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37","value":"0048"}` |
| `slow-answer` • | requests are answered later | `{"do":"slow-answer","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a38","by":"2s"}` |
| `no-answer` • | requests are never answered: after 30 s the daemon gives up the link | `{"do":"no-answer","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a38","times":1}` |
| `att-error` • | requests are answered with an ATT error | `{"do":"att-error","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a39","code":"0x80","operation":"write"}` |
| `heal-characteristic` | requests are answered rightly again | `{"do":"heal-characteristic","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a39"}` |
| `repeat-characteristic` | the daemon tells all its properties again | `{"do":"repeat-characteristic","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |

## Adapters

All may name the `adapter`; `hci0` is meant where none is named.

| `do` | | |
|---|---|---|
| `adapter-off` • | another program switches it off | `{"do":"adapter-off","for":"2s"}` |
| `adapter-on` • | another program switches it on | `{"do":"adapter-on"}` |
| `remove-adapter` • | it is unplugged | `{"do":"remove-adapter","adapter":"hci0","for":"5s"}` |
| `add-adapter` • | it is plugged in again as it was, or a new one is | `{"do":"add-adapter","adapter":"hci1"}` |
| `block-adapter` • | rfkill blocks the radio | `{"do":"block-adapter"}` |
| `unblock-adapter` • | rfkill lets it go; the adapter stays off | `{"do":"unblock-adapter"}` |
| `release-monitors` | the daemon gives up all passive scans | `{"do":"release-monitors"}` |
| `repeat-adapter` | the daemon tells all properties of the adapter again | `{"do":"repeat-adapter"}` |

## The daemon

| `do` | | |
|---|---|---|
| `kill-daemon` • | it dies without a word: `org.bluez` has no owner | `{"do":"kill-daemon","for":"2s"}` |
| `stop-daemon` • | it ends in order, taking back every object; with `for` it restarts | `{"do":"stop-daemon","for":"2s"}` |
| `start-daemon` • | it starts again, with what it had stored | `{"do":"start-daemon"}` |
| `freeze-daemon` • | it hangs: nothing is answered, nothing is told | `{"do":"freeze-daemon","for":"5s"}` |
| `thaw-daemon` • | it goes on where it hung | `{"do":"thaw-daemon"}` |
| `fail-call` • | calls of a method fail, on all objects or on those of a `device`; the error is `InProgress`, if no other | `{"do":"fail-call","method":"StartDiscovery","times":1}` |
| `double-signals` • | each signal comes twice | `{"do":"double-signals","times":100}` |

## Another program on the bus

It is a client like any other, with a connection of its own; all that it does ends with `other-leave`.

| `do` | | |
|---|---|---|
| `other-scan` • | it scans; the daemon merges its filter with ours: `services`, `rssi`, `pattern`, `duplicates` | `{"do":"other-scan","rssi":-60}` |
| `other-stop-scan` | it ends its scan | `{"do":"other-stop-scan"}` |
| `other-subscribe` • | it subscribes (`StartNotify`): each notification is told twice | `{"do":"other-subscribe","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-hold` • | it holds the notifications (`AcquireNotify`): nobody else gets them | `{"do":"other-hold","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-release` | it ends its subscription, or lets go of what it holds | `{"do":"other-release","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-agent` • | it answers questions of pairing | `{"do":"other-agent"}` |
| `other-no-agent` | it does so no longer | `{"do":"other-no-agent"}` |
| `other-leave` | it leaves the bus | `{"do":"other-leave"}` |

A device must be connected to, by anybody, before another program can subscribe to what it has.
"""#

  static let world = #"""
# World files

A world file is JSON that says what a simulated BlueZ sees: its adapters, and the peripherals in the air.

```sh
blectl scan --simulate=world.json                # any command; the word after --simulate without "=" stays what it was
blectl simulate world.json -- python3 yours.py   # any BlueZ client
blectl snapshot 'MI Band 2' > band.json          # a real device (or a simulated one) as a world file
```

The smallest one that can be connected to:

```json
{
  "peripherals": [
    {
      "address": "C0:00:00:00:00:01",
      "name": "Mine",
      "services": [
        {"uuid": "180f", "characteristics": [{"uuid": "2a19", "properties": ["read"], "value": "u8:42"}]}
      ]
    }
  ]
}
```

[example-world.json](example-world.json) shows most of what there is, with comments. [world.schema.json](world.schema.json)
is a JSON Schema (draft 2020-12) with every key, its range and its default: with `"$schema": "world.schema.json"` at the
top, editors complete and check. Both are tested with the reader, so this page tells only what a schema does not.

An error names the line and column, the JSON pointer, and what was expected; the exit status is 64:

```console
$ blectl scan --simulate=world.json
blectl: cannot simulate: world.json:12:18: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"
```

A file with several mistakes has them listed, up to twenty. Unknown keys are errors, too. Every object may have a `comment`.

## How things are written

- **Values** are what `blectl write` takes: hex digits (`"0157"`, `"f0 3d"`), or `FORMAT:TEXT` (`"utf8:hello"`, `"u16:1000"`).
- **UUIDs** and **addresses** are spelt as on the command line: `"180d"`, `"0x180d"`, all 32 digits with dashes or without,
  a name of the Bluetooth SIG (`"heart-rate"`, `"Battery Level"`); six pairs of digits with `:` or `-`. **ATT errors** are `"0x85"`.
- **Durations** have a unit: `"500us"`, `"200ms"`, `"1.5s"`, `"2m"`, `"1h"`.

## Peripherals

`name`, `rssi` and `rssi_drift` (a wave around `rssi` that repeats, no chance) stand beside `address`; what else is
advertised is under `advertisement`. `scan_response` lists what only an active scan hears. `appears_after` and
`vanishes_after` count from the start of the simulation; who appears later than it vanishes is there at first.

Every peripheral has Generic Access (1800: the name, the appearance), which BlueZ keeps to itself, and with
`generic_attribute` Generic Attribute (1801), unless it lists them itself.

**Handles** count from 1, in the order of the file, unless `handle` says more: it is that of the declaration of a service
or a characteristic (whose value has the next one), as `blectl services` prints it, and the count goes on from there. The
client configuration (2902) of what notifies comes by itself, last; to give it a handle, list it.

**Included services** are named by their UUID or by their fixed handle; `"primary": false` makes a service one that is only
included.

**Limits**: `mtu` is the ATT MTU that the device agrees to. More than `max_length` bytes are refused with ATT 0x0d. What has
`security` is refused on a link that is not encrypted: `"encrypted"` with ATT 0x0f, `"authenticated"` with 0x05.

**Links** take no time by default. With `"link": {"packet_time": "30ms"}` each packet takes 30 ms, one at a time in each
direction, as an ordinary radio has it. A write without response is acknowledged when bluetoothd has it, and sent when its turn
comes; what has not been sent when the link ends is lost.

## Behaviour

| `on_read` | |
|---|---|
| `"value"` | gives the value: the usual thing |
| `{"delay": "1s"}` | after a while |
| `"stall"` | gives no answer |
| `{"error": "0x85"}` | refuses |
| a generator, without `every` | gives its next value, which is then the value |

| `on_write` | |
|---|---|
| `"store"` | makes it the value: the usual thing |
| `"discard"` | accepts and forgets it |
| `{"error": "0x85"}`, `"stall"` | refuses, gives no answer |
| `"hang_up"` | accepts it, then closes the link |
| `{"echo": UUID}` | another characteristic, of the same service rather than of another, notifies it |
| `{"burst": UUID}` | takes a 16-bit number N: another notifies N numbered values |
| `{"answers": [{"request": "f03d3d??02f7", "response": "9f54??", "from": UUID}]}` | another answers what fits a pattern; `??` is any byte, and is kept for the answer |

| `notifies` | |
|---|---|
| `"on_demand"` | only what writes cause: the usual thing |
| a generator, and `"every": "500ms"` (1 s when not said) | its values, from its beginning at each subscription, the first after that time |
| `{"replay": "log.ndjson"}` | the values of a log, with its timing, or one `every` so often; once, unless `repeats` |
| `{"flood": N}` | N numbered values as fast as they can be sent |

What is notified is the value that a read gives then.

| generator | |
|---|---|
| `{"list": ["01", "02"]}` | these values in turn, for ever |
| `{"counter": {"format": "u8", "from": 60, "to": 99}}` | counts, by `step`, and begins again after `to` |
| `{"sine": {"format": "i16", "middle": 2150, "amplitude": 300, "period": 60}}` | a swing in 60 values |
| `{"walk": {"format": "u16", "from": 50, "step": 5, "least": 0, "greatest": 100, "seed": 1}}` | wanders by chance, the same way for the same seed |
| `{"clock": "current-time"}`, `{"clock": "text"}` | the time, UTC: Current Time (2A2B), or `2026-04-12 12:34:41` |

Numbers have the formats of `blectl read --as`; integers are rounded. `prefix` puts bytes before the number, such as the
flags of a Heart Rate Measurement.

A **log** is what `blectl subscribe --json` prints; its path is relative to the world file. Taken are the `value` records of the
characteristic that replays it, or of another (`characteristic`).

`faults` of a peripheral or a characteristic says what is wrong with it, and `events` beside `peripherals` what happens when:
[faults.md](faults.md) lists both.

## Snapshots

`blectl snapshot DEVICE` listens for a second, connects, and records address, name, advertised services and data, TX power,
appearance, MTU, the tree with all handles, and every value that can be read. Simulating the file and recording that gives the
same file again; a test does so with each device of the [built-in world](built-in-world.md), on a real bluetoothd, too.

- What the device refuses or does not answer is said on stderr, and recorded as that: `on_read`, or `security`.
- Signal strength, and whether somebody has subscribed (2902), are no facts about the device, and left out.
- What writing and subscribing would do cannot be seen: what is written is kept, nothing is notified.
- BlueZ does not tell which services a device advertises once it has seen those that it has; `bluetoothctl remove` makes it
  forget them. What stands in the scan response it never tells, and flags only where it is experimental: neither is recorded.
"""#

  static let logging = #"""
# Logging

```sh
blectl subscribe 'Heart Strap' 2a37 --reconnect --log heart.csv
blectl subscribe 'Sensor*' temperature humidity --all --reconnect --log air.sqlite --log-rotate 24h
```

`subscribe` prints what devices send. `--log FILE` writes it to a file as well, as often as you like; the ending decides:

| ending | what it is |
|---|---|
| `.ndjson`, `.jsonl` | the records of `--json`, byte for byte ([json.md](json.md)) |
| `.csv` | a table |
| `.sqlite`, `.sqlite3`, `.db` | a database (needs `libsqlite3-0`) |

## What you can rely on

- **Nothing is lost silently.** Reading Bluetooth never waits for an output. The output and each log have a queue in
  memory and a thread of their own; `--buffer` (16M each) bounds the queue. If one is ever full, what does not fit is
  counted, a `dropped` record with the count is written in its place, it is said on stderr, and the exit status is 1.
- **Memory is bounded**: with 16M, `subscribe --json` to a reader that takes nothing peaks at 33 MB. While an output that
  moves is half a buffer behind, reading is held up for up to 10 ms at a time; what comes meanwhile waits in the bus
  daemon, or in the socket of `--via socket`, which has room for some 270 values of 20 bytes. An output that has taken
  nothing for 5 s holds nothing up.
- **Tried** with a million notifications of 20 bytes to the output and to NDJSON, CSV and SQLite at once, on two cores: each
  number once, in order, in each of them, as fast as the simulation sends (over the socket 12 s, 32 MB peak; as signals
  20 s, 27 MB) and at 5,000 a second. Each value cost 19 and 26 µs of CPU in all, most of it for decoding what it means,
  once for each output; without a meaning to decode, printing a line and logging as NDJSON cost 2 µs together over the
  socket, 1.4 times what a C program takes (`make bench`).
- **Nothing is doubled**, and the order stays, also over reconnections.
- **Time** is when the value was read from the kernel, not when it was written. `via` tells which path it took.
- **A killed process** (`kill -9`) costs at most the last second; mostly nothing, since each batch of lines is one write.
- **A power cut** leaves a file that can be read, without the last second: logs are saved (fdatasync) once a second while
  values come, and a transaction of a database is on the disk when it is done. What a crash has left of half a record is
  cut off when the log is gone on with, and said.
- **A full disk** (or any other failing write) is said on stderr, and what waits is kept within `--buffer` and tried again
  each second. If everything could be written in the end, the exit status is 0; otherwise 1, with how much is missing.
- **A log that is moved or deleted** meanwhile is begun anew under its name, and that is said.
- **One writer a file.** A second `blectl` is told which process writes to it (`flock`; file systems without locks have none).
- **A signal** ends the command within 2 s, also when the reader of the output takes nothing; what that reader has not taken is
  said. Logs are written to the end.
- **A damaged log** does not stop a service that is started again. When a power cut has torn the first line of a log, left
  nothing but zeros, or damaged a database so that SQLite cannot read it, the file is renamed to
  `NAME-20261121T073142Z.ENDING.damaged`, a new one is started, and both are reported on stderr.
- A file that is not a log of that kind is left alone, and the command ends with status 1. Files obey the umask, those of SQLite too.
- **Strangers**: in a sticky directory such as `/tmp`, links that somebody else has laid are not followed, on the whole way
  to the log, and files that somebody else has put there are not written to (`-wal`, `-shm` and `-journal` of a database
  included); only what we and root have put there is used.

A log is appended to. `--log-rotate 100M` puts a log aside when it has reached that size (a burst may exceed it a little;
of a database, what stands in its `-wal` counts as well), `--log-rotate 24h` when the clock crosses a multiple of the period since 1970 (24h: midnight UTC);
the old one is renamed to `NAME-20261121T073142Z.ENDING`. Nothing is ever deleted.

## Gaps

With `--reconnect`, a lost link is opened again and subscribed to again, however long it takes: when the device was out of range, the
adapter was switched off, unplugged or blocked, bluetoothd or the bus was restarted. The first link is waited for in the same
way: a gateway may start before its sensors, before its adapter is there, and before bluetoothd and the bus, so a unit file
needs no ordering. One line on stderr says what is waited for, such as `waiting for bluetoothd`. Only what waiting does not
mend ends it at once: a name that several devices have, a characteristic that the device does not have.

Attempts and pauses take turns; the pauses grow from half a second to `--reconnect-delay` (30s), with some chance in them, and
end early when the device is heard. So do those between subscriptions that fail, because another program holds the
characteristic. `--reconnect-limit` gives up after that long; the default is never. `--duration` begins with the first
subscription. Each pause scans anew, so a scan that has gone quiet does not
stay so. A device is known by its address: one that changes it without being paired is not found again.

Logs show gaps: `disconnected` with the reason, `reconnected` with `gap_seconds`. The gap begins when BlueZ tells that
the link is lost (of a device that is out of range, that is after the link's supervision timeout, mostly some seconds
after the last value), and ends when the subscription stands again; it is the difference of the times of the two records.
`disconnected` is written 0.3 s after its time, because BlueZ tells the end of the link before its reason (the adapter
is off, the daemon has ended).

With `--all`, every device that matches is subscribed to, at once, also those that are heard later. They connect one at a time, 5 s
each, so that one that does not answer holds up nobody for long. One that has failed for `--timeout` is reported on stderr and
does not stop the others; the exit status is then 1. With `--reconnect`, every device that was heard keeps being tried, until
`--reconnect-limit`; when all were given up, the command ends. `--count` counts the values of all of them.

## Charts

```sh
blectl subscribe 'Heart Strap' 2a37 --plot --simulate
blectl subscribe Thermometer temperature 2a1c --plot --plot-window 5m --log air.csv
blectl subscribe 'Sensor*' ffe1 --as u16 --all --plot-svg sensors.svg --json
```

`--plot` draws the numbers as they come, on the whole terminal, in place of lines of text; the last picture stays when it ends.
`--plot-svg FILE` writes the same chart when it ends, also after Ctrl-C and SIGTERM: as a whole, or not at all. Both go with
`--log`, and have a queue and a thread of their own as every output.

- **Lines**: each number of each value of each device, up to 26, told apart by letters and colours (in SVG: dashes and
  colours). Those with the same unit share a scale. Below stand the least, the greatest and the last of each.
- **Numbers** are those that the standard characteristics have; `--as u16` reads others, `--as utf8` numbers sent as text. What
  is no number is named below the chart: `no number in: sensor_contact of 2a37`.
- **Time** counts from the first value, and all of it is shown; `--plot-window 5m` shows the last five minutes. A line is
  broken where the link was lost, or values were dropped.
- **Memory** is bounded: 2048 points a line, 3 MB at most for each of the two charts. When there are more values, neighbours
  share a point, which keeps their least and greatest.
- `--plot` needs a terminal: in a pipe, with `TERM=dumb`, and with `--json` (which takes the output) it is refused with status
  64. A file that cannot be written ends with status 1. A link or a device is not taken for the file.

## CSV

RFC 4180, UTF-8, a header, lines that end with CR LF; a record never spans lines (a line break within a text is written
`\n`).

| column | |
|---|---|
| `time` | RFC 3339, UTC, microseconds |
| `event` | `value`, `connected`, `disconnected`, `reconnected`, `dropped` |
| `address`, `service`, `characteristic`, `handle` | where a value comes from |
| `value` | lower-case hex digits |
| `via` | `signal` or `socket` |
| `reason`, `gap_seconds` | of a link |
| `count` | how many were dropped |
| … | one column for each decoded value that the standard characteristics given on the command line may have, such as `heart_rate_bpm`; lists are JSON |
| `name` | the last one: what the device calls itself, beside a value |

A table that is gone on with keeps its columns. When it lacks a column for the characteristics on the command line,
because it was begun with others, it is renamed as `--log-rotate` does it, a new one is started, and both are reported on
stderr: no decoded value is left out. To keep two characteristics in one table, subscribe to both in one command. Texts that a spreadsheet would take for a formula (they begin with `=`,
`+`, `-` or `@`) have an apostrophe before them.

## SQLite

```sql
CREATE TABLE device (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, name TEXT);
CREATE TABLE characteristic (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  service TEXT NOT NULL, uuid TEXT NOT NULL, handle INTEGER NOT NULL);
CREATE TABLE value (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, characteristic INTEGER NOT NULL REFERENCES characteristic,
  value BLOB NOT NULL, decoded TEXT, via TEXT NOT NULL);
CREATE TABLE link (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, device INTEGER REFERENCES device,
  event TEXT NOT NULL, reason TEXT, gap_seconds REAL, count INTEGER);
```

`time` is microseconds since 1970, UTC, and indexed. `decoded` is JSON, as in the records. `link` holds `connected`,
`disconnected`, `reconnected`, and `dropped` with its count. The view `log` joins it all, with the time as text and the
value in hex. `PRAGMA user_version` is 1; a version that adds columns will keep these. The database is in write-ahead mode: it can be
read at any time, and while it is written there are two more files beside it (`-wal`, `-shm`). What comes within half
a second is one transaction.

```sh
sqlite3 air.sqlite "SELECT time, decoded ->> 'temperature_celsius' FROM log WHERE value IS NOT NULL ORDER BY id DESC LIMIT 5"
```

## Recipes

In [Examples/recipes](../Examples/recipes), each played in CI where its tool is in Debian:

| | |
|---|---|
| `mqtt.sh` | into MQTT: `blectl subscribe … --json \| mosquitto_pub -l` |
| `sqlite.sh` | into a database, and a question to it |
| `blectl-log@.service` | a systemd unit that logs a device for weeks: `systemctl enable --now blectl-log@heart`; the Debian package and `make install` install it |
| `telegraf.conf`, `vector.toml` | into Telegraf (`execd`) and Vector; shown, not played: Debian 12 has no package of either. CI checks that they are TOML, and that the records have what they name |
"""#
}
