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
| 130, 143, 141 | ended by SIGINT, SIGTERM, SIGPIPE, after cleaning up |

`blectl simulate -- COMMAND` ends with the status of the command, or 128 and the number of the signal that ended it.

## Situations

| situation | status | message, without `blectl: ` | hint |
|---|---|---|---|
| there is no bus | 3 | `cannot reach the system bus: Failed to connect to socket …` | `is the bus running? without a radio, try --simulate` |
| bluetoothd does not run | 3 | `cannot scan: the Bluetooth service (org.bluez) is not running` | `sudo systemctl start bluetooth` |
| bluetoothd ends in the middle | 3 | `cannot go on: the Bluetooth service (bluetoothd) ended` | `sudo systemctl start bluetooth` |
| no adapter | 3 | `cannot scan: there is no Bluetooth adapter` | `blectl adapter list; without a radio, try --simulate` |
| no such adapter | 3 | `cannot scan: there is no Bluetooth adapter hci7` | the same |
| the adapter is off | 3 | `cannot scan: the adapter hci0 is off` | `blectl adapter on` |
| rfkill | 3 | `cannot switch hci0 on: the radio is blocked (rfkill)` | `sudo rfkill unblock bluetooth` |
| the bus denies access | 3 | the bus' words | `run as root, or ask for a bus policy that lets you talk to org.bluez` |
| the simulator does not start | 3 | `cannot start the simulated BlueZ: …` | `sudo apt install dbus-daemon` |
| the device is not heard | 4 | `cannot find Nobody: not heard in the time given` | `blectl scan; a device that is connected elsewhere does not advertise` |
| several devices are called that | 4 | `cannot tell which device: 2 are called Piano`, then the devices | `give the address, or --pick strongest` |
| `disconnect` from an unknown device | 4 | `cannot disconnect from Nobody: BlueZ knows no such device` | `blectl devices --connected` |
| no such characteristic | 4 | `cannot find 2a99 on F0:F1:F2:F3:F4:F5: no such characteristic` | `blectl services F0:F1:F2:F3:F4:F5` |
| several such characteristics | 4 | `cannot tell which …: … has 3`, then the characteristics | `write SERVICE/CHAR, or the handle such as @000b` |
| no such descriptor | 4 | `cannot find descriptor 2901 of ffe2: no such descriptor`, then those that there are | |
| the device does not answer | 5 | `cannot connect to D0:B5:C2:0A:0B:0C: no connection in the time given` | `a longer --timeout, or the device nearer` |
| a request is not answered | 5 | `cannot read … of …: no answer in the time given` | the same |
| no reply to a write | 5 | `cannot get a reply of ffe2: nothing came in the time given` | the same |
| the device does not permit it | 1 | `cannot read 2a39 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x02 read not permitted)` | |
| the device refuses with an ATT error | 1 | `cannot write … of …: the device refuses (ATT 0x85 application error)` | |
| the device wants to be paired | 1 | `cannot read … of …: the device wants to be paired` | `bluetoothctl pair DEVICE` |
| `scan --passive` without experimental features | 1 | `cannot scan passively: bluetoothd offers it only with experimental features on` | `start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf` |
| no notifications there | 1 | `cannot subscribe to ffe3 of …: the characteristic has neither notifications nor indications` | |
| too long for a write without response | 1 | `cannot write … of …: … bytes do not fit a write without response: … at most` | |
| another program holds it | 1 | `cannot subscribe to … of …: another program holds the characteristic (Notify acquired)` | `end the other program that uses it, or try again` |
| the link is lost | 1 | `cannot go on with notifications: the link was lost` | |
| the link cannot be made | 1 | `cannot connect to …: the connection could not be made (le-connection-abort-by-local)` | |
| the adapter is switched off in the middle | 3 | `cannot go on with notifications: the adapter hci0 is off` | `blectl adapter on` |
| a log cannot be opened | 1 | `cannot write heart.csv: Permission denied` | |
| another process writes to the log | 1 | `cannot write heart.csv: blectl (process 4711) writes to it already` | |
| records could not be written, or were dropped | 1 | `117 records were not written to heart.csv` | |
| a device of `subscribe --all` has failed | 1 | its own error, and at the end `cannot go on with 1 of 3 devices` | |
| a value that is none | 64 | `The value 'u8:300' is invalid for '<values>': '300' does not fit u8, which holds 0 to 255` | |
| a value that is too long | 64 | `cannot write 600 bytes: a value has 512 at most` | |
| a world file that is none | 64 | `cannot simulate: world.json:12:18: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"` | |

## Time

`--timeout` (20 s) is the limit for finding a device, connecting to it and learning its services, all together; then for
each operation. `0` is no limit. `scan` ends after its `--duration` (10 s), and `subscribe` after `--count` or
`--duration`, with status 0.

## Signals

The first SIGINT or SIGTERM ends the command cleanly: scans and subscriptions are stopped, links that it opened are
closed, and what is known is printed. The second ends the process at once. A closed pipe (`blectl subscribe … | head
-1`) does the same as SIGINT, without a word.
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
