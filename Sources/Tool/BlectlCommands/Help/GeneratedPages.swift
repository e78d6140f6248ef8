// SPDX-License-Identifier: MIT
// swift-format-ignore-file
//
// Generated from docs/ by BLECTL_RECORD=1 swift test --filter GeneratedPagesTests: do not edit.

/// Pages of the documentation that `blectl help` shows.
enum GeneratedPages {
  static let json = #"""
# JSON records

With `--json`, every command prints one JSON object per line. Long records are broken into several lines here.

- Keys are in `snake_case`. New keys can appear; existing keys do not change.
- Unknown values are absent, never null.
- Times are RFC 3339 in UTC with microseconds: when `blectl` read the record from the bus.
- Bytes are lower-case hex digits. UUIDs are lower case, with 128 bits. Addresses are upper case.
- Handles are numbers (`11` is `@000b`).
- Errors are text on stderr, also with `--json`.
- `--web` offers the same records as a [stream over HTTP](page.md#apirecords).

## Devices: `scan`, `devices`, `info`

```json
{"event":"found","time":"2026-11-21T05:15:23.154809Z","address":"C8:0F:10:01:02:03","address_type":"random",
 "address_kind":"static","adapter":"hci0","name":"MI Band 2","rssi":-55,"services":["0000fee0-0000-1000-8000-00805f9b34fb"],
 "manufacturer_data":{"0157":"0100c80f10010203"},"connected":false,"paired":false}
```

| key | |
|---|---|
| `event` | `scan` only: `found` for the first advertisement; `changed` when a missing fact becomes known, such as the name, and with `--duplicates` for each further advertisement; `lost` when BlueZ has removed the device |
| `time` | `scan` only |
| `address`, `address_type` | `public` or `random` |
| `address_kind` | of a random address: `static`, `resolvable`, `non-resolvable`, `reserved` |
| `identity`, `identity_address` | whose private address it is, and the address that this device never changes, if they are known ([keys](keys.md)) |
| `adapter` | the adapter that received it |
| `host` | the host of the adapter, in a scan of several hosts |
| `name` | the name of the [key](keys.md) that resolves its address; else its alias in BlueZ, if it was set; else the name that the device reports |
| `rssi` | dBm; absent if the device was not received recently |
| `tx_power` | dBm, as the device reports it |
| `distance` | metres, estimated from `rssi` ([how](adverts.md#distance)); walls and bodies can make it wrong by a factor of three |
| `distance_basis` | the source of the signal strength at one metre: `given` (`--rssi-at-1m`), `beacon`, `tx-power`, `assumed` |
| `flags` | names of the advertising flags; BlueZ 5.78 and later |
| `services` | as advertised; after a connection, as discovered |
| `manufacturer_data` | bytes by company identifier (four hex digits) |
| `service_data` | bytes by UUID |
| `company` | name of the company with the lowest identifier in `manufacturer_data` |
| `beacon` | decoded manufacturer or service data: `type` and its values ([advertisements](adverts.md)); of encrypted data also [`decryption` and `freshness`](keys.md#encrypted-sensors) |
| `more_beacons` | array of further such objects |
| `connected`, `paired` | true or false |

`info` adds `bonded`, `trusted`, `blocked`, `services_resolved`, and, if known, `mtu` (of the link), `battery_level`
(percent), `appearance`, `appearance_name`, `class`, `icon` and `modalias`:

```json
{"address":"E7:10:20:30:40:50","address_type":"random","address_kind":"static","adapter":"hci0","name":"Thermometer",
 "services":["00001800-0000-1000-8000-00805f9b34fb","00001809-0000-1000-8000-00805f9b34fb",
 "0000181a-0000-1000-8000-00805f9b34fb"],"connected":false,"paired":false,"bonded":false,"trusted":false,
 "blocked":false,"services_resolved":false}
```

## The tree: `services`

One record per device:

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
| `name` | name of the service, characteristic or descriptor, if the Bluetooth SIG or the vendor has published one |
| `primary` | false for secondary services |
| `includes` | handles of the included services |
| `properties` | `read`, `write-without-response`, `write`, `notify`, `indicate`, `broadcast`, `authenticated-signed-writes`, `extended-properties`, `reliable-write`, `writable-auxiliaries` |
| `mtu` | of the device and of each characteristic: the ATT MTU of the link in bytes, if BlueZ reports it |
| `value` | with `--read`: the value, if it could be read |
| `decoded` | with `--read`: the decoded value, see [below](#decoded-values) |
| `error`, `att_error` | with `--read`: why the value could not be read, and the ATT error code if the device sent one |
| `security` | with `--read`, of a value that requires pairing: `encrypted`, or `authenticated` if the device is paired already |

## Values: `read`, `subscribe`, `write --reply`

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"C8:0F:10:01:02:03","name":"MI Band 2",
 "service":"0000180a-0000-1000-8000-00805f9b34fb","characteristic":"00002a28-0000-1000-8000-00805f9b34fb",
 "handle":11,"value":"56312e302e312e3831","via":"read"}
```

| key | |
|---|---|
| `name` | the device's name |
| `handle` | handle of the characteristic |
| `descriptor` | with `--descriptor`: its UUID |
| `formatted` | with `--as`: the value as text in that format or layout; absent if the value does not match the format |
| `via` | `read`, or `signal` or `socket` for notifications and indications |

If `read` cannot read a characteristic, it prints an `error` record, with `security` if the characteristic requires pairing:

```json
{"event":"error","time":"2026-11-21T05:11:03.350665Z","address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap",
 "service":"0000180d-0000-1000-8000-00805f9b34fb","characteristic":"00002a39-0000-1000-8000-00805f9b34fb",
 "handle":12,"error":"the device does not permit it (ATT 0x02 read not permitted)","att_error":2,"via":"read"}
```

### Advertised values: `listen`

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"C5:EA:50:00:00:01","name":"Garden",
 "service":"0000fcd2-0000-1000-8000-00805f9b34fb","type":"bthome","value":"40002a016402ca0903bf13",
 "decoded":{"packet_id":42,"battery_percent":100,"temperature_celsius":25.06,"humidity_percent":50.55,"rssi_dbm":-76},
 "via":"advertisement"}
```

| key | |
|---|---|
| `service` | of service data |
| `company` | of manufacturer data: four hex digits |
| `type` | the format, as in [`beacon`](adverts.md#formats); absent if it is unknown |
| `value` | the bytes behind the UUID or the company |
| `decoded` | the values, and `rssi_dbm`; of encrypted data also `counter`, the number of the packet. `freshness` and `decryption` are there if something is [wrong with a packet](keys.md#encrypted-sensors) |
| `via` | `advertisement` |

### Listening: `listen`, `scan --reconnect`, `monitor --reconnect`

```json
{"event":"started","time":"2026-11-21T05:11:02.150665Z","adapter":"hci0"}
{"event":"interrupted","time":"2026-11-21T05:12:40.785312Z","reason":"the adapter hci0 is off"}
{"event":"resumed","time":"2026-11-21T05:12:45.101877Z","adapter":"hci0","gap_seconds":4.316}
```

| key | |
|---|---|
| `event` | `started`, when listening begins; `interrupted`, when nothing can be heard any more; `resumed`; with `--recover` also `recovering`, for each step against a failed adapter, and `recovered`, when it works again |
| `adapter` | the adapter that listens |
| `reason` | of `interrupted` and `recovering`; it begins with `failed: ` if a step was not possible |
| `step` | of `recovering` and `recovered`: `restart_discovery`, `power_cycle` or `reset_usb` |
| `gap_seconds` | of `resumed`: how long nothing could be heard |

### Decoded values

`decoded` is an object whose keys end with the unit. It appears for [standard characteristics](characteristics.md) and
descriptors in value records, in the tree with `--read`, and in the output of `decode`. With `--as LAYOUT`, it has the fields
of that [layout](formats.md#layouts). With a FORMAT of numbers or text, such as `--as u16`, an otherwise unknown value has
the field `value`, which is an array for several numbers.

```json
{"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap",
 "service":"0000180d-0000-1000-8000-00805f9b34fb","characteristic":"00002a37-0000-1000-8000-00805f9b34fb",
 "handle":7,"value":"104fe803","decoded":{"heart_rate_bpm":79,"rr_intervals_ms":[976.6]},"via":"signal"}
```

`decode` prints `uuid`, `name`, `value` and `decoded`; for advertised data also the `type` of its format, and for
manufacturer data `company` instead of `uuid`:

```json
{"uuid":"00002a6e-0000-1000-8000-00805f9b34fb","name":"Temperature","value":"6608",
 "decoded":{"temperature_celsius":21.50}}
{"company":"ec88","name":"Govee","type":"govee","value":"0003519e6400",
 "decoded":{"temperature_celsius":21.7,"humidity_percent":50.2,"battery_percent":100}}
```

## Averages: `--every --average`

With `--every`, only the last value record of each window remains. With `--average`, an `average` record takes its place:

```json
{"event":"average","time":"2026-11-21T08:01:00.000000Z","from":"2026-11-21T08:00:00.000000Z",
 "address":"E7:10:20:30:40:50","name":"Thermometer","service":"0000181a-0000-1000-8000-00805f9b34fb",
 "characteristic":"00002a6e-0000-1000-8000-00805f9b34fb","handle":18,"count":60,
 "decoded":{"temperature_celsius":21.533,"minimum_temperature_celsius":21.40,"maximum_temperature_celsius":21.61},
 "via":"signal"}
```

| key | |
|---|---|
| `from` | the beginning of the window |
| `time` | its end; if a gap or the end of the command ended it, the time of its last value |
| `count` | number of values |
| `counts` | number of values that had a field, for fields that not all of them had |
| `decoded` | the means, by the keys of the values, and the extremes |

## Alarms and absences: `--when`, `--absent`

```json
{"event":"alarm","time":"2026-11-21T08:05:12.350665Z","address":"E7:10:20:30:40:50","name":"Thermometer",
 "when":"temperature_celsius > 25 for 5m","seconds":300.0,"decoded":{"temperature_celsius":25.30}}
{"event":"absent","time":"2026-11-21T08:31:04.785312Z","address":"E7:10:20:30:40:50","name":"Thermometer",
 "last":"2026-11-21T08:21:04.785312Z","silence_seconds":600.0}
```

| key | |
|---|---|
| `event` | `alarm`, `cleared`; `absent`, `returned` |
| `when` | the condition, as it was written |
| `seconds` | of `alarm`: how long the condition has held; of `cleared`: how long the alarm lasted |
| `decoded` | the fields of the condition |
| `address` | absent for a device that was never heard, and of which only a name is known |
| `last` | when the device was last heard before the silence; absent if it never was |
| `silence_seconds` | how long it has been silent, or was until it returned |

## Writes: `write`

One record per command at the end. `--reply` prints the replies instead:

```json
{"event":"written","time":"2026-11-21T05:11:03.350665Z","address":"D0:B5:C2:0A:0B:0C",
 "service":"0000ffe1-0000-1000-8000-00805f9b34fb","characteristic":"0000ffe3-0000-1000-8000-00805f9b34fb",
 "handle":11,"values":115,"bytes":690,"acknowledged":true}
```

| key | |
|---|---|
| `descriptor` | with `--descriptor`: its UUID |
| `values`, `bytes` | number of values and bytes written |
| `acknowledged` | whether the device has answered for them; `false` for writes without response, which it refuses in silence |
| `value` | in a file of `run --record`: the bytes; one record per value |

## Files: `send`, `receive`

One record at the end, or when the transfer is `interrupted`:

```json
{"event":"sent","time":"2026-11-25T22:59:12.710921Z","address":"C0:00:00:00:00:02",
 "service":"0000fff0-0000-1000-8000-00805f9b34fb","characteristic":"0000fff1-0000-1000-8000-00805f9b34fb",
 "handle":2,"bytes":65536,"acknowledged":true,"seconds":3.253,"bytes_per_second":20146.0,"crc32":"d5b41f4a"}
```

| key | |
|---|---|
| `event` | `sent`, `received`, `interrupted`; `mismatched` if the checksum of `--checksum-from` differs |
| `psm` | with `--psm`: the number of the L2CAP channel, in place of `service`, `characteristic` and `handle` |
| `bytes` | how many bytes this run has certainly transferred; of `send --psm` that was `interrupted`, how many have left this machine |
| `acknowledged` | of what is sent: whether the device has answered for it, as [Files](files.md#what-is-certain) says; `false` for bytes that were only handed over; absent for a file without bytes |
| `resumed_at` | with `send --resume`: how many bytes earlier runs had sent |
| `uncertain` | of `interrupted`: how many of the next bytes may have arrived, or not |
| `seconds`, `bytes_per_second` | the time of the transfer, without that of the connection; of `receive`, from the first bytes to the last. The rate is absent if everything came at once |
| `crc32`, `sha256` | the checksum of the whole file |
| `device_value` | of `mismatched`: the bytes that the device has in place of the checksum |

## Links: `connect`, `disconnect`, `subscribe`, `serial`

```json
{"event":"connected","time":"2026-11-21T05:11:04.785312Z","address":"F0:F1:F2:F3:F4:F5"}
```

| key | |
|---|---|
| `event` | `connected`, `disconnected`, `reconnected` |
| `name` | in a file of `run --record`: the device's name |
| `reason` | of `disconnected`, if known |
| `link_end` | of `disconnected`: why the link ended, as BlueZ 5.83 and later report it: `timeout`, `local`, `remote`, `authentication`, `suspend`, `unknown`; `unreported` by an older BlueZ |
| `gap_seconds` | of `reconnected` (`subscribe`, `connect --stay`): how long the link was down, as reported by BlueZ |

`subscribe` prints `connected` when the subscription is active, and `disconnected` when the link is lost.

## Serial ports: `serial`

With `--pty`, `--tcp` or `--unix`: the port, then the records of the link.

```json
{"event":"listening","time":"2026-11-22T18:06:06.489932Z","pty":"/dev/pts/4"}
```

| key | meaning |
|---|---|
| `pty` | the link that was wanted, or the name of the pseudo-terminal |
| `tcp`, `unix` | the address and port, the path of the socket |
| `address`, `name` | with `--all`: the device whose port it is |

## Pairing: `pair`, `agent`

Each question is a record with a number. Answer with a line on standard input.

```json
{"event":"confirm","time":"2026-11-21T05:11:04.785312Z","question":1,"address":"C7:B0:4D:00:00:04","name":"Comparison",
 "passkey":"042017"}
{"event":"paired","time":"2026-11-21T05:11:05.101877Z","address":"C7:B0:4D:00:00:04","name":"Comparison",
 "method":"numeric-comparison","bonded":true}
```

| event | meaning | answer |
|---|---|---|
| `confirm` | does the device show this `passkey`? | `yes` or `no` |
| `passkey-wanted` | the device shows a passkey | up to six digits, or `no` |
| `passkey-shown`, `pin-shown` | this `passkey`, or `pin`, has to be typed into the device | none |
| `pin-wanted` | the device wants a PIN | 1 to 16 characters |
| `authorize` | may the device pair without a number, or use this `service`? | `yes` or `no` |
| `cancelled` | this `question` is void | none |
| `paired` | it has succeeded | none |

An answer names the question and the device, as their record does:

```json
{"question":1,"address":"C7:B0:4D:00:00:04","answer":"yes"}
```

The answer alone, `yes`, is enough until a question has been `cancelled`: then it could be a late answer, and let another
device pair. `blectl` ignores such a line, and one that names another question or device, and says so on stderr.

`blectl` discards lines that precede the record of their question, except for the first question of `pair`:
`echo 042017 | blectl pair DEVICE --json`.

`method` is `just-works`, `passkey`, `numeric-comparison` (not compared with `--yes`) or `pin`. `agent` also reports a
pairing that another program has begun and answered, without `method`. `bonded` is true if BlueZ keeps the keys. A passkey is
text of six digits. A question has 25 s; a passkey is shown until the pairing ends. The end of standard input refuses.

## Advertising: `advertise`

```json
{"event":"started","time":"2026-11-21T05:11:04.785312Z","adapter":"hci0","name":"Garden",
 "service_data":{"0000fcd2-0000-1000-8000-00805f9b34fb":"400150026608"},
 "beacon":{"type":"bthome","battery_percent":80,"temperature_celsius":21.50},"connectable":false}
{"event":"ended","time":"2026-11-21T05:12:04.785977Z","adapter":"hci0","reason":"interrupted"}
```

A `started` record appears whenever the advertisement goes on the air, `ended` whenever it leaves. The advertised data has
[the keys of devices](#devices-scan-devices-info).

| `reason` | |
|---|---|
| `duration`, `interrupted` | the command ends: `--duration` is over, or a signal came |
| `service-unavailable`, `powered-off`, `blocked`, `adapter-removed` | bluetoothd, the adapter or the radio is gone; when it is back, `started` follows |
| `bus-unavailable`, `refused` | the bus is lost, or BlueZ refuses to advertise again; the command ends with an error |

## Bonds and flags: `unpair`, `trust`, `untrust`, `block`, `unblock`

```json
{"event":"unpaired","time":"2026-11-21T05:11:04.785312Z","address":"F0:F1:F2:F3:F4:F5"}
```

`event` is `unpaired`, `trusted`, `untrusted`, `blocked` or `unblocked`.

## Dropped records: `subscribe`, `listen`

```json
{"event":"dropped","time":"2026-11-21T08:31:04.785312Z","count":117}
```

`count` records are missing here, starting at this time: the reader was too slow, and `--buffer` was full.

## Adapters: `adapter`

One record per adapter; with `adapter on` and `adapter off`, the one that they switched.

```json
{"adapter":"hci0","address":"00:1A:7D:DA:71:13","name":"BlueZ 5.66","powered":true,"discovering":false,
 "blocked":false,"modalias":"usb:v1D6Bp0246d0542"}
```

## Numbers: `uuid`

One record per meaning:

```json
{"kind":"service","name":"Heart Rate","uuid":"0000180d-0000-1000-8000-00805f9b34fb","short":"180d",
 "allocated_by":"Bluetooth SIG"}
```

| key | |
|---|---|
| `kind` | `service`, `characteristic`, `descriptor`, `declaration`, `member`, `standard`, `unit`, `object-type`, `mesh-profile`, `service-class`, `protocol`; `company`, `appearance` |
| `uuid`, `short` | the 128-bit form, and the short form if one exists |
| `value` | for companies and appearances instead of `uuid`: four hex digits |
| `allocated_by` | `Bluetooth SIG`, `vendor`, or `you` for a name of a [profile](profiles.md); for a `member`, `name` is the company to which the SIG assigned the UUID |

## Entries of profiles: `profile show`

One record per entry:

```json
{"kind":"characteristic","number":"b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa","name":"climate",
 "keys":["temperature_celsius","humidity_percent"],"file":"attic.json"}
```

| key | |
|---|---|
| `kind` | `device`, `service`, `characteristic`, `descriptor` or `advertisement` |
| `number` | the UUID in its shortest form; for advertisements also the company; for devices the address, or the name of the identity key |
| `only` | the service, the devices and the prefix to which the entry is restricted |
| `keys` | the keys of its decoded values |
| `file` | the file |

`profile check --example` prints the records of `decode`.

## Events: `monitor`

Records of devices (`found`, `changed`, `lost`), links (`connected`, `disconnected`) and values (`value`) also contain
`adapter` and, if known, `name`. Some program read a `value`, or the device sent it; its `via` is always `signal`. Only
`--rssi` prints `changed` records with nothing but a new `rssi`.

```json
{"event":"adapter_changed","time":"2026-11-21T08:11:45.712186Z","adapter":"hci0","address":"00:1A:7D:DA:71:13",
 "name":"BlueZ 5.66","powered":false,"discovering":false,"blocked":false,"modalias":"usb:v1D6Bp0246d0542"}
{"event":"state","time":"2026-11-21T08:11:45.712196Z","state":"off"}
```

| key | |
|---|---|
| `event` | also `adapter_added`, `adapter_changed`, `adapter_removed`, `state`, and `missed` if the reader is too slow |
| `properties` | of `changed`: the keys that changed; a key that is listed but absent from the record was removed |
| `state` | `on`, `off`, `blocked`, `no_adapter`, `service_unavailable`, `bus_unavailable` |
| `count` | of `missed`: number of events |

## Served devices: `serve`

```json
{"event":"advertising","time":"2026-11-22T18:06:14.082383Z","adapter":"hci0","address":"00:1A:7D:DA:71:13",
 "name":"MI Band 2"}
{"event":"connected","time":"2026-11-22T18:06:14.651485Z","adapter":"hci0","address":"00:1A:7D:DA:71:14"}
{"event":"written","time":"2026-11-22T18:06:14.709093Z","adapter":"hci0","address":"00:1A:7D:DA:71:14",
 "service":"0000fee1-0000-1000-8000-00805f9b34fb","characteristic":"0000fed3-0000-1000-8000-00805f9b34fb",
 "handle":92,"value":"6869"}
```

| key | |
|---|---|
| `event` | `advertising`, `connected`, `disconnected`, `read`, `written`, `refused`, `subscribed`, `unsubscribed` |
| `adapter` | the adapter that serves the device |
| `address`, `name` | of the central, if known; of `advertising`, of the served device |
| `service`, `characteristic`, `descriptor` | UUIDs of the attribute |
| `handle` | as `services` prints it to the central |
| `offset` | where in the value the bytes belong, if not at the beginning |
| `value`, `decoded` | of `read` and `written`: the bytes, and their [meaning](#decoded-values) |
| `error`, `att_error` | of `refused`: the ATT error |

`subscribed` and `unsubscribed` have no `address`: BlueZ does not report it.

## Checks: `doctor`

```json
{"check":"power","status":"fail","message":"hci0 is off","fix":"blectl adapter on","adapter":"hci0"}
```

| key | |
|---|---|
| `check` | `user`, `container`, `bus`, `service`, `owner`, `simulator`, `policy`, `version`, `fault`, `adapter`, `rfkill`, `power`, `central`, `peripheral`, `passive`, `pairing`, `cache`; checks that do not apply are left out |
| `status` | `ok`; `warn` if something is unusual; `fail` if Bluetooth cannot be used |
| `message` | text for people |
| `fix` | the command that fixes the problem, or a short instruction |
| `uid`, `pid`, `program` | of `service` and `owner`: the process that owns `org.bluez` |
| `version` | of `version` and `fault`: the version of BlueZ |

A `fault` is a [known one](bluez-versions.md) of this bluetoothd, with which other programs or devices can end it.

### One device: `doctor DEVICE`

A record after each step, and one for the diagnosis:

```json
{"event":"stage","time":"2026-11-21T05:11:05.355134Z","seconds":3.214,"stage":"heard","status":"ok","message":"heard 15 times in 3.19 s, -60 dBm (-64 to -56), from C0:00:00:00:00:01 (random, static)","count":15,"listened_seconds":3.19,"rssi":-60,"rssi_min":-64,"rssi_max":-56,"addresses":["C0:00:00:00:00:01"],"address_type":"random","address_kind":"static","other_devices":4}
{"event":"diagnosis","time":"2026-11-21T05:11:05.912002Z","address":"C0:00:00:00:00:01","healthy":false,"cause":"bond_lost","message":"the device has lost the keys of the pairing","evidence":["BlueZ is paired with it"],"fix":"blectl unpair C0:00:00:00:00:01, then blectl pair C0:00:00:00:00:01"}
```

| key | |
|---|---|
| `event` | `stage` or `diagnosis` |
| `stage` | `bluetoothd`, `known`, `heard`, `connect` (one for each attempt), `link`, `services`, `read` (one for each value), `pairing`, `disconnect`; those that were not reached are left out |
| `status` | `ok`; `warn` if something is unusual; `fail` if the attempt ended there |
| `seconds` | when the step was over, counted from the start |
| `message` | text for people |
| `version`, `adapter`, `links` | of `bluetoothd`: the version of BlueZ, the adapter, and how many links it has |
| `known`, `connected`, `paired`, `blocked`, `services`, `other_adapters` | of `known`: whether BlueZ knew the device, its state, how many services BlueZ had kept, and the other adapters of this machine that have a link to it |
| `count`, `listened_seconds`, `rssi`, `rssi_min`, `rssi_max`, `addresses`, `address_type`, `address_kind`, `other_devices` | of `heard`: the advertisements that BlueZ reported, their median and limits in dBm, the addresses that the device used meanwhile, and how many other devices were heard |
| `attempt`, `error`, `dbus_error`, `link_end` | of `connect`: the number of the attempt, and why it failed |
| `mtu`, `joined` | of `link`: the MTU, and whether another program had opened the link |
| `services`, `characteristics`, `cached`, `changed` | of `services`: how many; whether BlueZ had them of an earlier link, and whether they have changed since |
| `characteristic`, `bytes`, `error`, `dbus_error`, `att_error` | of `read`: the UUID, the length of the value, or why it was refused |
| `paired`, `bonded` | of `pairing` |
| `link_end` | of `link` and `disconnect`: why the link ended, as in [links](#links-connect-disconnect-subscribe-serial) |
| `healthy` | of `diagnosis`: whether the device can be used |
| `cause` | of `diagnosis`, unless the device is healthy: see below |
| `evidence`, `fix` | of `diagnosis`: the observations that speak for the cause, and what helps |

| `cause` | |
|---|---|
| `adapter_off` | the adapter is off, blocked or gone |
| `no_slots` | the adapter has no room for another link |
| `bluetoothd_fault` | bluetoothd ended during the attempt |
| `blocked` | the device is blocked on this machine |
| `not_heard` | BlueZ does not know the device, and it is not heard |
| `address_rotated` | the address was a private one, which the device has replaced |
| `connected_elsewhere` | the device is known, but does not advertise: another central has its link, or it is off; or another adapter of this machine has the link |
| `not_connectable` | it advertises, but accepts no connections |
| `weak_signal` | links fail or are lost, and the median of its signal is -85 dBm or less |
| `no_link` | it is heard well, but no link comes about |
| `link_drops` | its links are lost before the services are known, or within two seconds |
| `services_unresolved` | there is a link, but the services cannot be discovered |
| `stale_cache` | the device does not have attributes that BlueZ has kept of an earlier link |
| `needs_pairing` | a value requires pairing, or a stronger one |
| `bond_lost` | one of the two sides has lost the keys of the pairing |
| `no_answer` | the device does not answer a read |

## Links in detail: `link`

```json
{"event":"link","time":"2026-11-25T23:23:06.805853Z","address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap","adapter":"hci0","rssi":-61,
 "tx_power":4,"mtu":517,"interval_ms":30,"latency":0,"supervision_timeout_ms":420,"tx_phy":"1m","rx_phy":"1m","encrypted":false,
 "paired":false,"bearer":"le","role":"central","opened_by":"this_command","since":"2026-11-25T23:23:06.218913Z","uptime_s":0}
```

| key | |
|---|---|
| `rssi`, `tx_power` | dBm, of the link |
| `mtu` | bytes |
| `interval_ms`, `latency`, `supervision_timeout_ms` | how often the two meet, how many meetings the device may miss, and how long the link may be silent |
| `tx_phy`, `rx_phy` | `1m`, `2m` or `coded` |
| `encrypted`, `paired` | true or false |
| `bearer` | `le` or `br_edr` |
| `role` | that of this machine: `central` or `peripheral` |
| `opened_by` | `this_command`, or `others`: another program, or the device |
| `since`, `uptime_s` | if this command opened it, or saw it open |
| `missing` | why the rest is unknown: an object with the names of the lines, such as `{"phy":"needs CAP_NET_RAW"}` |

With `--watch`, each change is a record. `adapter phy --json` prints `adapter`, `address`, `supported_phys` and
`selected_phys`.

## Measurements: `bench`

```json
{"event":"bench","time":"2026-11-21T05:11:05.355134Z","address":"F0:F1:F2:F3:F4:F5","characteristic":"00002a38-0000-1000-8000-00805f9b34fb","kind":"reads","seconds":10.003,"count":812,"bytes":812,"per_second":81.2,"bytes_per_second":81,"latency_ms":{"min":9.8,"p50":12.1,"p90":14.9,"p99":30.2,"max":45.7},"mtu":517,"rssi":-60}
```

| key | |
|---|---|
| `kind` | `notifications`, `reads`, `writes`, `writes_without_response`, `round_trips` |
| `seconds`, `count`, `bytes` | how long was measured, and what was counted: values that have certainly arrived, and their bytes; a device may refuse writes without response in silence |
| `per_second`, `bytes_per_second` | the rates |
| `latency_ms` | the times until answers: the shortest, the percentiles and the longest; not of `writes_without_response` |
| `interval_ms` | of `notifications`: the times between them |
| `missing` | of `notifications` that begin with a counter: how many were skipped |
| `uncertain` | of `writes_without_response`: how many may have been lost with the link |
| `mtu` | the MTU of the link |
| `rssi` | the signal strength of the last advertisement before the link, in dBm; BlueZ does not report that of a link |

## Keys: `keys`

`keys` prints a record for each entry of the [file](keys.md), without the key; `keys add`, `keys remove` and `keys import`
one for each change:

```json
{"kind":"bind-key","address":"A4:C1:38:56:53:84"}
{"event":"added","kind":"identity","address":"C8:0F:10:01:02:03","name":"Phone"}
```

| key | |
|---|---|
| `event` | `added`, also for a replaced key, or `removed` |
| `kind` | `bind-key` or `identity` |
| `address` | of the sensor; of an identity the address that it never changes, if it is known |
| `name` | the name of an identity |

## With jq

```sh
# the address of the strongest heart-rate strap
blectl scan --service 180d --json | jq -rs 'max_by(.rssi).address'

# every characteristic that can notify
blectl services 'MI Band 2' --json |
  jq -r '.services[].characteristics[] | select(.properties | index("notify")) | .uuid'

# live heart rates as numbers
blectl subscribe 'Heart Strap' 2a37 --json |
  jq -r --unbuffered 'select(.event == "value") | .decoded.heart_rate_bpm'
```
"""#

  static let exitStatus = #"""
# Exit status and errors

All errors go to stderr, in the same form:

```
blectl: cannot WHAT: WHY
hint: COMMAND
```

The hint appears where one helps. If a name is ambiguous, the candidates are listed before it. `-v` adds the causes (the
D-Bus error name and the ATT error), and `-vv` also the D-Bus traffic.

| status | meaning |
|---|---|
| 0 | success, also when a scan finds nothing |
| 1 | the operation failed; usually the device refused it |
| 3 | Bluetooth is not available: no bus, no daemon, a daemon that answers nothing, no adapter, adapter off, or access denied |
| 4 | not found, or ambiguous |
| 5 | timed out |
| 64 | the command line is wrong; nothing was sent |
| 129, 130, 143, 141 | ended by SIGHUP, SIGINT, SIGTERM or SIGPIPE, after cleaning up |

`blectl simulate -- COMMAND` ends with the status of the command, or with 128 plus the number of the signal that ended it.

## Time

`--timeout` (default 20 s) limits finding a device, connecting to it and discovering its services, all together. After that,
it limits each operation. `0` means no limit. If attempts to connect have failed for a reason, the error at the end of the
time gives that reason, with its status; status 5 means that nothing answered. If bluetoothd itself does not answer within
another half second, it hangs: status 3. While packets wait on a slow link, bluetoothd is asked each second, with the same
limit. `scan` ends after `--duration` (default 10 s), and `subscribe` after `--count` or `--duration`, with status 0. With
`--all`, the status is 1 if a device has failed, or no subscription to it was made in that time; each is named with its reason.
`listen DEVICE --duration` has status 4 if the only device, an address or a name without wildcards, was not heard.

## Signals

The first SIGINT, SIGTERM or SIGHUP (a closed terminal, a lost ssh session) ends the command cleanly: it stops scans and
subscriptions, closes the links that it opened, and prints what it knows. A second signal ends the process at once. A closed
pipe (`blectl subscribe … | head -1`) has the same effect as SIGINT, without a message. Under `nohup`, SIGHUP is ignored.
SIGINT ends a command even where the shell has it ignored, as in the background of a script.

If `simulate -- COMMAND` or `monitor --exec` is running a command, that command gets SIGTERM. The command of `--exec` gets it
together with all processes that it started, and SIGKILL one second later. A second signal kills the command at once.

## Situations

A test plays each situation on a simulated BlueZ, and the tables are generated from its expectations. "Lamp" is a device with
the properties that the situation needs. One error is not in the tables: if a disk is full, a log ends with `117 records were
not written to heart.csv` and status 1 ([logging](logging.md)).

### Bluetooth is not available

| situation | command | status | message | hint |
|---|---|---|---|---|
| there is no bus | `blectl scan` | 3 | `cannot reach the system bus: Failed to connect to socket /nonexistent: No such file or directory` | `blectl doctor; without a radio, add --simulate` |
| an invalid bus address | `blectl scan --bus nonsense` | 3 | `cannot reach the bus nonsense: Address does not contain a colon` | `blectl doctor; without a radio, add --simulate` |
| bluetoothd does not run | `blectl scan` | 3 | `cannot scan: the Bluetooth service (org.bluez) is not running` | `sudo systemctl start bluetooth` |
| bluetoothd ends in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: the Bluetooth service (bluetoothd) ended` | `sudo systemctl start bluetooth` |
| bluetoothd hangs | `blectl read Lamp 2a19 --every 10ms --timeout 4s` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: the Bluetooth service (bluetoothd) does not answer` | `sudo systemctl restart bluetooth` |
| the bus denies access | `blectl devices` | 3 | `cannot talk to the Bluetooth service: the policy of the bus does not permit it` | `blectl doctor` |
| there is no adapter | `blectl scan` | 3 | `cannot scan: there is no Bluetooth adapter` | `blectl adapter list; without a radio, add --simulate` |
| there is no such adapter | `blectl scan --adapter hci7` | 3 | `cannot scan: there is no Bluetooth adapter hci7` | `blectl adapter list; without a radio, add --simulate` |
| the adapter is off | `blectl read Lamp 2a19` | 3 | `cannot scan: the adapter hci0 is off` | `blectl adapter on` |
| advertising while the adapter is off | `blectl advertise --bthome battery=80` | 3 | `cannot advertise: the adapter hci0 is off` | `blectl adapter on` |
| switching a blocked adapter on | `blectl adapter on` | 3 | `cannot switch hci0 on: the radio is blocked (rfkill)` | `sudo rfkill unblock bluetooth` |
| the adapter is switched off in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: the adapter hci0 is off` | `blectl adapter on` |
| the adapter is unplugged in the middle | `blectl read Lamp 2a19 --every 10ms` | 3 | `cannot read 2a19 of C0:00:00:00:00:01: there is no Bluetooth adapter` | `blectl adapter list; without a radio, add --simulate` |
| doctor finds a fault | `blectl doctor` | 3 | `cannot use Bluetooth: the bus unix:path=/nonexistent cannot be reached: Failed to connect to socket /nonexistent: No such file or directory` | `give another --bus, or unset DBUS_SYSTEM_BUS_ADDRESS` |
| the simulation cannot start | `TMPDIR=/nonexistent blectl scan --simulate` | 3 | `cannot start the simulated BlueZ: its private bus did not start: no directory in /nonexistent: No such file or directory` |  |

### Not found, or ambiguous

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device is not heard | `blectl read D0:00:00:00:00:0D 2a19 --timeout 4s` | 4 | `cannot find D0:00:00:00:00:0D: not found before the timeout` | `blectl scan; a device that is connected elsewhere does not advertise` |
| a misspelt device name | `blectl read Tnermometer 2a6e --timeout 4s` | 4 | `cannot find Tnermometer: not found before the timeout; did you mean Thermometer?` | `blectl scan; a device that is connected elsewhere does not advertise` |
| a misspelt word of a device name | `blectl read Hart 2a38 --timeout 4s` | 4 | `cannot find Hart: not found before the timeout; did you mean Heart Strap?` | `blectl scan; a device that is connected elsewhere does not advertise` |
| several devices have that name | `blectl info Lamp` | 4 | `cannot choose a device: 'Lamp' matches 2 devices` · `C0:00:00:00:00:01 Lamp` · `C0:00:00:00:00:02 Lamp` | `use the address, or --pick strongest` |
| none of the devices of --all is heard | `blectl subscribe 'Lamp*' 2a19 --all --timeout 4s` | 4 | `cannot find Lamp*: none was found before the timeout` | `blectl scan; a device that is connected elsewhere does not advertise` |
| disconnecting from an unknown device | `blectl disconnect Piano` | 4 | `cannot disconnect from Piano: BlueZ knows no such device` | `blectl devices --connected` |
| serve: the file has several devices | `blectl serve lamps.json` | 4 | `cannot choose a device: lamps.json has 2` · `C0:00:00:00:00:01 Lamp` · `C0:00:00:00:00:02 Lantern` | `blectl serve lamps.json PERIPHERAL` |
| serve: a misspelt device of the file | `blectl serve lamps.json lanturn` | 4 | `cannot serve lanturn: no such device in lamps.json; did you mean Lantern?` · `C0:00:00:00:00:01 Lamp` · `C0:00:00:00:00:02 Lantern` |  |
| an unknown adapter | `blectl adapter -i hci3` | 4 | `cannot find hci3: no such adapter` · `hci0 00:1A:7D:DA:71:13` | `blectl adapter list` |
| an unknown characteristic | `blectl read Piano battery-level` | 4 | `cannot find 2a19 on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| serial: a device without a known serial service | `blectl serial Piano </dev/null` | 4 | `cannot find the serial port of D0:B5:C2:0A:0B:0C: it has no service that is known as one` · `ffe0/ffe2 @0007 notify` · `ffe1/ffe3 @000b write` | `blectl serial D0:B5:C2:0A:0B:0C --rx CHAR --tx CHAR, if two of these are one` |
| an unknown handle | `blectl read Piano @00ff` | 4 | `cannot find @00ff on D0:B5:C2:0A:0B:0C: no such characteristic` | `blectl services D0:B5:C2:0A:0B:0C` |
| the handle of a descriptor | `blectl write Piano @0009 0100` | 4 | `cannot find @0009 on D0:B5:C2:0A:0B:0C: it is a descriptor of ffe2` | `blectl subscribe D0:B5:C2:0A:0B:0C ffe2, to be notified; the descriptor itself: ffe2 --descriptor 2902` |
| a descriptor | `blectl write Piano 2902 0100` | 4 | `cannot find 2902 on D0:B5:C2:0A:0B:0C: it is a descriptor of ffe2` | `blectl subscribe D0:B5:C2:0A:0B:0C ffe2, to be notified; the descriptor itself: ffe2 --descriptor 2902` |
| the handle of a value | `blectl read Piano @0008` | 4 | `cannot find @0008 on D0:B5:C2:0A:0B:0C: it is the handle of the value of ffe2` | `use @0007, or ffe2` |
| an ambiguous characteristic | `blectl read Lamp 2a19` | 4 | `cannot choose 2a19: C0:00:00:00:00:01 has 2` · `180f/2a19 @0007` · `fff0/2a19 @000a` | `use SERVICE/CHAR, or a handle such as @0007` |
| an unknown descriptor | `blectl read Piano ffe2 --descriptor 2901` | 4 | `cannot find descriptor 2901 of ffe2: no such descriptor` · `2902 @0009` |  |
| an unknown name | `blectl uuid frobnicate` | 4 | `cannot find 'frobnicate': no such number or name` |  |
| a misspelt name | `blectl uuid hart-rate` | 4 | `cannot find 'hart-rate': no such number or name` | `blectl uuid heart-rate` |
| values of unknown meaning | `blectl decode fff1 00` | 4 | `cannot decode fff1: the meaning of its values is unknown` | `blectl help values` |

### Timed out

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device does not answer | `blectl connect Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: no connection before the timeout` | `use a longer --timeout, or move closer to the device` |
| service discovery takes too long | `blectl services Lamp --timeout 4s` | 5 | `cannot connect to C0:00:00:00:00:01: there is a link, but BlueZ does not know the services yet` | `use a longer --timeout, or move closer to the device` |
| no answer to a read | `blectl read Lamp 2a19 --timeout 4s` | 5 | `cannot read 2a19 of C0:00:00:00:00:01: no answer before the timeout` | `use a longer --timeout, or move closer to the device` |
| a battery level that is never answered | `blectl read Lamp ffe1 --timeout 4s` | 5 | `cannot read ffe1 of C0:00:00:00:00:01: no answer before the timeout; the device may not have answered the battery level (2a19), which BlueZ reads first` | `use a longer --timeout, or move closer to the device` |
| no answer to one of several reads | `blectl services Lamp --read --timeout 4s` | 5 | `cannot read 2a06 of C0:00:00:00:00:01: no answer before the timeout` · `cannot read 1 of 2 values of C0:00:00:00:00:01` | `use a longer --timeout, or move closer to the device` |
| no answer to a write | `blectl write Lamp 2a19 01 --timeout 4s` | 5 | `cannot write 2a19 of C0:00:00:00:00:01: no answer before the timeout` · `the device may still have received the value` | `use a longer --timeout, or move closer to the device` |
| no notification as a reply | `blectl write Piano ffe3 00 --reply ffe2 --timeout 4s` | 5 | `cannot get a reply of ffe2: no value arrived before the timeout` | `use a longer --timeout, if the device takes its time to reply` |

### The operation failed

| situation | command | status | message | hint |
|---|---|---|---|---|
| the link cannot be made | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: the connection could not be made (le-connection-refused)` |  |
| each link is lost before the services are known | `blectl read Lamp 2a19 --timeout 3s` | 1 | `cannot connect to C0:00:00:00:00:01: the link was lost before the services were known` |  |
| a device that cannot be connected to | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: it accepts no connections (BlueZ forgets it after each scan)` | `blectl scan --address C0:00:00:00:00:01 prints its advertisements` |
| the link is lost | `blectl read Lamp 2a19 --every 10ms` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the link was lost` |  |
| the link is lost under a subscription | `blectl subscribe Lamp 2a19 -q` | 1 | `notifications stopped: the link was lost` |  |
| an expectation of a script that is not met | `blectl run 'Heart Strap' test.ble` | 1 | `test.ble:2: cannot get 00 from 2a19: the value was 57` · `expect 2a19 00 --read` |  |
| what cannot be read | `blectl read 'Heart Strap' 2a39` | 1 | `cannot read 2a39 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x02 read not permitted)` |  |
| what only notifies | `blectl read 'Heart Strap' 2a37` | 1 | `cannot read 2a37 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x02 read not permitted)` | `blectl subscribe F0:F1:F2:F3:F4:F5 2a37` |
| what cannot be written | `blectl write 'Heart Strap' 2a38 01` | 1 | `cannot write 2a38 of F0:F1:F2:F3:F4:F5: the device does not permit it (ATT 0x03 write not permitted)` |  |
| what cannot be subscribed to | `blectl subscribe Piano ffe3` | 1 | `cannot subscribe to ffe3 of D0:B5:C2:0A:0B:0C: the characteristic supports neither notifications nor indications` |  |
| serial: the two directions are confused | `blectl serial Piano --rx ffe2 --tx ffe3 </dev/null` | 1 | `cannot use ffe2 of D0:B5:C2:0A:0B:0C as a serial port: it cannot be written` | `--rx is what the device receives on: --rx ffe3 --tx ffe2` |
| the device requires pairing | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device requires pairing` | `blectl pair C0:00:00:00:00:01, or add --pair` |
| the device wants authorisation | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x08 insufficient authorization)` |  |
| an offset outside of the value | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x07 invalid offset)` |  |
| a value that is too long for it | `blectl write Lamp 2a19 010203` | 1 | `cannot write 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x0d invalid attribute value length)` |  |
| a device whose services have changed | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x12 database out of sync)` | `blectl services C0:00:00:00:00:01, and try again: they have changed` |
| an error of the application | `blectl read Lamp 2a19` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` |  |
| the same, with its causes | `blectl read Lamp 2a19 -v` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` · `cause: D-Bus error org.bluez.Error.Failed` · `cause: ATT 0x85 application error` |  |
| one of several values is refused | `blectl read Lamp 2a06 2a19` | 1 | `cannot read 2a06 of C0:00:00:00:00:01: the device refuses (ATT 0x85 application error)` · `cannot read 1 of 2 values of C0:00:00:00:00:01` |  |
| a value that is not of the format | `blectl read Lamp 2a19 --as u16` | 1 | `cannot show 2a19 of C0:00:00:00:00:01 as u16: 57 is 1 byte` |  |
| an error while subscribing | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: the device refuses (ATT 0x80 application error)` |  |
| another request never ends | `blectl read Lamp 2a19 --timeout 4s` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: an operation of the same kind is under way` | `stop the other program that uses it, or try again` |
| another program holds the characteristic | `blectl subscribe Lamp 2a19` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: another program holds the characteristic (Notify acquired)` | `stop the other program that uses it, or try again` |
| too long for a write without response | `blectl write Lamp 2a19 --no-response --from values.txt` | 1 | `cannot write 2a19 of C0:00:00:00:00:01: 21 bytes do not fit a write without response: 20 at most` · `at line 1; 0 of 1 values were handed over` |  |
| too many advertisements | `blectl advertise --bthome battery=80` | 1 | `cannot advertise: the adapter has no room for another advertisement` | `stop the other programs that advertise` |
| a passive scan without experimental features | `blectl scan --passive` | 1 | `cannot scan passively: bluetoothd offers it only with experimental features on` | `start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf` |
| one of the devices of --all fails | `blectl subscribe 'Lamp*' 2a19 --all --duration 5s -q` | 1 | `cannot subscribe to 2a19 of C0:00:00:00:00:01: the characteristic supports neither notifications nor indications` · `cannot continue with 1 of 1 devices` |  |

### Pairing

| situation | command | status | message | hint |
|---|---|---|---|---|
| the device refuses to pair | `blectl pair Lamp` | 1 | `cannot pair with C0:00:00:00:00:01: the device refused, or wants a passkey that this side cannot show or type` | `blectl pair C0:00:00:00:00:01 --passkey N, or run it on a terminal` |
| a device that insists on a passkey, without a terminal | `blectl pair Lamp` | 1 | `cannot pair with C0:00:00:00:00:01: the device refused, or wants a passkey that this side cannot show or type` | `blectl pair C0:00:00:00:00:01 --passkey N, or run it on a terminal` |
| a wrong passkey | `blectl pair Lamp --passkey 1` | 1 | `cannot pair with C0:00:00:00:00:01: the passkey is wrong, or the device refused` | `blectl pair C0:00:00:00:00:01, with the passkey that it shows or is labelled with` |
| a passkey that nobody can type | `blectl pair Lamp --capability keyboard-only` | 1 | `cannot pair with C0:00:00:00:00:01: the device asks for the passkey that it shows, and there is no way to ask a person` | `blectl pair C0:00:00:00:00:01 --passkey N, or run it on a terminal` |
| numbers that nobody can compare | `blectl pair Lamp --capability display-yes-no` | 1 | `cannot pair with C0:00:00:00:00:01: a person must compare two numbers, and there is no way to ask a person` | `blectl pair C0:00:00:00:00:01 --yes, or run it on a terminal` |
| standard input ends before the answer | `blectl pair Lamp --json </dev/null` | 1 | `cannot pair with C0:00:00:00:00:01: the device asks for the passkey that it shows, and standard input gave no answer` | `blectl pair C0:00:00:00:00:01 --passkey N, or run it on a terminal` |
| a person says no | `echo no \| blectl pair Lamp --json` | 1 | `cannot pair with C0:00:00:00:00:01: it was refused on this side` | `blectl pair C0:00:00:00:00:01, and answer its question` |
| the device says that the numbers differ | `blectl pair Lamp --yes` | 1 | `cannot pair with C0:00:00:00:00:01: the device refused: the numbers were not confirmed there` | `blectl pair C0:00:00:00:00:01, with the passkey that it shows or is labelled with` |
| a device that does not go on | `blectl pair Lamp --timeout 4s` | 5 | `cannot pair with C0:00:00:00:00:01: the pairing took longer than allowed` | `blectl pair C0:00:00:00:00:01, with the device in its pairing mode` |
| the pairing is cancelled | `blectl pair Lamp` | 1 | `cannot pair with C0:00:00:00:00:01: the pairing was cancelled, or the link was lost` | `blectl pair C0:00:00:00:00:01, close to the device` |
| another program pairs with it | `blectl pair Lamp` | 1 | `cannot pair with C0:00:00:00:00:01: another program is pairing with the device` | `stop the other program that pairs, or try again` |
| the device wants encryption, and no program has an agent | `blectl read Lamp 2a19 --timeout 4s` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device requires pairing` | `blectl pair C0:00:00:00:00:01, or add --pair` |
| the device asks for a passkey before it answers | `blectl read Lamp 2a19 --timeout 4s` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device requires pairing, with a passkey` | `add --pair on a terminal, or --pair --passkey N with the passkey that it shows or is labelled with` |
| the device is paired, and its value wants more | `blectl read Lamp 2a19 --pair -q` | 1 | `cannot read 2a19 of C0:00:00:00:00:01: the device requires pairing with a passkey, or has lost its keys of this pairing` | `blectl unpair C0:00:00:00:00:01, then blectl pair C0:00:00:00:00:01 on a terminal` |
| a device that is paired already | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; blectl pair Lamp'` | 1 | `cannot pair with C0:00:00:00:00:01: the device is paired already` | `blectl unpair C0:00:00:00:00:01, to pair again` |
| a pairing that is too weak | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; blectl read Lamp ffe1 --timeout 6s'` | 5 | `cannot read ffe1 of C0:00:00:00:00:01: no answer before the timeout` | `use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a pairing that is too weak, with --pair and no passkey | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; blectl read Lamp ffe1 --pair --timeout 6s'` | 5 | `cannot read ffe1 of C0:00:00:00:00:01: no answer before the timeout; if the device requires a passkey, there is no way to ask a person for it` | `use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a battery level that needs a better pairing, before BlueZ 5.83 | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; sleep 3; blectl read Lamp ffe1 --timeout 6s'` | 5 | `cannot connect to C0:00:00:00:00:01: there is a link, but BlueZ does not know the services yet: the battery level (2a19), which BlueZ reads first, may require pairing with a passkey` | `use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a battery level that needs a better pairing | `blectl simulate world.json --bluez 5.87 -- bash -o pipefail -c 'blectl pair Lamp -q; sleep 3; blectl read Lamp ffe1'` | 1 | `cannot connect to C0:00:00:00:00:01: BlueZ ends each link: the battery level (2a19), which BlueZ reads first, seems to require pairing with a passkey` | `if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a wrong passkey, with --pair | `blectl read Lamp ffe1 --pair --passkey 1` | 1 | `cannot read ffe1 of C0:00:00:00:00:01: the pairing failed: the passkey is wrong, or the device refused` | `blectl pair C0:00:00:00:00:01, with the passkey that it shows or is labelled with` |
| a value that needs a passkey, with --pair and nobody to ask | `blectl read Lamp ffe1 --pair --timeout 6s </dev/null` | 5 | `cannot read ffe1 of C0:00:00:00:00:01: no answer before the timeout; if the device requires a passkey, there is no way to ask a person for it` | `use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a device that insists on a passkey, with --pair and nobody to ask | `blectl read Lamp ffe1 --pair </dev/null` | 1 | `cannot read ffe1 of C0:00:00:00:00:01: the link was lost; the device may have refused to pair, or want a passkey, and there is no way to ask a person for it` | `add --pair on a terminal, or --pair --passkey N with the passkey that it shows or is labelled with` |
| a device that refuses to pair, with --pair | `blectl read Lamp ffe1 --pair --passkey 1` | 1 | `cannot read ffe1 of C0:00:00:00:00:01: the link was lost; the device may have refused to pair` | `blectl pair C0:00:00:00:00:01 tells why, if it refuses to pair` |
| a better pairing, with a wrong passkey | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; blectl read Lamp ffe1 --pair --passkey 1'` | 1 | `cannot read ffe1 of C0:00:00:00:00:01: the pairing failed: the passkey is wrong, or the device refused` | `if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| a value whose better pairing has failed before, since BlueZ 5.81 | `blectl simulate world.json --bluez 5.82 -- bash -o pipefail -c 'blectl pair Lamp -q; blectl read Lamp ffe1 --pair --passkey 1 -q 2>/dev/null; blectl read Lamp ffe1 --pair --passkey 042017 --timeout 6s'` | 5 | `cannot read ffe1 of C0:00:00:00:00:01: no answer before the timeout; if a pairing for it has failed before, BlueZ never answers it again` | `use a longer --timeout, or move closer to the device; if it requires a passkey: blectl unpair C0:00:00:00:00:01, and pair again with --passkey N or on a terminal` |
| the device has lost the bond | `blectl connect Lamp` | 1 | `cannot connect to C0:00:00:00:00:01: the device has lost the keys of the pairing (le-connection-key-missing)` | `blectl unpair C0:00:00:00:00:01, then blectl pair C0:00:00:00:00:01` |
| BlueZ has lost the bond | `blectl simulate world.json -- bash -o pipefail -c 'blectl pair Lamp -q; blectl subscribe Lamp ffe1 --reconnect --timeout 3s -q --json \| (read; blectl unpair Lamp -q; cat)'` | 1 | `cannot subscribe to ffe1 of C0:00:00:00:00:01: BlueZ has lost the keys of the pairing` | `blectl pair C0:00:00:00:00:01; if it refuses, delete this computer there, and blectl unpair C0:00:00:00:00:01` |
| a device that is blocked | `blectl simulate world.json -- bash -o pipefail -c 'blectl block Lamp -q; blectl connect Lamp'` | 1 | `cannot connect to C0:00:00:00:00:01: the device is blocked` | `blectl unblock C0:00:00:00:00:01` |
| a device that BlueZ does not know | `blectl simulate world.json -- bash -o pipefail -c 'blectl unpair Lamp'` | 4 | `cannot unpair Lamp: BlueZ knows no such device` | `blectl devices` |
| a passkey of seven digits | `blectl pair Lamp --passkey 1234567` | 64 | `cannot run 'pair': --passkey: a passkey is a number of up to six digits` | `blectl pair --help` |
| an unknown capability | `blectl pair Lamp --capability keyboard` | 64 | `cannot run 'pair': --capability: unknown capability 'keyboard'; did you mean keyboard-only?` | `blectl pair --help` |

### A device that cannot be used (doctor DEVICE)

| situation | command | status | message | hint |
|---|---|---|---|---|
| doctor: the adapter is off | `blectl doctor Lamp` | 1 | `cannot use Lamp: the adapter hci0 is off` | `blectl adapter on` |
| doctor: the device is not heard | `blectl doctor D0:00:00:00:00:0D --timeout 4s` | 1 | `cannot use D0:00:00:00:00:0D: it is not heard: it is off, out of range, or connected to another device` | `blectl scan, with the device switched on and close by` |
| doctor: a device that cannot be connected to | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: it advertises, but accepts no connections` | `blectl scan --address C0:00:00:00:00:01 --duplicates prints its advertisements` |
| doctor: the signal is too weak | `blectl doctor Lamp --timeout 6s` | 1 | `cannot use C0:00:00:00:00:01: its signal is too weak` | `blectl scan --address C0:00:00:00:00:01 --duplicates shows its signal while you move closer` |
| doctor: the adapter has too many links | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: the adapter has no room for another link` | `blectl devices --connected, and blectl disconnect one of them` |
| doctor: no link comes about | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: it is heard, but no link comes about` | `sudo systemctl restart bluetooth, and restart the device` |
| doctor: services do not come | `blectl doctor Lamp --timeout 4s` | 1 | `cannot use C0:00:00:00:00:01: there is a link, but its services cannot be discovered` | `blectl forget C0:00:00:00:00:01, and restart the device` |
| doctor: links are lost at once | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: its links are lost as soon as they stand` | `sudo btmon -w trace.btsnoop records who ends the link; restarting the device may help` |
| doctor: attributes that the device no longer has | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: BlueZ uses attributes that the device no longer has: its firmware was changed` | `blectl forget C0:00:00:00:00:01, then connect again` |
| doctor: values require pairing | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: it requires pairing` | `blectl pair C0:00:00:00:00:01` |
| doctor: the device does not answer | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: it does not answer requests` | `blectl disconnect C0:00:00:00:00:01, and restart the device` |
| doctor: bluetoothd ends | `blectl doctor Lamp` | 1 | `cannot use C0:00:00:00:00:01: the Bluetooth service (bluetoothd) ended` | `sudo systemctl start bluetooth; if it ends again: blectl scan, then blectl forget C0:00:00:00:00:01` |

### Files, outputs and other programs

| situation | command | status | message | hint |
|---|---|---|---|---|
| the folder of a log does not exist | `blectl subscribe Thermometer 2a6e --log logs/heart.csv` | 1 | `cannot write logs/heart.csv: No such file or directory` |  |
| a log that is not a regular file | `ln -s /dev/null heart.csv; blectl subscribe Thermometer 2a6e --log heart.csv` | 1 | `cannot write heart.csv: it is not a regular file` |  |
| another process writes to the log | `flock -o heart.csv blectl subscribe Thermometer 2a6e --log heart.csv` | 1 | `cannot write heart.csv: flock (process 4711) is already writing to it` |  |
| a log that is something else | `blectl subscribe Thermometer 2a6e --log heart.sqlite` | 1 | `cannot write heart.sqlite: file is not a database` |  |
| no broker answers | `blectl subscribe Thermometer 2a6e --log mqtt://127.0.0.1:1/ble` | 1 | `cannot write mqtt://127.0.0.1:1/ble: Connection refused` | `check that a broker listens on port 1 of 127.0.0.1; --reconnect waits for it` |
| the host of the broker does not exist | `blectl subscribe Thermometer 2a6e --log mqtt://attic..example/ble` | 1 | `cannot write mqtt://attic..example/ble: Name or service not known` | `check the name of the host, attic..example, and the network; --reconnect waits for it` |
| the broker does not come back | `blectl subscribe 'Heart Strap' 2a37 --count 1 -q --reconnect --log mqtt://127.0.0.1:1/ble` | 1 | `cannot write mqtt://127.0.0.1:1/ble: Connection refused; trying again` · `cannot write mqtt://127.0.0.1:1/ble: Connection refused; kept in memory, up to 16M (--buffer)` · `2 records were not written to mqtt://127.0.0.1:1/ble` |  |
| the file with the password of a broker is missing | `BLECTL_MQTT_PASSWORD_FILE=secret blectl subscribe Thermometer 2a6e --log mqtt://anna@127.0.0.1:1/ble` | 64 | `cannot read secret: No such file or directory` |  |
| a chart, and no terminal to draw on | `blectl subscribe 'Heart Strap' 2a37 --plot` | 64 | `cannot plot: stdout is not a terminal that supports drawing` | `--plot-svg FILE writes the chart to a file and prints lines as usual` |
| the file of a chart is no file | `ln -s /dev/null heart.svg; blectl subscribe 'Heart Strap' 2a37 --count 1 -q --plot-svg heart.svg` | 1 | `cannot write heart.svg: it is not a regular file` |  |
| the disk is full | `blectl adapter >/dev/full` | 1 | `cannot write the output: No space left on device` |  |
| simulate cannot run its command | `blectl simulate -- nosuchcommand` | 1 | `cannot run nosuchcommand: No such file or directory` |  |
| the control socket already exists | `blectl simulate --control here.txt` | 1 | `cannot create the socket here.txt: there is a file already: remove it first` |  |
| serve cannot run its command | `blectl serve Piano -q -- nosuchcommand` | 1 | `cannot run nosuchcommand: No such file or directory` |  |

### Invalid command line

| situation | command | status | message | hint |
|---|---|---|---|---|
| an unknown command | `blectl scam` | 64 | `cannot run 'scam': no such command; did you mean scan?` | `blectl scan --help` |
| a command of another tool | `blectl remove Lamp` | 64 | `cannot run 'remove': no such command; 'unpair' lets BlueZ forget a device` | `blectl unpair --help` |
| a command by another name | `blectl ls` | 64 | `cannot run 'ls': no such command; 'devices' lists known devices, 'scan' shows those nearby` | `blectl devices` |
| a script with a mistake | `blectl run Lamp test.ble` | 64 | `cannot run test.ble:2:1: no such command 'raed'; did you mean read?` |  |
| a script with several mistakes | `blectl run Lamp test.ble` | 64 | `cannot run test.ble: it has 2 mistakes` · `test.ble:1:12: no variable 'X'; use set X VALUE, or --set X=VALUE` · `test.ble:2:1: 'repeat' without 'end'` |  |
| a variable that a script lacks | `blectl run Lamp test.ble --set LEVEL=1` | 64 | `cannot set LEVEL: test.ble has no such variable` |  |
| a record that exists | `blectl run 'Heart Strap' test.ble --record old.ndjson` | 64 | `cannot record to old.ndjson: it exists` | `give --record another name` |
| a world without an equals sign | `blectl scan --simulate world.json` | 64 | `cannot run 'scan': --simulate takes its world after '=': --simulate=world.json` | `blectl scan --help` |
| an unknown option | `blectl devices --conected` | 64 | `cannot run 'devices': unknown option '--conected'; did you mean --connected?` | `blectl devices --help` |
| an option before the command | `blectl -i hci1 scan` | 64 | `cannot run blectl: the command comes first, then its options` | `blectl scan -i hci1` |
| an option without its value | `blectl scan --name` | 64 | `cannot run 'scan': missing value for '--name <pattern>'` | `blectl scan --help` |
| a missing argument | `blectl read Piano` | 64 | `cannot run 'read': missing expected argument '<characteristics> ...'` | `blectl read --help` |
| an extra argument | `blectl scan Piano` | 64 | `cannot run 'scan': unexpected argument 'Piano'` | `blectl scan --help` |
| options that cannot be used together | `blectl devices --simulate --bus unix:path=/run/bus` | 64 | `cannot run 'devices': --simulate and --bus cannot be used together` | `blectl devices --help` |
| an invalid UUID | `blectl read Piano 2a1` | 64 | `cannot run 'read': '2a1' is not a UUID or the name of a characteristic` | `blectl read --help` |
| a misspelt characteristic | `blectl read Piano battery-levle` | 64 | `cannot run 'read': 'battery-levle' is not a UUID or the name of a characteristic; did you mean battery-level?` | `blectl read --help` |
| an invalid handle | `blectl read Piano @xyz` | 64 | `cannot run 'read': '@xyz' is not a handle; use @ and up to four hexadecimal digits, such as @002a` | `blectl read --help` |
| text without a format | `blectl write Piano ffe3 hi` | 64 | `cannot run 'write': 'hi' is not hexadecimal; for text use utf8:hi` | `blectl write --help` |
| an odd number of hexadecimal digits | `blectl write Piano ffe3 f03` | 64 | `cannot run 'write': 'f03' has an odd number of hexadecimal digits` | `blectl write --help` |
| a value out of range | `blectl write Piano ffe3 u8:300` | 64 | `cannot run 'write': '300' does not fit u8, which holds 0 to 255` | `blectl write --help` |
| an unknown format | `blectl read Piano 2a19 --as utf9` | 64 | `cannot run 'read': --as: 'utf9' is not a format; did you mean utf8?` | `blectl read --help` |
| a text for a characteristic of unknown meaning | `blectl write Piano ffe3 auto:high` | 64 | `cannot encode the value: 'high' needs a characteristic whose fields are known, and those of ffe3 are not` | `blectl help formats` |
| a value that is too long | `blectl write Piano ffe3 @long.bin` | 64 | `cannot read long.bin: it is longer than the limit of 512 bytes` | `blectl send DEVICE CHAR FILE, which divides it` |
| send: an offset that does not fit its format | `blectl send Piano ffe3 long.bin --offset-format u8` | 64 | `cannot send long.bin: '512' does not fit u8, which holds 0 to 255` | `--offset-format u32` |
| send: a checksum without its kind | `blectl send Piano ffe3 a.bin --checksum-to ffe3` | 64 | `cannot run 'send': --checksum-to needs --crc32 or --sha256` | `blectl send --help` |
| send: an option that an L2CAP channel does not have | `blectl send Board a.bin --psm 0x80 --resume` | 64 | `cannot run 'send': --psm cannot be used with --resume: nothing says how much has arrived before the whole file has` | `blectl send --help` |
| nothing to advertise | `blectl advertise --json` | 64 | `cannot run 'advertise': nothing to advertise; use --name, --service, --bthome or another option, or a world file` | `blectl advertise --help` |
| an advertisement that is too long | `blectl advertise --service 180d --manufacturer ffff:000102030405060708090a0b0c0d0e0f101112131415161718` | 64 | `cannot run 'advertise': the advertisement has 33 bytes, and 31 fit: services of 16 bits 4, manufacturer data ffff 29` | `blectl advertise --help` |
| a name that is too long | `blectl advertise --name 'Thermometer in the green house'` | 64 | `cannot run 'advertise': the name has 30 bytes, and 29 fit` | `blectl advertise --help` |
| data of one company twice | `blectl advertise --manufacturer ffff:01 --manufacturer ffff:02` | 64 | `cannot run 'advertise': 'ffff' has manufacturer data twice; an advertisement can hold only one` | `blectl advertise --help` |
| an iBeacon with a number out of range | `blectl advertise --ibeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0,70000,1` | 64 | `cannot run 'advertise': --ibeacon: '70000' is not a major number; use 0 to 65535` | `blectl advertise --help` |
| a web address without a scheme | `blectl advertise --eddystone-url example.com` | 64 | `cannot run 'advertise': --eddystone-url: 'example.com' does not begin with http:// or https://` | `blectl advertise --help` |
| a web address that is too long | `blectl advertise --eddystone-url https://example.com/a-long-page` | 64 | `cannot run 'advertise': --eddystone-url: 'https://example.com/a-long-page' is too long: compressed it has 19 bytes, and 17 fit` | `blectl advertise --help` |
| a misspelt measurement | `blectl advertise --bthome temprature=21` | 64 | `cannot run 'advertise': --bthome: 'temprature' is not a measurement, state or event of BTHome; did you mean temperature?` | `blectl advertise --help` |
| a measurement out of range | `blectl advertise --bthome battery=300` | 64 | `cannot run 'advertise': --bthome: '300' is out of range: 0 to 100 (battery_percent)` | `blectl advertise --help` |
| an invalid duration | `blectl scan --duration soon` | 64 | `cannot run 'scan': --duration: 'soon' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit` | `blectl scan --help` |
| an invalid address | `blectl scan --address 12:34` | 64 | `cannot run 'scan': --address: '12:34' is not a Bluetooth address` | `blectl scan --help` |
| a missing file of values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values.txt: No such file or directory` |  |
| an invalid line in a file of values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read line 2 of values.txt: 'f0 3' has an odd number of hexadecimal digits` |  |
| a file without values | `blectl write Piano ffe3 --from values.txt` | 64 | `cannot read values from values.txt: it contains none` |  |
| a log of an unknown kind | `blectl subscribe Piano ffe2 --log heart.txt` | 64 | `cannot run 'subscribe': --log: 'heart.txt' does not end in .ndjson, .jsonl, .csv, .sqlite or .db, and is no influx:FILE or mqtt://HOST/TOPIC` | `blectl subscribe --help` |
| a password in the URL of a broker | `blectl subscribe Piano ffe2 --log mqtt://anna:secret@attic/ble` | 64 | `cannot run 'subscribe': --log: 'mqtt://…@attic/ble' has a password, which other users can see; put it into BLECTL_MQTT_PASSWORD or a file that BLECTL_MQTT_PASSWORD_FILE names` | `blectl subscribe --help` |
| a broker without a topic | `blectl subscribe Piano ffe2 --log mqtt://attic` | 64 | `cannot run 'subscribe': --log: 'mqtt://attic' names no topic; write mqtt://HOST/TOPIC` | `blectl subscribe --help` |
| a log without room for all records | `blectl scan --log devices.csv` | 64 | `cannot run 'scan': --log: 'devices.csv' can store only values; use .ndjson or mqtt://HOST/TOPIC` | `blectl scan --help` |
| an option of Bluetooth, where there is none | `blectl uuid heart-rate -i hci1` | 64 | `cannot run 'uuid': --adapter has no meaning here: 'uuid' does not use Bluetooth` | `blectl uuid --help` |
| Home Assistant without a broker | `blectl subscribe Piano ffe2 --home-assistant --log heart.csv` | 64 | `cannot run 'subscribe': --home-assistant needs --log mqtt://HOST/TOPIC` | `blectl subscribe --help` |
| commands without a broker | `blectl subscribe Piano ffe2 --mqtt-control ffe3 --log heart.csv` | 64 | `cannot run 'subscribe': --mqtt-control needs --log mqtt://HOST/TOPIC` | `blectl subscribe --help` |
| two outputs in one place | `blectl subscribe Piano ffe2 --log influx:- --json` | 64 | `cannot run 'subscribe': --log influx:- and --json cannot be used together` | `blectl subscribe --help` |
| serial: an option of the terminal in a pipe | `blectl serial Piano --line </dev/null` | 64 | `cannot use --line: standard input or output is not a terminal` |  |
| serve: a missing world file | `blectl serve lamp.json` | 64 | `cannot serve: lamp.json: No such file or directory` |  |
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
| the reader of a pipe exits | `blectl subscribe 'Heart Strap' 2a37 -q \| head -1` | 141 |  |  |
"""#

  static let formats = #"""
# Formats of values

A FORMAT defines how bytes are written as text. Use it with `--as` to print values, and before the colon of a VALUE to type
them.

| format | bytes as text |
|---|---|
| `auto` | the known meaning of the characteristic; `hex` if it has none. The default on a terminal |
| `hex` | hexadecimal digits, two per byte. The default in a pipe |
| `utf8` | text |
| `base64` | Base64 (RFC 4648) |
| `raw` | the bytes themselves |
| `u8` `i8` | integers of one byte, unsigned and signed |
| `u16` `i16` `u24` `i24` `u32` `i32` `u64` `i64` | integers of 16 to 64 bits, little-endian, as in Bluetooth |
| `u16be` `i16be` `u24be` `i24be` `u32be` `i32be` `u64be` `i64be` | the same, big-endian |
| `f32` `f64` `f32be` `f64be` | IEEE 754 floating-point numbers |
| `sfloat` `float` | IEEE 11073 floating-point numbers of 16 and 32 bits, which medical devices use |

If a value contains several numbers, they are separated by spaces.

```sh
blectl read 'MI Band 2' 2a28 --as utf8 --simulate
blectl read Thermometer 2a6e --as i16 --simulate
blectl subscribe 'Heart Strap' 2a37 --as hex --count 2 --simulate
```

Where nothing is known of a characteristic, the numbers or the text of a FORMAT are its field `value`: in the `decoded` of
[JSON](json.md#decoded-values), in logs and at brokers.

## Layouts

`--as` also takes a layout: the fields of a value in the order of its bytes, with blanks or commas between them. Its fields
reach every output: text, JSON, CSV, SQLite, InfluxDB, MQTT, Home Assistant and charts.

```sh
blectl read Thermometer 2a6e --as 'temperature=i16*0.01°C' --simulate
blectl subscribe 'Heart Strap' 2a37 --as 'flags=u8 rate=u8/min' --count 2 --json --simulate
```

A field is `NAME=FORMAT[COUNT]*SCALE/DIVISOR+OFFSET` with its UNIT directly behind it; only FORMAT is needed. A field without a
name is `value`, or one of `value_1`, `value_2` … [Profiles](profiles.md#layouts) describes all parts. In a profile, the same
layout belongs to a characteristic, which then needs no `--as`.

The unit stands at the end of the key, as in standard characteristics: `temperature=i16*0.01°C` is `temperature_celsius` in
JSON. `expect`, `write`, `--when` and `--change` take the name without it, too, also of standard characteristics and of what
devices advertise: `temperature`. A name that may mean several fields, such as `battery` for `battery_percent` and `battery_mv`, is
an error that lists them.

## VALUE

A VALUE is what `write` sends and `decode` explains:

| VALUE | bytes |
|---|---|
| `f03d3d0002f7`, `0xf03d`, `f0:3d`, `'f0 3d'` | hexadecimal digits; `0x`, colons and spaces are optional |
| `FORMAT:TEXT` | a text in that format: `u16:1000`, `i8:-5`, `utf8:hello`, `f32:1.5`, `base64:8D0=` |
| `auto:TEXT` | the known meaning: `auto:high`, `auto:now` |
| `FIELD=TEXT …` | the fields of a characteristic: `heart_rate_bpm=79`, `rate=100 mode=fast`; side by side, they are one value. A text goes on up to the next `FIELD=`, or stands in quotes: `'name="he said b=2" rate=100'`, in which `\"` is a quote and `\\` a backslash |
| `hex:` | no bytes |
| `-` | standard input, unchanged |
| `@FILE` | a file, unchanged |

Several VALUEs are concatenated: `u8:2 u16:1000` is `02e803`. A number that is out of range or an odd number of digits is an
error with status 64; nothing is sent.

```sh
blectl write Piano ffe3 f03d3d0002f7 --reply ffe2 --simulate
blectl write 'MI Band 2' fed3 utf8:hello --simulate
blectl decode 2a06 auto:high --json
```

## Other words

| word | what to type |
|---|---|
| DEVICE | an address (`F0:F1:F2:F3:F4:F5`), a name (`Piano`), a pattern (`'MI Band*'`), or a part of a name that matches only one device |
| CHAR | a UUID (`2a37`) or its name (`heart-rate-measurement`); `SERVICE/CHAR` if two services contain it; `@000b`, a handle that `services` prints |
| UUID | 4, 8 or 32 hexadecimal digits, or a Bluetooth SIG name; `blectl uuid heart-rate` looks one up |
| DURATION | `500ms`, `10s`, `2m`, `1h`, `1d`, or a plain number of seconds; `0` means no limit |
| SIZE | `16M`, `100K`, `1G`, or a plain number of bytes |
"""#

  static let values = #"""
# Characteristics that are decoded

`blectl decode`, `read`, `subscribe`, `services --read` and the library's `ValueLayout` decode the characteristics and
descriptors in the table. `blectl decode UUID VALUE` decodes one without Bluetooth:

```sh
blectl decode 2a37 104fe803                   # 79 bpm, RR 0.977 s
blectl decode heart-rate-measurement 104fe803 --json
blectl decode --from values.txt               # one UUID and VALUE per line
blectl decode fcd2 40016402ca09               # data of a service in an advertisement
blectl decode 0499 0512fc5394c37c0004fffc040cac364200cdcbb8334c884f    # data of a company
```

- **Units** are at the end of a key: `temperature_celsius`, `rr_intervals_ms`.
- **Numbers** keep their digits: `36.60` stays `36.60`, and two hundredths are `0.02`, never `0.020000000000000004`. If the
  unit is a binary fraction, such as 1/1024 s, the number is rounded to as many decimals as distinguish any two values.
- **Special values** are a word instead of a number: `"unknown"`, `"invalid"`, `"65534 or more"`; for IEEE 11073 numbers
  `"NaN"`, `"NRes"`, `"+INF"`, `"-INF"`, `"reserved"`.
- **States** are names, such as `"chest"`; a state without a meaning is `"reserved 7"`. One that should be yes or no and is
  neither is absent, and `problem` names it. Bit fields are a list of the names of the bits that are set.
- **Dates** are `2026-11-21T05:06:07`, in the time zone of the sender. Unknown parts are zeros.
- **Missing fields** are absent. Bytes after the last field are in `rest`, in hex digits. `problem` reports what is missing,
  out of range or reserved, and everything before it is decoded: `{"rest":"e8","problem":"1 byte missing for heart_rate_bpm"}`.
- **Resistance levels** of fitness machines have one byte, in steps of ten, or two bytes in version 1.0 of the service. The
  length of the whole value decides: the layout that leaves fewer bytes over is the right one.
- **Other characteristics** are decoded if they have a Presentation Format descriptor and `services --read` has read it:
  `{"value":21.50,"unit":"°C"}`.

## Writing

`auto:TEXT` encodes a value of a standard characteristic, for `write`, `write --from` and `decode`:

```sh
blectl write Tag alert-level auto:high
blectl write Clock current-time auto:now
blectl write Strap 2a39 auto:reset-energy-expended
blectl decode 2a37 'auto:heart_rate_bpm=79 rr_intervals_ms=830,812' --json    # the bytes, and their meaning
```

If the characteristic has only one key, write the value alone. Otherwise write `KEY=VALUE`, separated by spaces, with commas within
lists. `now` is the time of this machine in its time zone. Flags at the start of a value are set from the keys that you give. Case
does not matter in names, and `-` or `_` can replace spaces. Numbers are rounded to what the value can hold.

## The table

The layouts follow the GATT Specification Supplement, in the section of the same name. `source` names any other
specification. ✎ means that clients may write the value.

| UUID | name | keys | source |
|---|---|---|---|
| 2900 | Characteristic Extended Properties | `extended_properties` | Core Specification, Vol 3, Part G 3.3.3.1 |
| 2901 | Characteristic User Description ✎ | `user_description` | Core Specification, Vol 3, Part G 3.3.3.2 |
| 2902 | Client Characteristic Configuration ✎ | `configuration` | Core Specification, Vol 3, Part G 3.3.3.3 |
| 2903 | Server Characteristic Configuration ✎ | `configuration` | Core Specification, Vol 3, Part G 3.3.3.4 |
| 2904 | Characteristic Presentation Format | `format`, `exponent`, `unit`, `namespace`, `description` | Core Specification, Vol 3, Part G 3.3.3.5 |
| 2905 | Characteristic Aggregate Format | `handles` | Core Specification, Vol 3, Part G 3.3.3.6 |
| 2906 | Valid Range | `range` | Environmental Sensing Service 1.0.1, 3.1.2.6 |
| 2907 | External Report Reference | `external_report` | HID Service 1.0, 2.6.2 |
| 2908 | Report Reference | `report_id`, `report_type` | HID Service 1.0, 2.5.3 |
| 2909 | Number of Digitals | `number_of_digitals` | Automation IO Service 1.0, 3.1.2.1 |
| 290b | Environmental Sensing Configuration ✎ | `trigger_logic` | Environmental Sensing Service 1.0.1, 3.1.2.4 |
| 290c | Environmental Sensing Measurement | `flags`, `sampling_function`, `measurement_period_s` (s), `update_interval_s` (s), `application`, `uncertainty_percent` (%) | Environmental Sensing Service 1.0.1, 3.1.2.1 |
| 290d | Environmental Sensing Trigger Setting ✎ | `condition`, `operand` | Environmental Sensing Service 1.0.1, 3.1.2.3 |
| 2a00 | Device Name ✎ | `device_name` | Core Specification, Vol 3, Part C 12.1 |
| 2a01 | Appearance | `appearance` | Core Specification, Vol 3, Part C 12.2 |
| 2a04 | Peripheral Preferred Connection Parameters | `minimum_interval_ms` (ms), `maximum_interval_ms` (ms), `latency_events`, `supervision_timeout_ms` (ms) | Core Specification, Vol 3, Part C 12.3 |
| 2a05 | Service Changed | `first_handle`, `last_handle` | Core Specification, Vol 3, Part G 7.1 |
| 2a06 | Alert Level ✎ | `alert_level` |  |
| 2a07 | Tx Power Level | `tx_power_dbm` (dBm) |  |
| 2a08 | Date Time ✎ | `time` |  |
| 2a09 | Day of Week ✎ | `day_of_week` |  |
| 2a0a | Day Date Time ✎ | `time`, `day_of_week` |  |
| 2a0c | Exact Time 256 ✎ | `time`, `day_of_week`, `fractions_256` (/256 s) |  |
| 2a0d | DST Offset ✎ | `dst_offset` |  |
| 2a0e | Time Zone ✎ | `time_zone_minutes` (min) |  |
| 2a0f | Local Time Information ✎ | `time_zone_minutes` (min), `dst_offset` |  |
| 2a11 | Time with DST | `time`, `dst_offset` |  |
| 2a12 | Time Accuracy | `time_accuracy_s` (s) |  |
| 2a13 | Time Source | `time_source` |  |
| 2a14 | Reference Time Information | `time_source`, `time_accuracy_s` (s), `days_since_update`, `hours_since_update` |  |
| 2a16 | Time Update Control Point ✎ | `time_update_control_point` |  |
| 2a17 | Time Update State | `time_update_state`, `time_update_result` |  |
| 2a18 | Glucose Measurement | `context_follows`, `sequence_number`, `time`, `time_offset_minutes` (min), `glucose_mg_per_dl` (mg/dL), `glucose_mmol_per_l` (mmol/L), `sample_type`, `sample_location`, `sensor_status` |  |
| 2a19 | Battery Level | `battery_level_percent` (%) |  |
| 2a1c | Temperature Measurement | `temperature_celsius` (°C), `temperature_fahrenheit` (°F), `time`, `temperature_type` |  |
| 2a1d | Temperature Type | `temperature_type` |  |
| 2a1e | Intermediate Temperature | `temperature_celsius` (°C), `temperature_fahrenheit` (°F), `time`, `temperature_type` |  |
| 2a21 | Measurement Interval ✎ | `measurement_interval_s` (s) |  |
| 2a23 | System ID | `system_id` |  |
| 2a24 | Model Number String | `model_number` |  |
| 2a25 | Serial Number String | `serial_number` |  |
| 2a26 | Firmware Revision String | `firmware_revision` |  |
| 2a27 | Hardware Revision String | `hardware_revision` |  |
| 2a28 | Software Revision String | `software_revision` |  |
| 2a29 | Manufacturer Name String | `manufacturer_name` |  |
| 2a2a | IEEE 11073-20601 Regulatory Certification Data List | `regulatory_certification_data` |  |
| 2a2b | Current Time ✎ | `time`, `day_of_week`, `fractions_256` (/256 s), `adjust_reasons` |  |
| 2a2c | Magnetic Declination | `magnetic_declination_degrees` (°) |  |
| 2a31 | Scan Refresh | `scan_refresh` | Scan Parameters Service 1.0, 3.2 |
| 2a34 | Glucose Measurement Context | `sequence_number`, `extended_flags`, `carbohydrate`, `carbohydrate_g` (g), `meal`, `tester`, `health`, `exercise_duration_s` (s), `exercise_intensity_percent` (%), `medication`, `medication_mg` (mg), `medication_ml` (mL), `hba1c_percent` (%) |  |
| 2a35 | Blood Pressure Measurement | `systolic_mmhg` (mmHg), `diastolic_mmhg` (mmHg), `mean_arterial_pressure_mmhg` (mmHg), `systolic_kpa` (kPa), `diastolic_kpa` (kPa), `mean_arterial_pressure_kpa` (kPa), `time`, `pulse_rate_bpm` (bpm), `user_id`, `measurement_status`, `pulse_rate_range`, `improper_position` |  |
| 2a36 | Intermediate Cuff Pressure | `cuff_pressure_mmhg` (mmHg), `cuff_pressure_kpa` (kPa), `time`, `pulse_rate_bpm` (bpm), `user_id`, `measurement_status`, `pulse_rate_range`, `improper_position` |  |
| 2a37 | Heart Rate Measurement | `sensor_contact`, `heart_rate_bpm` (bpm), `energy_expended_kj` (kJ), `rr_intervals_ms` (ms) |  |
| 2a38 | Body Sensor Location | `body_sensor_location` |  |
| 2a39 | Heart Rate Control Point ✎ | `heart_rate_control_point` |  |
| 2a3f | Alert Status | `alert_status` |  |
| 2a40 | Ringer Control Point ✎ | `ringer_control_point` |  |
| 2a41 | Ringer Setting | `ringer_setting` |  |
| 2a42 | Alert Category ID Bit Mask | `categories` |  |
| 2a43 | Alert Category ID | `category` |  |
| 2a44 | Alert Notification Control Point ✎ | `command`, `category` |  |
| 2a45 | Unread Alert Status | `category`, `unread_count` |  |
| 2a46 | New Alert ✎ | `category`, `new_alerts`, `text` |  |
| 2a47 | Supported New Alert Category | `categories`, `further_categories` |  |
| 2a48 | Supported Unread Alert Category | `categories`, `further_categories` |  |
| 2a49 | Blood Pressure Feature | `blood_pressure_features` |  |
| 2a4a | HID Information | `hid_version`, `country_code`, `hid_flags` | HID Service 1.0, 2.10 |
| 2a4c | HID Control Point ✎ | `hid_control_point` | HID Service 1.0, 2.11 |
| 2a4e | Protocol Mode ✎ | `protocol_mode` | HID Service 1.0, 2.4 |
| 2a4f | Scan Interval Window ✎ | `scan_interval_ms` (ms), `scan_window_ms` (ms) | Scan Parameters Service 1.0, 3.1 |
| 2a50 | PnP ID | `vendor_id_source`, `vendor_id`, `product_id`, `product_version` |  |
| 2a51 | Glucose Feature | `glucose_features` |  |
| 2a53 | RSC Measurement | `movement`, `speed_m_per_s` (m/s), `cadence_per_minute` (/min), `stride_length_m` (m), `total_distance_m` (m) |  |
| 2a54 | RSC Feature | `rsc_features` |  |
| 2a5b | CSC Measurement | `wheel_revolutions`, `last_wheel_event_s` (s), `crank_revolutions`, `last_crank_event_s` (s) |  |
| 2a5c | CSC Feature | `csc_features` |  |
| 2a5d | Sensor Location | `sensor_location` |  |
| 2a5e | PLX Spot-Check Measurement | `clock_not_set`, `spo2_percent` (%), `pulse_rate_bpm` (bpm), `time`, `measurement_status`, `sensor_status`, `pulse_amplitude_index_percent` (%) | Pulse Oximeter Service 1.0.1, 3.2 |
| 2a5f | PLX Continuous Measurement | `spo2_percent` (%), `pulse_rate_bpm` (bpm), `spo2_fast_percent` (%), `pulse_rate_fast_bpm` (bpm), `spo2_slow_percent` (%), `pulse_rate_slow_bpm` (bpm), `measurement_status`, `sensor_status`, `pulse_amplitude_index_percent` (%) | Pulse Oximeter Service 1.0.1, 3.3 |
| 2a63 | Cycling Power Measurement | `pedal_balance_reference`, `torque_source`, `offset_compensation`, `power_w` (W), `pedal_power_balance_percent` (%), `accumulated_torque_nm` (Nm), `wheel_revolutions`, `last_wheel_event_s` (s), `crank_revolutions`, `last_crank_event_s` (s), `maximum_force_n` (N), `minimum_force_n` (N), `maximum_torque_nm` (Nm), `minimum_torque_nm` (Nm), `maximum_angle_degrees` (°), `minimum_angle_degrees` (°), `top_dead_spot_degrees` (°), `bottom_dead_spot_degrees` (°), `accumulated_energy_kj` (kJ) |  |
| 2a65 | Cycling Power Feature | `cycling_power_features`, `measurement_context`, `further_features`, `distributed_system` |  |
| 2a67 | Location and Speed | `position_status`, `speed_and_distance`, `elevation_source`, `heading_source`, `speed_m_per_s` (m/s), `total_distance_m` (m), `latitude_degrees` (°), `longitude_degrees` (°), `elevation_m` (m), `heading_degrees` (°), `rolling_time_s` (s), `utc_time` |  |
| 2a68 | Navigation | `position_status`, `heading_source`, `indicator`, `waypoint_reached`, `destination_reached`, `bearing_degrees` (°), `heading_degrees` (°), `remaining_distance_m` (m), `remaining_vertical_distance_m` (m), `estimated_time_of_arrival` |  |
| 2a69 | Position Quality | `position_status`, `beacons_in_solution`, `beacons_in_view`, `time_to_first_fix_s` (s), `horizontal_position_error_m` (m), `vertical_position_error_m` (m), `hdop`, `vdop` |  |
| 2a6a | LN Feature | `ln_features` |  |
| 2a6c | Elevation | `elevation_m` (m) |  |
| 2a6d | Pressure | `pressure_pa` (Pa) |  |
| 2a6e | Temperature | `temperature_celsius` (°C) |  |
| 2a6f | Humidity | `humidity_percent` (%) |  |
| 2a70 | True Wind Speed | `wind_speed_m_per_s` (m/s) |  |
| 2a71 | True Wind Direction | `wind_direction_degrees` (°) |  |
| 2a72 | Apparent Wind Speed | `apparent_wind_speed_m_per_s` (m/s) |  |
| 2a73 | Apparent Wind Direction | `apparent_wind_direction_degrees` (°) |  |
| 2a74 | Gust Factor | `gust_factor` |  |
| 2a75 | Pollen Concentration | `pollen_per_m3` (/m³) |  |
| 2a76 | UV Index | `uv_index` |  |
| 2a77 | Irradiance | `irradiance_w_per_m2` (W/m²) |  |
| 2a78 | Rainfall | `rainfall_m` (m) |  |
| 2a79 | Wind Chill | `wind_chill_celsius` (°C) |  |
| 2a7a | Heat Index | `heat_index_celsius` (°C) |  |
| 2a7b | Dew Point | `dew_point_celsius` (°C) |  |
| 2a7e | Aerobic Heart Rate Lower Limit ✎ | `aerobic_heart_rate_lower_limit_bpm` (bpm) |  |
| 2a7f | Aerobic Threshold ✎ | `aerobic_threshold_bpm` (bpm) |  |
| 2a80 | Age ✎ | `age_years` (years) |  |
| 2a81 | Anaerobic Heart Rate Lower Limit ✎ | `anaerobic_heart_rate_lower_limit_bpm` (bpm) |  |
| 2a82 | Anaerobic Heart Rate Upper Limit ✎ | `anaerobic_heart_rate_upper_limit_bpm` (bpm) |  |
| 2a83 | Anaerobic Threshold ✎ | `anaerobic_threshold_bpm` (bpm) |  |
| 2a84 | Aerobic Heart Rate Upper Limit ✎ | `aerobic_heart_rate_upper_limit_bpm` (bpm) |  |
| 2a85 | Date of Birth ✎ | `date_of_birth` |  |
| 2a86 | Date of Threshold Assessment ✎ | `date_of_threshold_assessment` |  |
| 2a87 | Email Address ✎ | `email_address` |  |
| 2a88 | Fat Burn Heart Rate Lower Limit ✎ | `fat_burn_heart_rate_lower_limit_bpm` (bpm) |  |
| 2a89 | Fat Burn Heart Rate Upper Limit ✎ | `fat_burn_heart_rate_upper_limit_bpm` (bpm) |  |
| 2a8a | First Name ✎ | `first_name` |  |
| 2a8b | Five Zone Heart Rate Limits ✎ | `very_light_light_limit_bpm` (bpm), `light_moderate_limit_bpm` (bpm), `moderate_hard_limit_bpm` (bpm), `hard_maximum_limit_bpm` (bpm) |  |
| 2a8c | Gender ✎ | `gender` |  |
| 2a8d | Heart Rate Max ✎ | `heart_rate_max_bpm` (bpm) |  |
| 2a8e | Height ✎ | `height_m` (m) |  |
| 2a8f | Hip Circumference ✎ | `hip_circumference_m` (m) |  |
| 2a90 | Last Name ✎ | `last_name` |  |
| 2a91 | Maximum Recommended Heart Rate ✎ | `maximum_recommended_heart_rate_bpm` (bpm) |  |
| 2a92 | Resting Heart Rate ✎ | `resting_heart_rate_bpm` (bpm) |  |
| 2a93 | Sport Type for Aerobic and Anaerobic Thresholds ✎ | `sport_type` |  |
| 2a94 | Three Zone Heart Rate Limits ✎ | `light_moderate_limit_bpm` (bpm), `moderate_hard_limit_bpm` (bpm) |  |
| 2a95 | Two Zone Heart Rate Limits ✎ | `fat_burn_fitness_limit_bpm` (bpm) |  |
| 2a96 | VO2 Max ✎ | `vo2_max_ml_per_kg_per_minute` (mL/kg/min) |  |
| 2a97 | Waist Circumference ✎ | `waist_circumference_m` (m) |  |
| 2a98 | Weight ✎ | `weight_kg` (kg) |  |
| 2a99 | Database Change Increment ✎ | `database_change_increment` |  |
| 2a9a | User Index | `user_index` |  |
| 2a9b | Body Composition Feature | `body_composition_features`, `weight_resolution`, `height_resolution` |  |
| 2a9c | Body Composition Measurement | `multiple_packets`, `body_fat_percent` (%), `time`, `user_id`, `basal_metabolism_kj` (kJ), `muscle_percent` (%), `muscle_mass_kg` (kg), `muscle_mass_lb` (lb), `fat_free_mass_kg` (kg), `fat_free_mass_lb` (lb), `soft_lean_mass_kg` (kg), `soft_lean_mass_lb` (lb), `body_water_mass_kg` (kg), `body_water_mass_lb` (lb), `impedance_ohm` (Ω), `weight_kg` (kg), `weight_lb` (lb), `height_m` (m), `height_in` (in) |  |
| 2a9d | Weight Measurement | `weight_kg` (kg), `weight_lb` (lb), `time`, `user_id`, `bmi_kg_per_m2` (kg/m²), `height_m` (m), `height_in` (in) |  |
| 2a9e | Weight Scale Feature | `weight_scale_features`, `weight_resolution`, `height_resolution` |  |
| 2aa0 | Magnetic Flux Density - 2D | `magnetic_flux_density_x_t` (T), `magnetic_flux_density_y_t` (T) |  |
| 2aa1 | Magnetic Flux Density - 3D | `magnetic_flux_density_x_t` (T), `magnetic_flux_density_y_t` (T), `magnetic_flux_density_z_t` (T) |  |
| 2aa2 | Language ✎ | `language` |  |
| 2aa3 | Barometric Pressure Trend | `pressure_trend` |  |
| 2aa6 | Central Address Resolution | `central_address_resolution` | Core Specification, Vol 3, Part C 12.4 |
| 2aae | Latitude | `latitude_degrees` (°) | Indoor Positioning Service 1.0, 3.2 |
| 2aaf | Longitude | `longitude_degrees` (°) | Indoor Positioning Service 1.0, 3.3 |
| 2abe | Object Name ✎ | `object_name` |  |
| 2abf | Object Type | `object_type` |  |
| 2ac1 | Object First-Created ✎ | `time` |  |
| 2ac2 | Object Last-Modified ✎ | `time` |  |
| 2ac3 | Object ID | `object_id` |  |
| 2ac9 | Resolvable Private Address Only | `resolvable_private_address_only` | Core Specification, Vol 3, Part C 12.5 |
| 2acc | Fitness Machine Feature | `fitness_machine_features`, `target_setting_features` | Fitness Machine Service 1.0, 4.3 |
| 2acd | Treadmill Data | `speed_km_per_h` (km/h), `average_speed_km_per_h` (km/h), `total_distance_m` (m), `inclination_percent` (%), `ramp_angle_degrees` (°), `positive_elevation_gain_m` (m), `negative_elevation_gain_m` (m), `pace_s_per_500m` (s/500 m), `average_pace_s_per_500m` (s/500 m), `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s), `force_on_belt_n` (N), `power_output_w` (W) |  |
| 2ace | Cross Trainer Data | `movement_direction`, `speed_km_per_h` (km/h), `average_speed_km_per_h` (km/h), `total_distance_m` (m), `step_rate_per_minute` (/min), `average_step_rate_per_minute` (/min), `stride_count`, `positive_elevation_gain_m` (m), `negative_elevation_gain_m` (m), `inclination_percent` (%), `ramp_angle_degrees` (°), `resistance_level`, `power_w` (W), `average_power_w` (W), `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s) |  |
| 2acf | Step Climber Data | `floors`, `step_count`, `step_rate_per_minute` (/min), `average_step_rate_per_minute` (/min), `positive_elevation_gain_m` (m), `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s) |  |
| 2ad0 | Stair Climber Data | `floors`, `step_rate_per_minute` (/min), `average_step_rate_per_minute` (/min), `positive_elevation_gain_m` (m), `stride_count`, `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s) |  |
| 2ad1 | Rower Data | `stroke_rate_per_minute` (/min), `stroke_count`, `average_stroke_rate_per_minute` (/min), `total_distance_m` (m), `pace_s_per_500m` (s/500 m), `average_pace_s_per_500m` (s/500 m), `power_w` (W), `average_power_w` (W), `resistance_level`, `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s) |  |
| 2ad2 | Indoor Bike Data | `speed_km_per_h` (km/h), `average_speed_km_per_h` (km/h), `cadence_rpm` (rpm), `average_cadence_rpm` (rpm), `total_distance_m` (m), `resistance_level`, `power_w` (W), `average_power_w` (W), `total_energy_kcal` (kcal), `energy_kcal_per_hour` (kcal/h), `energy_kcal_per_minute` (kcal/min), `heart_rate_bpm` (bpm), `metabolic_equivalent`, `elapsed_time_s` (s), `remaining_time_s` (s) |  |
| 2ad3 | Training Status | `extended_string`, `training_status`, `text` | Fitness Machine Service 1.0, 4.10 |
| 2ad4 | Supported Speed Range | `minimum_speed_km_per_h` (km/h), `maximum_speed_km_per_h` (km/h), `increment_speed_km_per_h` (km/h) |  |
| 2ad5 | Supported Inclination Range | `minimum_inclination_percent` (%), `maximum_inclination_percent` (%), `increment_inclination_percent` (%) |  |
| 2ad6 | Supported Resistance Level Range | `minimum_resistance_level`, `maximum_resistance_level`, `increment_resistance_level` |  |
| 2ad7 | Supported Heart Rate Range | `minimum_heart_rate_bpm` (bpm), `maximum_heart_rate_bpm` (bpm), `increment_heart_rate_bpm` (bpm) |  |
| 2ad8 | Supported Power Range | `minimum_power_w` (W), `maximum_power_w` (W), `increment_power_w` (W) |  |
| 2ae0 | Average Current | `current_a` (A), `sensing_duration_s` (s) |  |
| 2ae1 | Average Voltage | `voltage_v` (V), `sensing_duration_s` (s) |  |
| 2ae2 | Boolean ✎ | `value` |  |
| 2ae8 | Coefficient | `coefficient` |  |
| 2ae9 | Correlated Color Temperature | `color_temperature_k` (K) |  |
| 2aea | Count 16 | `count` |  |
| 2aeb | Count 24 | `count` |  |
| 2aec | Country Code | `country_code` |  |
| 2aed | Date UTC | `date` |  |
| 2aee | Electric Current | `current_a` (A) |  |
| 2aef | Electric Current Range | `minimum_current_a` (A), `maximum_current_a` (A) |  |
| 2af0 | Electric Current Specification | `minimum_current_a` (A), `typical_current_a` (A), `maximum_current_a` (A) |  |
| 2af1 | Electric Current Statistics | `average_current_a` (A), `standard_deviation_a` (A), `minimum_current_a` (A), `maximum_current_a` (A), `sensing_duration_s` (s) |  |
| 2af2 | Energy | `energy_kwh` (kWh) |  |
| 2af5 | Fixed String 16 ✎ | `text` |  |
| 2af6 | Fixed String 24 ✎ | `text` |  |
| 2af7 | Fixed String 36 ✎ | `text` |  |
| 2af8 | Fixed String 8 ✎ | `text` |  |
| 2af9 | Generic Level ✎ | `level` |  |
| 2afa | Global Trade Item Number | `gtin` |  |
| 2afb | Illuminance | `illuminance_lux` (lx) |  |
| 2afc | Luminous Efficacy | `luminous_efficacy_lm_per_w` (lm/W) |  |
| 2afd | Luminous Energy | `luminous_energy_lm_h` (lm·h) |  |
| 2afe | Luminous Exposure | `luminous_exposure_lux_h` (lx·h) |  |
| 2aff | Luminous Flux | `luminous_flux_lm` (lm) |  |
| 2b01 | Luminous Intensity | `luminous_intensity_cd` (cd) |  |
| 2b02 | Mass Flow | `mass_flow_g_per_s` (g/s) |  |
| 2b03 | Perceived Lightness | `perceived_lightness` |  |
| 2b04 | Percentage 8 | `percentage` (%) |  |
| 2b05 | Power | `power_w` (W) |  |
| 2b06 | Power Specification | `minimum_power_w` (W), `typical_power_w` (W), `maximum_power_w` (W) |  |
| 2b0d | Temperature 8 | `temperature_celsius` (°C) |  |
| 2b0e | Temperature 8 in a Period of Day | `temperature_celsius` (°C), `start_time_hours` (h), `end_time_hours` (h) |  |
| 2b0f | Temperature 8 Statistics | `average_celsius` (°C), `standard_deviation_celsius` (°C), `minimum_celsius` (°C), `maximum_celsius` (°C), `sensing_duration_s` (s) |  |
| 2b10 | Temperature Range | `minimum_celsius` (°C), `maximum_celsius` (°C) |  |
| 2b11 | Temperature Statistics | `average_celsius` (°C), `standard_deviation_celsius` (°C), `minimum_celsius` (°C), `maximum_celsius` (°C), `sensing_duration_s` (s) |  |
| 2b12 | Time Decihour 8 | `time_hours` (h) |  |
| 2b13 | Time Exponential 8 | `time_s` (s) |  |
| 2b14 | Time Hour 24 | `time_hours` (h) |  |
| 2b15 | Time Millisecond 24 | `time_s` (s) |  |
| 2b16 | Time Second 16 | `time_s` (s) |  |
| 2b17 | Time Second 8 | `time_s` (s) |  |
| 2b18 | Voltage | `voltage_v` (V) |  |
| 2b19 | Voltage Specification | `minimum_voltage_v` (V), `typical_voltage_v` (V), `maximum_voltage_v` (V) |  |
| 2b1a | Voltage Statistics | `average_voltage_v` (V), `standard_deviation_v` (V), `minimum_voltage_v` (V), `maximum_voltage_v` (V), `sensing_duration_s` (s) |  |
| 2b1b | Volume Flow | `volume_flow_l_per_s` (L/s) |  |
| 2b29 | Client Supported Features ✎ | `client_features` | Core Specification, Vol 3, Part G 7.2 |
| 2b2a | Database Hash | `database_hash` | Core Specification, Vol 3, Part G 7.3 |
| 2b3a | Server Supported Features | `server_features` | Core Specification, Vol 3, Part G 7.4 |
| 2b46 | Preferred Units ✎ | `units` |  |
| 2b47 | High Resolution Height ✎ | `height_m` (m) |  |
| 2b48 | Middle Name ✎ | `middle_name` |  |
| 2b49 | Stride Length ✎ | `stride_length_m` (m) |  |
| 2b4a | Handedness ✎ | `handedness` |  |
| 2b4c | Four Zone Heart Rate Limits ✎ | `light_moderate_limit_bpm` (bpm), `moderate_hard_limit_bpm` (bpm), `hard_maximum_limit_bpm` (bpm) |  |
| 2b4f | Sedentary Interval Notification ✎ | `sedentary_interval_s` (s) |  |
| 2b50 | Caloric Intake ✎ | `caloric_intake_kcal` (kcal) |  |
| 2b89 | Apparent Energy 32 | `apparent_energy_kvah` (kVAh) |  |
| 2b8a | Apparent Power | `apparent_power_va` (VA) |  |
| 2b8c | CO2 Concentration | `co2_ppm` (ppm) |  |
| 2b8d | Cosine of the Angle | `cosine` |  |
| 2ba8 | Energy 32 | `energy_kwh` (kWh) |  |
| 2bcf | Ammonia Concentration | `ammonia_kg_per_m3` (kg/m³) |  |
| 2bd0 | Carbon Monoxide Concentration | `carbon_monoxide_kg_per_m3` (kg/m³) |  |
| 2bd1 | Methane Concentration | `methane_ppb` (ppb) |  |
| 2bd2 | Nitrogen Dioxide Concentration | `nitrogen_dioxide_kg_per_m3` (kg/m³) |  |
| 2bd3 | Non-Methane Volatile Organic Compounds Concentration | `non_methane_voc_kg_per_m3` (kg/m³) |  |
| 2bd4 | Ozone Concentration | `ozone_kg_per_m3` (kg/m³) |  |
| 2bd5 | Particulate Matter - PM1 Concentration | `pm1_kg_per_m3` (kg/m³) |  |
| 2bd6 | Particulate Matter - PM2.5 Concentration | `pm2_5_kg_per_m3` (kg/m³) |  |
| 2bd7 | Particulate Matter - PM10 Concentration | `pm10_kg_per_m3` (kg/m³) |  |
| 2bd8 | Sulfur Dioxide Concentration | `sulfur_dioxide_kg_per_m3` (kg/m³) |  |
| 2bd9 | Sulfur Hexafluoride Concentration | `sulfur_hexafluoride_kg_per_m3` (kg/m³) |  |
| 2bde | Fixed String 64 ✎ | `text` |  |
| 2bdf | High Temperature | `temperature_celsius` (°C) |  |
| 2be0 | High Voltage | `voltage_v` (V) |  |
| 2be2 | Light Output | `light_output_lm` (lm) |  |
| 2be4 | Noise | `noise_db` (dB) |  |
| 2be6 | Time Second 32 | `time_s` (s) |  |
| 2be7 | VOC Concentration | `voc_ppb` (ppb) |  |
| 2be8 | Voltage Frequency | `frequency_hz` (Hz) |  |
| 2be9 | Battery Critical Status | `battery_critical_status` |  |
| 2bea | Battery Health Status | `health_percent` (%), `cycle_count`, `temperature_celsius` (°C), `deep_discharge_count` |  |
| 2bed | Battery Level Status | `battery_present`, `wired_power`, `wireless_power`, `charge_state`, `charge_level`, `charging_type`, `charging_faults`, `battery_identifier`, `battery_level_percent` (%), `service_required`, `battery_fault` |  |
| 2bee | Battery Time Status | `time_until_discharged_minutes` (min), `time_until_discharged_on_standby_minutes` (min), `time_until_recharged_minutes` (min) |  |
| 2bef | Estimated Service Date | `estimated_service_date` |  |
| 2bf0 | Battery Energy Status | `external_source_power_w` (W), `present_voltage_v` (V), `available_energy_kwh` (kWh), `available_battery_capacity_kwh` (kWh), `charge_rate_w` (W), `available_energy_at_last_charge_kwh` (kWh) |  |
| 2c06 | Acceleration | `acceleration_m_per_s2` (m/s²) |  |
| 2c07 | Force | `force_n` (N) |  |
| 2c08 | Linear Position | `position_m` (m) |  |
| 2c09 | Rotational Speed | `rotational_speed_rpm` (rpm) |  |
| 2c0a | Length | `length_m` (m) |  |
| 2c0b | Torque | `torque_nm` (Nm) |  |
| 2c1b | Humidity 8 | `humidity_percent` (%) |  |
| 2c1c | Illuminance 16 | `illuminance_lux` (lx) |  |
| 2c1f | Acceleration Detection Status | `acceleration_detected` |  |
| 2c20 | Door/Window Status | `status` |  |
"""#

  static let faults = #"""
# Faults of a simulation

The same commands work in three ways:

- **From the start**: a peripheral or a characteristic in a [world file](world.md) lists its `faults`.
- **At a certain time**: the file lists `events`.
- **At run time**: `blectl simulate --control PATH` accepts commands, `blectl serve --control PATH` [some of
  them](serving.md#changing-values).

A fault lasts until `heal` or its opposite, until the time in `for` has passed, or until it has happened `times` times.

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

`at` counts from the start of the simulation. `when` waits until a peripheral is connected, or until a number of reads and
writes has happened on a link, including those of bluetoothd itself. The event happens once, or every time with
`"repeat": true`. `faults` can contain only lasting faults from the first two tables below, without `device`, `service`,
`characteristic` and `for`.

## At run time

```
blectl simulate --control /tmp/ble.control &
echo '{"do":"drop-link","device":"F0:F1:F2:F3:F4:F5"}' | nc -U -q1 /tmp/ble.control
{"ok":true}
```

The socket is a Unix stream socket with mode 0600; the command removes it at the end, and fails if a file with this name
exists. Any number of clients can send one JSON object per line, of at most 65,535 bytes. Each gets answers in order, one
line each: `{"ok":true}`, or `{"ok":false,"error":"…","pointer":"/device"}`. The pointer (RFC 6901) names the wrong part of
the command; it is empty for the whole command.

With `-- COMMAND`, the environment variable `BLECTL_SIMULATE_CONTROL` contains the path. `--control -` reads commands from
stdin, and writes answers to stdout after the address of the bus. The simulation then ends with stdin.

`{"do":"state"}` returns the current state:

```json
{"ok":true,"daemon":"running","adapters":[{"name":"hci0","address":"00:1A:7D:DA:71:13","powered":true,"blocked":false,"discovering":false}],"peripherals":[{"address":"F0:F1:F2:F3:F4:F5","name":"Heart Strap","present":true,"connected":true,"subscribed":["00002a37-0000-1000-8000-00805f9b34fb"],"bonds":0}]}
```

`daemon` is `running`, `frozen` or `stopped`. `subscribed` lists the characteristics with notifications or indications
enabled. `bonds` is the number of bonds of the peripheral, and `passkey` the six digits that it shows, if any.

## Peripherals

Each command needs a `device`. Those marked • accept `for`, after which they are undone. `times` limits how often a fault
happens.

| `do` | effect | example |
|---|---|---|
| `drop-link` | the peripheral closes its link | `{"do":"drop-link","device":"F0:F1:F2:F3:F4:F5"}` |
| `vanish` • | it moves out of range: its link breaks, and it is not heard | `{"do":"vanish","device":"F0:F1:F2:F3:F4:F5","for":"10s"}` |
| `appear` • | it moves into range | `{"do":"appear","device":"F0:F1:F2:F3:F4:F5"}` |
| `change-address` | it sends another resolvable private address from its next advertisement on; without one, its own. bluetoothd takes it for another device, unless it is paired | `{"do":"change-address","device":"F0:F1:F2:F3:F4:F5","private_address":"5B:A2:11:7C:40:1D"}` |
| `set-rssi` | its signal strength changes, in dBm | `{"do":"set-rssi","device":"F0:F1:F2:F3:F4:F5","rssi":-90}` |
| `forget-bonds` | it loses its bonds; its link stays | `{"do":"forget-bonds","device":"F0:F1:F2:F3:F4:F5"}` |
| `type-passkey` | its user types a passkey: at once if it waits for one, otherwise when it next asks | `{"do":"type-passkey","device":"F0:F1:F2:F3:F4:F5","passkey":"042017"}` |
| `ask-security` | it asks for an encrypted link, so that the daemon pairs | `{"do":"ask-security","device":"F0:F1:F2:F3:F4:F5"}` |
| `repeat-device` | the daemon signals all properties of the device again, although none has changed; for an unknown device, it signals an RSSI | `{"do":"repeat-device","device":"F0:F1:F2:F3:F4:F5"}` |
| `refuse-connect` • | connection attempts fail; the default error is `org.bluez.Error.Failed`, `le-connection-abort-by-local` | `{"do":"refuse-connect","device":"F0:F1:F2:F3:F4:F5","times":2,"error":"Failed","text":"le-connection-refused"}` |
| `hang-connect` • | connection attempts hang until the daemon gives up after 40 s; other attempts wait for the first 4 s | `{"do":"hang-connect","device":"F0:F1:F2:F3:F4:F5","times":1}` |
| `hide-connected` • | the daemon does not signal that it is connected, as a busy bluetoothd does now and then; it says so when it is asked | `{"do":"hide-connected","device":"F0:F1:F2:F3:F4:F5","times":1}` |
| `drop-after-operations` • | it closes each link after this number of reads and writes; 0 means never | `{"do":"drop-after-operations","device":"F0:F1:F2:F3:F4:F5","operations":10}` |
| `drop-after-time` • | it closes each link after this time; `0s` means never | `{"do":"drop-after-time","device":"F0:F1:F2:F3:F4:F5","time":"3s"}` |
| `slow-link` • | each packet of its links takes this time, one packet at a time in each direction; `0s` means no time | `{"do":"slow-link","device":"F0:F1:F2:F3:F4:F5","packet_time":"30ms"}` |
| `delay-services` • | service discovery takes longer | `{"do":"delay-services","device":"F0:F1:F2:F3:F4:F5","by":"5s"}` |
| `order-services` • | `ServicesResolved` arrives before the objects (`resolved_first`), or this much earlier (`objects_late`) | `{"do":"order-services","device":"F0:F1:F2:F3:F4:F5","order":"objects_late","by":"300ms"}` |
| `move-attributes` • | its firmware was changed: its characteristics have other handles, within the same services; the daemon does not notice, and uses those that it has cached; 0 moves them back | `{"do":"move-attributes","device":"F0:F1:F2:F3:F4:F5","by":8}` |
| `lose-adverts` • | it is not heard, and cannot be connected to; an existing link stays | `{"do":"lose-adverts","device":"F0:F1:F2:F3:F4:F5","for":"5s"}` |
| `lose-names` • | it is heard without its name | `{"do":"lose-names","device":"F0:F1:F2:F3:F4:F5","times":3}` |
| `heal` | ends all lasting faults, including those of its characteristics | `{"do":"heal","device":"F0:F1:F2:F3:F4:F5"}` |

## Characteristics

Each command needs a `device` and a `characteristic`, the first one with this UUID, in the `service` if you give one.
`operation` is `read`, `write` or `subscribe` (writing the client configuration); the default is all of them.

| `do` | effect | example |
|---|---|---|
| `set-value` | its value changes, and is notified to subscribers | `{"do":"set-value","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37","value":"0048"}` |
| `slow-answer` • | requests are answered later | `{"do":"slow-answer","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a38","by":"2s"}` |
| `no-answer` • | requests are never answered: after 30 s, the daemon closes the link | `{"do":"no-answer","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a38","times":1}` |
| `att-error` • | requests fail with an ATT error | `{"do":"att-error","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a39","code":"0x80","operation":"write"}` |
| `heal-characteristic` | requests are answered normally again | `{"do":"heal-characteristic","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a39"}` |
| `repeat-characteristic` | the daemon signals all its properties again | `{"do":"repeat-characteristic","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |

## Adapters

Each command accepts an `adapter`; the default is `hci0`.

| `do` | effect | example |
|---|---|---|
| `adapter-off` • | another program switches it off | `{"do":"adapter-off","for":"2s"}` |
| `adapter-on` • | another program switches it on | `{"do":"adapter-on"}` |
| `remove-adapter` • | it is unplugged | `{"do":"remove-adapter","adapter":"hci0","for":"5s"}` |
| `add-adapter` • | it is plugged in again unchanged, or a new one is added | `{"do":"add-adapter","adapter":"hci1"}` |
| `block-adapter` • | rfkill blocks the radio | `{"do":"block-adapter"}` |
| `unblock-adapter` • | rfkill unblocks the radio; the adapter stays off | `{"do":"unblock-adapter"}` |
| `silence-adapter` • | it hears nothing, although the daemon says that it scans, until its next discovery (`"until": "restart"`), until it was switched off and on (`power`), or until it was unplugged (`reset`) | `{"do":"silence-adapter","until":"power"}` |
| `ignore-connects` • | all attempts to connect hang, until the same; the default is `power` | `{"do":"ignore-connects"}` |
| `heal-adapter` | both end | `{"do":"heal-adapter"}` |
| `release-monitors` | the daemon ends all passive scans | `{"do":"release-monitors"}` |
| `repeat-adapter` | the daemon signals all properties of the adapter again | `{"do":"repeat-adapter"}` |

## The daemon

| `do` | effect | example |
|---|---|---|
| `kill-daemon` • | it dies without a signal: `org.bluez` has no owner | `{"do":"kill-daemon","for":"2s"}` |
| `stop-daemon` • | it stops cleanly and removes every object; with `for`, it restarts | `{"do":"stop-daemon","for":"2s"}` |
| `start-daemon` • | it starts again, with its stored data | `{"do":"start-daemon"}` |
| `freeze-daemon` • | it hangs: it neither answers nor signals | `{"do":"freeze-daemon","for":"5s"}` |
| `thaw-daemon` • | it continues where it hung | `{"do":"thaw-daemon"}` |
| `kill-bus` • | the bus dies, and the daemon with it; every program loses its connection | `{"do":"kill-bus","for":"2s"}` |
| `start-bus` • | the bus starts again at its address, and the daemon with it | `{"do":"start-bus"}` |
| `fail-call` • | calls of a method fail, on all objects or on those of a `device`; the default error is `InProgress` | `{"do":"fail-call","method":"StartDiscovery","times":1}` |
| `double-signals` • | each signal is sent twice | `{"do":"double-signals","times":100}` |

## Another program on the bus

This program is a normal client with its own connection. `other-leave` ends everything that it does. It can subscribe only to
characteristics of a connected device.

| `do` | effect | example |
|---|---|---|
| `other-scan` • | it scans; the daemon merges its filter with ours: `services`, `rssi`, `pattern`, `duplicates` | `{"do":"other-scan","rssi":-60}` |
| `other-stop-scan` | it stops its scan | `{"do":"other-stop-scan"}` |
| `other-subscribe` • | it subscribes (`StartNotify`): each notification is signalled twice | `{"do":"other-subscribe","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-hold` • | it acquires the notifications (`AcquireNotify`): no other program receives them | `{"do":"other-hold","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-release` | it ends its subscription, or releases what it acquired | `{"do":"other-release","device":"F0:F1:F2:F3:F4:F5","characteristic":"2a37"}` |
| `other-agent` • | it registers an agent, which agrees to every pairing that needs no number | `{"do":"other-agent"}` |
| `other-no-agent` | it unregisters the agent | `{"do":"other-no-agent"}` |
| `other-leave` | it leaves the bus | `{"do":"other-leave"}` |
"""#

  static let world = #"""
# World files

A world file is a JSON file that defines the adapters of a simulated BlueZ, and the peripherals in range.

```sh
blectl scan --simulate=world.json                # works with every command; the "=" is required
blectl simulate world.json -- python3 yours.py   # any BlueZ client
blectl serve world.json                          # be a device of the file
blectl snapshot 'MI Band 2' > band.json          # record a real (or simulated) device as a world file
```

The smallest device that you can connect to:

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

[example-world.json](example-world.json) shows most features, with comments. [world.schema.json](world.schema.json) is a JSON
Schema (draft 2020-12) with every key, its range and its default; this page describes only what a schema cannot. Editors use
it with `"$schema": "world.schema.json"` at the top.

Errors end the command with status 64. It lists up to twenty, each with line and column, JSON pointer, and what was expected:

```console
$ blectl scan --simulate=world.json
blectl: cannot simulate: world.json:12:18: /peripherals/0/rssi: expected an integer from -127 to 20, found "loud"
```

`"bluez": "5.82"` or `"bluez": "5.87"` imitates [that version](bluez-versions.md) instead of 5.66. `snapshot` writes 5.82
where BlueZ listed services that 5.66 hides.

Unknown keys are errors. Every object can contain a `comment`.

## Notation

- **Values** are [those of `blectl write`](formats.md#value): hex digits (`"0157"`, `"f0 3d"`), or `FORMAT:TEXT`
  (`"utf8:hello"`, `"u16:1000"`).
- **UUIDs**: `"180d"`, `"0x180d"`, all 32 digits with or without dashes, a Bluetooth SIG name (`"heart-rate"`,
  `"Battery Level"`), or a name of your [profiles](profiles.md). **Addresses**: six pairs of digits with `:` or `-`. **ATT
  errors**: `"0x85"`.
- **Durations** have a unit: `"500us"`, `"200ms"`, `"1.5s"`, `"2m"`, `"1h"`.

## Peripherals

`name`, `rssi` and `rssi_drift` are next to `address`. `rssi_drift` is a repeating wave around `rssi`. `advertisement`
contains the other advertised data, and `scan_response` lists what only an active scan receives. `appears_after` and
`vanishes_after` count from the start of the simulation; a peripheral that vanishes first is present at the start.

Every peripheral has the service Generic Access (1800: name and appearance), which BlueZ hides. With `generic_attribute`, it
also has Generic Attribute (1801). Your own versions of these services replace them.

**Handles** count from 1 in the order of the file. `handle` sets the handle of a service or characteristic declaration, as
`blectl services` prints it, and the count continues from there. The value of a characteristic has the next handle. A
characteristic that notifies gets a client configuration (2902) as its last descriptor. List it to set its handle.

**Included services** are named by UUID, or by a fixed handle. `"primary": false` makes a service secondary.

**Limits**: `mtu` is the ATT MTU that the device accepts. A write of more than `max_length` bytes fails with ATT 0x0d. An
attribute with `security` fails on a link that is not secure enough: `"encrypted"` with ATT 0x0f; `"authenticated"` (by
passkey or comparison) and `"secure-connections"` (also by LE Secure Connections) with 0x05. The simulated bluetoothd then
pairs, if a client has registered an agent, and repeats the request.

**L2CAP channels** serve `--psm` of `blectl serial`, `send` and `receive`. `"channels": [{"psm": 128}]` offers one that sends
back what it gets. With `"does": "hold"`, it takes nothing; with `"does": {"close_after": 1000}`, it closes after 1000 bytes.
`serve` leaves them out.

**Pairing** is "Just Works" by default. `pairing` describes what the device and its user do:

| `pairing` | meaning |
|---|---|
| `"capability"` | `"none"` (default), `"display-only"`, `"display-yes-no"`, `"keyboard-only"`, `"keyboard-display"` |
| `"secure_connections": false` | legacy pairing only |
| `"mitm"` | protection against a man in the middle: `"none"` (default), `"wanted"`, or `"required"`, which refuses Just Works |
| `"request"` | a request to pair: `"accept"` (default), `"refuse"`, or `"ignore"`, which lets it time out after 30 s |
| `"passkey": "042017"` | the passkey that it shows; without it, a random one each time |
| `"confirms": false` | its user refuses each number to compare |
| `"types"` | the passkey that its user types: `"right"` (default), `"wrong"`, or `"never"`, which leaves it to the command `type-passkey` |

Bonds last until the simulation ends, or until `forget-bonds`.
`{"capability": "display-only", "mitm": "wanted", "passkey": "042017"}` is a lock with its passkey printed on it.

**Privacy**: a peripheral with a `private_address` sends this address instead of its own. A bond tells bluetoothd its own
address: `Address` and `AddressType` of the device then change, and its object path stays, until bluetoothd starts again.
Commands and events use its own `address`.

**Links** take no time by default. With `"link": {"packet_time": "30ms"}`, each packet takes 30 ms, and each direction sends
one packet at a time. With `"packets": 7` as well, each direction sends up to seven packets every 30 ms: the packet time is
then the connection interval. bluetoothd acknowledges a write without response before it sends it; if the link ends in
between, the write is lost.

## Behaviour

| `on_read` | effect |
|---|---|
| `"value"` | returns the value (default) |
| `{"delay": "1s"}` | returns it after a delay |
| `"stall"` | does not answer |
| `{"error": "0x85"}` | fails |
| a generator, without `every` | returns its next value, which becomes the value |

| `on_write` | effect |
|---|---|
| `"store"` | stores the value (default) |
| `"discard"` | accepts and discards it |
| `{"error": "0x85"}`, `"stall"` | fails, does not answer |
| `"hang_up"` | accepts it, then closes the link |
| `{"echo": UUID}` | another characteristic notifies the value; one in the same service is preferred |
| `{"burst": UUID}` | takes a 16-bit number N; another characteristic notifies N numbered values |
| `{"answers": [{"request": "f03d3d??02f7", "response": "9f54??", "from": UUID}]}` | another characteristic answers values that match a pattern; `??` matches any byte, which is copied into the answer; with `"more": true`, the value may be longer |

| `notifies` | effect |
|---|---|
| `"on_demand"` | only values that writes cause (default) |
| a generator, and `"every": "500ms"` (default 1 s) | the values of the generator, from the beginning for each subscription, the first one after that time |
| `{"replay": "log.ndjson"}` | the values of a log with its timing, or one per `every`; once, unless `repeats` is set |
| `{"flood": N}` | N numbered values as fast as possible |

A read returns the value that was notified last.

| generator | values |
|---|---|
| `{"list": ["01", "02"]}` | these values in turn, forever |
| `{"counter": {"format": "u8", "from": 60, "to": 99}}` | counts in steps of `step`, and restarts after `to` |
| `{"sine": {"format": "i16", "middle": 2150, "amplitude": 300, "period": 60}}` | a sine wave with a period of 60 values |
| `{"walk": {"format": "u16", "from": 50, "step": 5, "least": 0, "greatest": 100, "seed": 1}}` | a random walk; the same seed gives the same values |
| `{"clock": "current-time"}`, `{"clock": "text"}` | the time in UTC: as Current Time (2A2B), or as `2026-04-12 12:34:41` |

Numbers use the [formats](formats.md) of `blectl read --as`. Integers are rounded. `prefix` adds bytes before the number,
such as the flags of a Heart Rate Measurement.

A **log** is the output of `blectl subscribe --json`, with a path relative to the world file. It replays the `value` records
of the same characteristic, or those of another `characteristic`.

## Serial ports

With `"uart": true`, a peripheral has a Nordic UART that sends back what it receives. The service follows those in
`services`; list it in `advertisement` if apps look for it. An object says more:

```json
{
  "address": "C5:E1:A1:00:01:02",
  "name": "Modem",
  "uart": {"greeting": "READY\r\n", "answers": {"AT": "OK\r\n", "ATI": "Example 1.0\r\nOK\r\n"}, "otherwise": "ERROR\r\n"}
}
```

| `uart` | effect |
|---|---|
| `"service"` | one of the [known services](serial.md#services) without flow control: `"nordic"` (default), `"hm-10"`, `"microchip"`, `"silicon-labs"`, `"laird"` |
| `"echo"` | whether it sends back what it receives; `true` by default, or `false` if it answers lines |
| `"greeting"` | what a central gets when it subscribes |
| `"answers"` | what it sends for each of these lines |
| `"otherwise"` | what it sends for every other line that is not empty |

A line ends with CR, LF or both, and must match the file exactly, including case. Texts are sent as they are, in UTF-8: an
answer contains its own `\r\n`.

Everything arrives in order, in packets as large as the link permits. If the link is slow, 1 MiB can wait; more is dropped.
Output without a subscribed central is lost.

A world file starts no command: [`serve --serial`](serial.md#be-a-serial-port) does.
[Examples/serial](../Examples/serial/world.json) has three devices:
`blectl serial Modem --simulate=Examples/serial/world.json`.

## Faults and events

[faults.md](faults.md) lists the `faults` of peripherals and characteristics, and the `events`, next to `peripherals`, that
happen at certain times.

## Advertised data that changes

The data of a company or a service is a value, or an object that says how it changes. Time counts from the start of the
simulation, whether a program listens or not.

```json
"advertisement": {
  "connectable": false,
  "manufacturer_data": {"ffff": {"counter": {"format": "u16", "prefix": "01"}, "every": "10s"}},
  "service_data": {"181a": {"replay": "kitchen.ndjson", "repeats": true}},
  "beacons": [
    {"bthome": {"packet_id": {"counter": {}}, "temperature": {"sine": {"middle": 21, "amplitude": 3, "period": 60}},
                "humidity": 45.5, "button": {"list": ["none", "press"]}},
     "every": "5s"}
  ]
}
```

| `manufacturer_data`, `service_data` | effect |
|---|---|
| `"0100c80f"` | always these bytes |
| a [generator](#behaviour), and `"every": "500ms"` (default 1 s) | its values, each for this time |
| `{"sequence": [{"value": "01", "for": "3s"}, {"value": "02", "for": "4s"}]}` | these values, each for its own time (default 1 s), forever |
| `{"replay": "log.ndjson"}` | what a log contains of this company or service, with its timing, or one value per `every`; once, unless `repeats` is set |

A log is the output of `blectl scan --duplicates --json` or `monitor --scan --json`; its records of the same address, or of
another `address`, are replayed.

`beacons` describes data by its values, with the names of `scan --json`, with or without their units.

| beacon | values |
|---|---|
| `bthome` | all [values of BTHome](adverts.md#values-of-bthome), and `triggered` |
| `ruuvi` | data format 5: `temperature`, `humidity`, `pressure`, `acceleration_x`, `_y`, `_z`, `battery`, `tx_power`, `movements`, `sequence` |
| `eddystone_tlm` | `battery`, `temperature`, `advertisements`, `uptime` |
| `ibeacon` | `uuid` (required), `major`, `minor`, `rssi_at_1m` |
| `pvvx` | `temperature`, `humidity`, `battery_mv`, `battery`, `counter`, `flags` |

A value is a number, a text, `true` or `false`, or a generator without `format`: `{"list": […]}`, `{"counter": {…}}`,
`{"sine": {…}}`, `{"walk": {…}}`. All advance together, `every` second by default. A counter without `to` restarts where the
format ends: a `packet_id` after 255, a `sequence` of Ruuvi after 65534. Missing values are unknown or 0.

With a `key`, the data of `bthome` and `pvvx` is encrypted. Each packet has the next counter, from `packet_counter` on, also
if its values are the same. `blectl keys add ADDRESS` gives the key to the receiver. Use your own keys only for tests: a
world file is not secret.

BlueZ signals `ManufacturerData` or `ServiceData` (`PropertiesChanged`) when the data differs, with duplicates at each
advertisement. [Examples/sensors](../Examples/sensors/world.json) has a sensor of each kind. [`serve` and
`advertise`](serving.md#sensors) send them over the air.

## Snapshots

`blectl snapshot DEVICE` listens for a second, connects, and records the address, name, advertised services and data, TX
power, appearance, MTU, the tree with all handles, and every readable value. A simulation of the file gives the same file
again; [over the air](serving.md#what-comes-back), some things differ.

- If the device refuses a read or does not answer, `snapshot` says so on stderr, and records `on_read` or `security`.
- Names of your own, and those of your profiles, become a `comment`.
- Signal strength and active subscriptions (2902) are not recorded.
- The effect of writing and subscribing is unknown: the recorded device stores writes, and notifies nothing.
- `--beacon` records only the advertisement, for a device that accepts no connection.
- With `--listen 1m`, data that changes within a minute becomes a `sequence`, with the times at which it was heard.
- Once BlueZ has discovered the services of a device, it no longer reports which of them are advertised: run `blectl forget`
  first. BlueZ does not report scan responses separately: they are not recorded, nor are advertising flags.
"""#

  static let logging = #"""
# Logging

```sh
blectl subscribe 'Heart Strap' 2a37 --reconnect --log heart.csv
blectl subscribe 'Sensor*' temperature humidity --all --reconnect --log air.sqlite --log-rotate 24h
blectl listen --type bthome --log air.csv --log mqtt://broker.example/ble/attic
```

`subscribe` prints what devices send over a connection, `listen` what they advertise. `--log` also writes it to a file or a
broker; repeat it for several:

| `--log` | format |
|---|---|
| `.ndjson`, `.jsonl` | the records of `--json`, byte for byte ([json.md](json.md)) |
| `.csv` | a table |
| `.sqlite`, `.sqlite3`, `.db` | a database (needs `libsqlite3-0`) |
| `influx:FILE`, `influx:-` | the line protocol of InfluxDB, in a file or on stdout |
| `mqtt://…`, `mqtts://…` | messages at an MQTT broker (needs `libmosquitto1`) |

`serve` and `read` have the same logs; `read --every 10m --log hall.csv` logs a device that sends nothing by itself. `scan`
and `monitor` write their own records, to `.ndjson` files and brokers; if they print records, `--buffer` applies to stdout
too.

`subscribe` needs a device in range that accepts a connection; `listen` hears any number without one. `scan` does not repeat
a device whose values change. [The guide](guide.md#listen-to-sensors) compares the commands.

## Guarantees

- **Nothing is lost silently.** Stdout and each log have their own thread and queue, so no output blocks reading. `--buffer`
  (default 16M each) limits the queue. When it is full, a `dropped` record with the count replaces further records, and a
  message appears on stderr; the exit status is 1.
- **Memory is bounded.** With 16M, `subscribe --json` to a stuck reader uses at most 33 MB. If an output makes progress but
  is half a buffer behind, reading pauses for up to 10 ms at a time; meanwhile, values wait in the bus daemon, or in the
  socket of `--via socket` (about 270 values of 20 bytes). An output without progress for 5 s causes no pauses.
- **Nothing appears twice**, and the order is kept, also across reconnections. But what another program reads appears as a
  value, as BlueZ reports it like a notification (not with `--via socket`). While another program is subscribed to the same
  characteristic, BlueZ signals each value once per program; `blectl` cannot tell these copies from equal values, and writes
  them.
- **Times** are when `blectl` read a value from the kernel, not when it wrote it. `via` shows how the value arrived.
- **A killed process** (`kill -9`) loses at most the last second, usually nothing: a batch of lines is one write.
- **A power cut** leaves a readable file that may lack the last second: while values arrive, `blectl` saves logs (fdatasync)
  every second. A committed database transaction is on disk. On reopening, `blectl` removes a partial record, and reports it.
- **A disk that fails to save** (fdatasync) is reported on stderr, once; data may be lost, and the exit status is 1.
- **A full disk**, or another write error, is reported on stderr. Records wait in the buffer, and `blectl` retries every
  second. The exit status is 0 if it wrote everything in the end; otherwise 1, and missing records are counted.
- **A log that is moved or deleted** while open is created again under its name, which is reported. A CSV log that is
  emptied, as by logrotate with `copytruncate`, gets its header again.
- **One writer per file.** A second `blectl` fails, and names the writing process (`flock`; some file systems do not support
  it).
- **A signal** ends the command within 2 s, even if the reader of stdout is stuck, and writes logs completely. `blectl`
  reports what the reader did not take: `481 records were not written to the output; 168 more may not have been`. The 168
  belong to an unfinished write; the kernel does not report how much of it the pipe holds.
- **A damaged log** does not prevent a service from starting. If a power cut has torn the first line, left only zeros, or
  damaged a database, `blectl` renames the file to `NAME-20261121T073142Z.ENDING.damaged`, starts a new log, and reports
  both.
- **Other files are not overwritten.** A file that is not a log of that format ends the command with status 1. New files
  follow the umask, also SQLite's.
- **Other users' files are not used.** In a sticky directory such as `/tmp`, `blectl` follows only symbolic links, and writes
  only to files, that belong to you or root. This covers the whole path, and the `-wal`, `-shm` and `-journal` files of a
  database.

On two cores, a million notifications of 20 bytes to stdout, NDJSON, CSV and SQLite at once take 12 s over the socket (32 MB
peak) and 20 s with signals (27 MB). A value costs 19 µs (socket) or 26 µs (signals) of CPU; without decoding, 2 µs over the
socket (`make bench`).

## Rotation

`blectl` appends to logs. `--log-rotate 100M` starts a new file at that size, `-wal` file included; a burst can exceed it
slightly. `--log-rotate 24h` starts one at each multiple of the period since 1970: at midnight UTC. If the clock is set back,
the period counts from the new time. The old file becomes `NAME-20261121T073142Z.ENDING`; none is deleted.

## Gaps

With `--reconnect`, `blectl` waits until it can connect and subscribe, at the start and after a lost link: for a device out
of range, an adapter that is off, unplugged or blocked, bluetoothd and the bus. A unit file therefore needs no ordering. One
line on stderr names what is missing, such as `waiting for bluetoothd`. Only errors that waiting cannot fix end the command
at once: a name that matches several devices, a missing characteristic, a host that refuses the ssh key, or a lasting
refusal, such as a request for pairing. If the device is short of memory or busy, `blectl` retries.

Pauses between attempts, also while another program holds the characteristic, grow from half a second to `--reconnect-delay`
(default 30s, at least 200ms), with some randomness, and end when the device is heard. Each starts a new scan, so a silent
scan recovers. `--reconnect-limit` (default: never) gives up after that time without a link, with the last error's status and
message. The first attempt has `--timeout`. `--duration` starts with the first subscription. If an unpaired device changes
its address, `blectl` needs its [key](keys.md#private-addresses) to find it again.

Logs show gaps: `disconnected` with the reason, and `reconnected` with `gap_seconds`, the time between the two. A gap starts
when BlueZ reports the lost link: out of range, after the supervision timeout, usually some seconds after the last value. It
ends when the subscription is active again. `disconnected` is written 0.3 s after its time, because BlueZ reports the reason
(adapter off, daemon stopped) late.

With `--all`, `blectl` subscribes to every matching device, also to later ones. It tries one after the other, for 5 s each.
It reports a device that has failed for `--timeout` on stderr, and continues; the exit status is then 1. With `--reconnect`,
it keeps trying every device that it has heard until `--reconnect-limit`, and ends when it has given up on all. `--count`
counts the values of all devices.

`listen` always waits for the bus, bluetoothd, an adapter that is on, and the broker; `scan` and `monitor` do with
`--reconnect`. When nothing can be heard, the log gets `interrupted` with the reason, and then `resumed` with `gap_seconds`.
`blectl` restarts a discovery that BlueZ has lost, or that has heard nothing for a minute.

### Adapters that stop working

Some adapters go silent after days, or cannot connect, until they are switched off and on. `--recover`, with `listen`,
`subscribe --reconnect` and `monitor --scan`, does that in steps:

1. If `blectl` has heard devices, but none for a minute (`--recover-after`), it restarts the discovery.
2. If that does not help for another minute, or if it hears the device but cannot connect, it switches the adapter off and
   on.
3. If that does not help either, it resets the USB device, as if unplugged. This needs an adapter of this machine, and write
   access to `/dev/bus/usb/…`, which root has.

Each step is a line on stderr and a `recovering` [record](json.md#listening-listen-scan---reconnect-monitor---reconnect);
`recovered` names the step that helped. The steps run at most once in ten minutes, and never switch off an adapter with a
link. `blectl adapter reset` does the same by hand: it resets the USB device, or switches the adapter off and on.

## Less data

```sh
blectl subscribe Thermometer temperature --every 1m --log hall.csv
blectl subscribe 'Sensor*' temperature humidity --all --reconnect --every 15m --average --log air.sqlite
blectl subscribe Thermometer temperature --change 0.2
```

`--every` passes on the last value per period of each characteristic of each device; with `--average`, the mean, minimum and
maximum of each number instead. The rest is neither printed nor logged.

- **Windows** begin at multiples of their length since 1970, UTC: `1h` at each full hour, `24h` at midnight. Empty windows
  have no record.
- **A gap ends a window**, as does the end of the command: the values until then are a record, which precedes that of the
  lost link.
- **The clock.** Time zones have no effect. If the clock is set, the current window gets no longer, and the next one is
  aligned to the new time. Each value counts in one window.
- **An average** is [a record `average`](json.md#averages---every---average). Its means have one decimal more than the
  numbers, and the keys of the values, such as `temperature_celsius`; extremes have `minimum_` and `maximum_` before them, in
  every output. Texts, states and lists are left out. A source without numbers has its last value.
- **`--change 0.2`** passes on a value only if a number differs by 0.2 from the last one passed on, or a state or text
  differs. `--change humidity_percent=1` is for one field, and can be repeated; other fields then count if they differ at
  all. The first value after a gap is passed on. With `--every`, windows are compared. The number and the strength of an
  advertised packet only count if `--change` names them.
- `--count` counts what is passed on.

## Alarms

```sh
blectl subscribe 'Sensor*' temperature --all --reconnect --when 'temperature_celsius > 25 for 5m' --exec ./alarm.sh
blectl subscribe Freezer temperature --reconnect --log freezer.csv --when 'temperature_celsius > -15 until < -18'
```

`--when` watches each device, and can be repeated. When values fulfil the condition, an `alarm` record follows the value, and
when they no longer do, a `cleared` record ([JSON](json.md#alarms-and-absences---when---absent)). Alarms also check values
that `--every` and `--change` leave out.

| condition | |
|---|---|
| `temperature_celsius > 25`, `battery_percent 0..20`, `door = yes` | a field, compared as by [`expect`](scripts.md#patterns); its key, or [its key without the unit](formats.md#layouts) |
| `temperature_celsius > 25 until < 24` | a second bound: between 24 and 25 the alarm stays what it was |
| `… and …`, `… or …`, `not …`, `( … )` | `and` joins more than `or` |
| `… for 5m` | at the end: the condition must hold for five minutes |

The fields of all characteristics of a device count together. A comparison with a field that has not come yet is neither true
nor false. A lost link ends no alarm, but restarts the time of `for`, and fields must come again. A state is `yes` or `no`,
or `true` or `false`. Texts with spaces need quotes: `state = "too hot"`.

A field that the values cannot have is an error at the start, with the nearest name; so it is in `--change`. Possible are the
fields of the characteristics, if their meaning is known, or else of every known format and profile; for `listen`, those of
`--type`, or of all types. A word that the field never has, such as `window = ajar` for yes or no, is an error too.

An impossible number in an advertisement, such as a battery of 170 %, is left out, and [`problem`](adverts.md#formats)
reports it. A characteristic's number outside the range of its format is kept, with `problem` added.

If the process was stopped, or the machine suspended or overloaded, `blectl` reads values late. Until then, no `for` ends and
no device is absent: a report can come two seconds later.

## Absence

```sh
blectl subscribe 'Sensor*' temperature --all --reconnect --absent 10m --log air.sqlite
```

`--absent 10m` reports a device that has sent nothing for ten minutes with `absent`, and its return with `returned`, both
with the silence. It also reports a named device that was never heard, ten minutes after the start. Opening a link counts as
heard.

With `listen`, each packet counts as heard, also a repeated one; unnamed devices are only watched if they have values.
Without names, `listen` expects the devices of [profiles](profiles.md). Time in which nothing can be heard does not count:
after `resumed`, every device has the whole time again. `blectl listen --missing` prints which devices are not heard now,
within a minute or `--duration`.

## A command for each record

`--exec CMD` runs a shell command for each value or average instead of printing it; with `--when` or `--absent`, only for
their records. Commands run in order, one at a time or `--jobs` at once; at most 4,096 records wait. The command gets the
JSON record on standard input, and in its environment `BLECTL_EVENT`, `BLECTL_ADDRESS`, `BLECTL_NAME`, and `BLECTL_VALUE`,
`BLECTL_SERVICE` and `BLECTL_CHARACTERISTIC` of a value or `BLECTL_WHEN` of an alarm. `BLECTL_NAME` comes from the air: quote
it. Logs are written as usual.

## Advertised values

`listen` writes a record when a value or the packet counter of a device is new, compared with the last packet that had the
same fields. Packets that only repeat, whatever their strength, are left out; `--all` writes each packet.

- **Fields** are those of the [format](adverts.md#formats), and `rssi_dbm`; battery and packet counter if the device sends
  them. Encrypted packets have `counter`.
- **Unknown formats** are written as bytes if `--service` or `--manufacturer` names their source.
- **Encrypted data** needs its [key](keys.md). Without it, the data has no values, and is written only if `--type` names it.
  A packet that another radio repeats is not written; one that is older than the latest has `freshness`.
- **Passive**: `--passive` requests no scan responses, which saves power on both sides, but names in them stay unknown.
- **BlueZ** keeps the latest data of each company and each service. With `--all`, a packet with one counts for all.

## Charts

```sh
blectl subscribe 'Heart Strap' 2a37 --plot --simulate
blectl subscribe Thermometer temperature 2a1c --plot --plot-window 5m --log air.csv
blectl subscribe 'Sensor*' ffe1 --as u16 --all --plot-svg sensors.svg --json
```

`--plot` draws numbers as they arrive, in place of the lines of text; the last state remains when the command ends.
`--plot-svg FILE` writes the same chart at the end, also after Ctrl-C and SIGTERM, and never half a file. Both work with
`--log`.

- **Lines**: one for each number of each value of each device, at most 26, with letters and colours (SVG: dashes and
  colours). Lines with the same unit share a scale. Their minimum, maximum and last value are below the chart.
- **Numbers** are those of characteristics whose meaning is known, or of the [layout](formats.md#layouts) of `--as`.
  `--as u16` reads other integers, `--as utf8` numbers sent as text. A line below the chart lists other values, and numbers
  beyond ±1e300: `no number in: sensor_contact of 2a37`.
- **Time** starts at the first value, or covers the last five minutes with `--plot-window 5m`. A line breaks where the link
  was lost or values were dropped.
- **Keys**, if stdin is a terminal: `q` ends the command as `--duration` does, with status 0. `p` pauses only the picture.
  `+` and `-` change its window in steps: 10 s, 20 s, 30 s, 1 min and so on, up to everything; the SVG file keeps
  `--plot-window`.
- **Memory**: 2048 points per line, at most 3 MB for each of the two charts, and 3 MB more for the window that keys change.
  Further values share points that keep their minimum and maximum.
- **Errors**: in a pipe, with `TERM=dumb`, and with `--json` (which uses stdout), `--plot` fails with status 64. If the SVG
  file cannot be written, the status is 1. `--plot-svg` does not write to symbolic links or devices.

## CSV

The format is RFC 4180: UTF-8, a header, lines that end with CR LF. A record is one line; a line break within a text is `\n`.

| column | |
|---|---|
| `time` | RFC 3339, UTC, microseconds |
| `event` | `value`, `average`, `connected`, `disconnected`, `reconnected`, `alarm`, `cleared`, `absent`, `returned`, `dropped`; for `serve`, [its events](json.md#served-devices-serve) |
| `address`, `service`, `characteristic`, `handle` | the source of the value |
| `value` | lower-case hex digits |
| `via` | `signal` or `socket`; for `serve`, `read` or `write` |
| `reason`, `gap_seconds` | of a link, and of listening; of an alarm, the condition; of an absence, the silence; for `serve`, `reason` is the error |
| `count` | number of dropped records, or of the values of an average |
| `company`, `type` | only of advertised values: the company of manufacturer data, and the format |
| … | one column for each decoded value that the characteristics of the subscription can have, such as `heart_rate_bpm`; lists are JSON. A value whose name is taken by another column gets `decoded_` before it: the time that a thermometer measured at is in `decoded_time` |
| `name` | the last column: the device's name, for values, averages, alarms and absences |

An existing table keeps its columns. If it lacks one for the characteristics of the subscription, `blectl` renames it as with
`--log-rotate`, starts a new table, and reports both on stderr. To log two characteristics in one table, subscribe to both in
one command.

When a field first comes, `listen` adds a column behind the others: it rewrites the table, whole or not at all; earlier rows
have an empty field. It puts a table of more than 8 MB aside instead. After 250 columns, further fields are only in `value`.
An apostrophe precedes text that a spreadsheet would take for a formula (it starts with `=`, `+`, `-` or `@`).

## SQLite

```sql
CREATE TABLE device (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, name TEXT);
CREATE TABLE characteristic (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
  service TEXT NOT NULL, uuid TEXT NOT NULL, handle INTEGER NOT NULL);
CREATE TABLE value (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, characteristic INTEGER NOT NULL REFERENCES characteristic,
  value BLOB NOT NULL, decoded TEXT, via TEXT NOT NULL, average_count INTEGER, average_from INTEGER);
CREATE TABLE link (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, device INTEGER REFERENCES device,
  event TEXT NOT NULL, reason TEXT, gap_seconds REAL, count INTEGER);
```

Advertised values have their own table, created with the first one, with a typed column for each field, such as
`temperature_celsius REAL`:

```sql
CREATE TABLE advertisement (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, device INTEGER NOT NULL REFERENCES device,
  type TEXT, service TEXT, company TEXT, data BLOB NOT NULL, more TEXT, via TEXT,
  average_count INTEGER, average_from INTEGER);
```

`more` has the fields beyond 250 columns, as JSON. The view `advertised` adds `utc`, the time as text, `address` and `name`.
A field whose name is taken gets `decoded_` before it. Values of another type than their column's have their own column,
[as in InfluxDB](#influxdb).

`time` is in microseconds since 1970, UTC, and indexed. `decoded` is JSON, as in the records. `link` contains `connected`,
`disconnected`, `reconnected`, `started`, `interrupted` and `resumed`; `dropped` with its count; `alarm` and `cleared` with
the condition as `reason`; `absent` and `returned` with the silence as `gap_seconds`, and for a device that was never heard
the name as `reason`. Averages are rows of `value` or `advertisement` without bytes: `via` is `average`, `average_count` the
number of values, `average_from` the beginning of the window. The view `log` has the values with the names of characteristics
and devices, the time as text and the value in hex. `PRAGMA user_version` is 1; future versions may add columns, but keep
these. Programs can read the database at any time; while it is written (write-ahead mode), two more files (`-wal`, `-shm`)
exist. Values within half a second are one transaction. With `--web`, the charts of [the page](page.md#memory) begin with the
database's values.

```sh
sqlite3 air.sqlite "SELECT time, decoded ->> 'temperature_celsius' FROM log ORDER BY id DESC LIMIT 5"
sqlite3 air.sqlite "SELECT name, round(avg(temperature_celsius), 1) FROM advertised GROUP BY address"
```

## MQTT

```sh
blectl subscribe 'Sensor*' temperature --all --reconnect --log mqtt://broker.example/ble/attic
blectl scan --duration 0 --log mqtts://anna@broker.example:8883/ble/cellar
blectl subscribe Thermometer 2a6e --reconnect --log mqtt://localhost/ble/hall --home-assistant
blectl listen --type bthome --log mqtt://localhost/ble/garden --home-assistant
```

`--log mqtt://[USER@]HOST[:PORT]/TOPIC` publishes each record as a message. Give each gateway its own topic. `mqtts://`
encrypts. The default ports are 1883 and 8883. Encode special characters as in other URLs: `%20` is a space.

| topic | message |
|---|---|
| `TOPIC/ADDRESS/CHARACTERISTIC` | values and averages, such as `ble/attic/F0:F1:F2:F3:F4:F5/2a37` |
| `TOPIC/ADDRESS/TYPE` | advertised values, such as `ble/garden/C5:EA:50:00:00:01/bthome` |
| `TOPIC/ADDRESS/alarm`, `TOPIC/ADDRESS/absence` | `alarm` and `cleared`; `absent` and `returned` |
| `TOPIC/ADDRESS` | links, and what `scan` and `monitor` see of a device |
| `TOPIC/ADAPTER` | what `monitor` sees of an adapter |
| `TOPIC` | `dropped`, `started`, `interrupted`, `resumed`, the state of Bluetooth, and the absence of devices whose address is unknown |
| `TOPIC/status` | `online` or `offline`; retained |
| `TOPIC/ADDRESS/CHAR/set`, `…/get`, `…/result` | commands and their answers, with `--mqtt-control` |

A message is the [`--json` record](json.md). CHARACTERISTIC is the short UUID if there is one. If a device has a
characteristic twice, the values share a topic, and `handle` differs.

- **Password.** `BLECTL_MQTT_PASSWORD` has it, or the first line of the file that `BLECTL_MQTT_PASSWORD_FILE` names. A
  password in the URL is refused, because other users can see it.
- **Certificates.** The broker's certificate must be for the host in the URL, and signed by an authority that the system
  trusts, or one in the file that `BLECTL_MQTT_CA_FILE` names.
- **Delivery.** Messages have QoS 1: a record counts as written when the broker acknowledges it. After a lost connection,
  `blectl` sends unacknowledged messages (at most 100) again, so a record can arrive twice, with the same `time`.
- **Outages.** If the broker goes away, or acknowledges nothing for 20 s, `blectl` reconnects, with pauses that grow from
  half a second to 30 s. Records wait in the buffer; what exceeds `--buffer` is counted as dropped.
- **The start.** If no broker answers, the command ends with status 1. With `--reconnect`, and with `listen`, it logs while
  it waits for the broker, also if the connection ends during the TLS handshake. A wrong password or certificate always ends
  it.
- **The end.** What waits is sent, also after Ctrl-C, within 1 s. If the broker is away, it has 5 s to come back. What it has
  not acknowledged then is counted on stderr, and the status is 1.
- **Status.** `TOPIC/status` is `online` while `blectl` writes the log, and `offline` afterwards, also if the process was
  killed or the network failed (last will), which the broker notices within 45 s.

### Commands

```sh
blectl subscribe Piano ffe2 --reconnect --log mqtt://localhost/ble/hall --mqtt-control ffe3
mosquitto_pub -q 1 -t ble/hall/D0:B5:C2:0A:0B:0C/ffe3/set -m '{"id":"a1","value":"f03d3d0002f7"}'
mosquitto_sub -q 1 -t 'ble/hall/+/+/result'              # {"id":"a1","status":"done"}
```

`--mqtt-control CHAR` of `subscribe` takes commands for this characteristic alone from the broker of `--log mqtt://…`, and
carries them out over the command's links, also with `--all`. It can be repeated.

| topic | payload |
|---|---|
| `TOPIC/ADDRESS/CHAR/set` | a value as in [`write`](formats.md), such as `u8:1` or `rate=100`, or `{"id":"…","value":"…"}` |
| `TOPIC/ADDRESS/CHAR/get` | empty, or `{"id":"…"}` |
| `TOPIC/ADDRESS/CHAR/result` | the answer to both, as JSON; QoS 1, not retained |

CHAR is a UUID, a name, or a handle such as `@002a` if a device has a UUID twice. Values cannot be files or standard input.

| key of an answer | |
|---|---|
| `id` | that of the command, if it had one |
| `status` | `done`: the device has confirmed it, or, with `"acknowledged":false`, has received a write without response, which it may refuse in silence; `failed`: it has not happened; `unknown`: the link was lost, the time was over or `blectl` ended before the answer, so it may have happened |
| `error` | why, unless it is done |
| `value`, `decoded` | what was read, as in [JSON](json.md) |

- **Order.** `blectl` carries out a device's commands one at a time, in order of arrival; up to 1,000 wait. Each can take
  12 s. Without a link, a command fails at once.
- **Exactly once.** `blectl` repeats nothing. A client without an answer repeats its command *with the same id*: for an id
  that it has seen at this topic, `blectl` only publishes the answer again. It remembers the last 10,000 ids until it ends.
  To retry what failed, use a new id. Without an id, each message is carried out; a client that publishes with QoS 1 may send
  one twice if the broker ends, and one published while `blectl` was not connected is lost.
- **Retained messages** are never carried out.
- **Two connections.** Commands have their own connection, with the same user, password, certificates and pauses as the log.
- **Who may.** Every client that can publish to these topics can write. Limit that at the broker, such as with an `acl_file`
  of mosquitto:

```text
user blectl
topic readwrite ble/hall/#
topic write homeassistant/#
user anna
topic write ble/hall/+/+/set
topic write ble/hall/+/+/get
topic read ble/hall/#
```

### Home Assistant

With `--home-assistant`, each decoded number with a unit appears in Home Assistant as a sensor of its device, also those of
`--as 'temperature=i16*0.01°C load=u16mV'`, and with `listen` those that a device advertises. `subscribe`, `listen` and
`monitor` announce a sensor at `homeassistant/sensor/…/config` with its first value; the message is retained, and sent again
on a new connection. Averages update the sensors of the values; minima and maxima have their own. An alarm is a binary sensor
(`problem`), announced when it first begins; so is the presence of a device (`connectivity`). Sensors are unavailable while
`TOPIC/status` is `offline`. To remove a sensor, delete the device in Home Assistant.

**Several gateways.** Each gateway that hears a device announces its own sensors, all of one device in Home Assistant. The
last level of the topic names the gateway, and must differ: with `mqtt://broker.example/ble/attic`, a sensor is called
`Temperature (attic)`, and its identifier is `blectl_attic_ADDRESS_…`. A topic of one level, such as
`mqtt://broker.example/ble`, is for a single gateway, with `Temperature` and `blectl_ADDRESS_…`. If the topic changes, delete
the device once in Home Assistant. [Examples/recipes/two-gateways.md](../Examples/recipes/two-gateways.md) shows both.

Home Assistant can write a characteristic of `--mqtt-control` if its [layout](profiles.md) has one field: a number as a
number with its limits and steps, two states (also true and false) as a switch, one state as a button. They show the
subscribed values if the characteristic has notifications, otherwise what was written last.

## InfluxDB

```sh
blectl subscribe 'Sensor*' temperature humidity --all --reconnect --log influx:air.lp
blectl subscribe 'Heart Strap' 2a37 --reconnect --log influx:-     # as an input of Telegraf: execd
```

```text
bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Heart\ Strap heart_rate_bpm=72 1795247928626505000
bluetooth,address=C5:EA:50:00:00:01,name=Garden,type=bthome temperature_celsius=25.06,rssi_dbm=-76 1795247929000000000
bluetooth_link,address=F0:F1:F2:F3:F4:F5 event="disconnected",reason="the link was lost" 1795247930000000000
```

A value is a point of the measurement `bluetooth`. Its fields are the decoded values, or `value` with the hexadecimal digits.
A field whose name is taken by a tag, `value` or the time gets `decoded_` before it: `decoded_time`. All numbers are floats.
Lists are JSON in a text. InfluxDB refuses a field with several types, so a value of another type than its key's has the type
behind its name: a word in the place of a number, `humidity_percent_text="unknown"`, and, where formats use a key for several
types, a number, text or yes/no, `mode_text="eco"` or `state_flag=true`. A key is a number if it is one in any known format,
or else a text. If a device has several characteristics with one UUID, their points also have the tag `handle`, as in
`characteristic=fff1,handle=7`. Averages have the tag `via=average` and the field `count`, the number of values; the mean of
a field `count` is `decoded_count`. Advertised values have the tag `type` instead of `characteristic`. Links, `started`,
`interrupted`, `resumed`, alarms, absences and `dropped` are points of `bluetooth_link`. `influx:-` prints the points instead
of the usual lines.

## Recipes

CI runs each of the [recipes](../Examples/recipes) for whose tool Debian has a package:

| recipe | what it does |
|---|---|
| `sqlite.sh` | logs to a database and queries it |
| `blectl-log@.service` | a systemd unit that logs a device permanently: `systemctl enable --now blectl-log@heart`; installed by the Debian package and `make install` |
| `blectl-sensors.service` | the same for all sensors that advertise: a table and a database, without a network |
| `blectl-home.service` | brings them to Home Assistant through a broker |
| `two-gateways.md` | two gateways in one house: one broker, one page |
| `grafana.json` | a dashboard of Grafana for the [metrics](page.md#metrics) of `--web`, by way of Prometheus; CI checks that the page has each metric that it asks for |
| `telegraf.conf`, `vector.toml` | feed Telegraf (`execd`) and Vector; not run in CI, because Debian 12 has no packages. CI checks that they are valid TOML, and that the records contain the keys they use |
"""#

  static let scripts = #"""
# Scripts

`blectl run` performs many steps over one connection, and can wait for notifications in between. `blectl shell` takes the
same steps from the keyboard.

```sh
blectl run Piano lamps.ble
blectl run 'DUT *' selftest.ble --all --jobs 4 --junit report.xml
```

```
# lamps.ble: lights 115 lamps; a key answers each of them.
subscribe ffe2
for LAMP in 00..72
  write ffe3 f03d3d${LAMP}02f7
  expect ffe2 9f54$LAMP --within 5s
end
```

A script has one command per line. Device commands work as on the command line, without DEVICE: `read`, `write`, `subscribe`,
`services`, `info`, `snapshot`, `connect`, `disconnect` and others. Options of `run`, such as `--json` and `--timeout`, hold
for every line without its own.

`run` checks the whole script before it looks for the device, and reports every mistake with line and column (status 64). If
only a value from the device (`let`) makes a line wrong, the step fails when it runs (status 1).

## Steps

| step | what it does |
|---|---|
| `subscribe CHAR…` | prints notifications in the background, until `unsubscribe`, `disconnect` or the end of the script; a second `subscribe` of a CHAR prints its values once more, perhaps in another format |
| `unsubscribe [CHAR…]` | ends these subscriptions, or all |
| `expect CHAR PATTERN` | waits until a notification matches |
| `expect CHAR PATTERN --read` | reads the value; with `--within`, until it matches |
| `sleep DURATION` | waits; subscriptions go on |
| `disconnect`, `connect` | closes the link, and opens it again |
| `repeat N` … `end` | runs the lines in between N times |
| `for NAME in VALUES` … `end` | runs them once for each value |
| `set NAME VALUE` | gives a variable a value, unless `--set NAME=VALUE` gave it one |
| `let NAME read CHAR [--as FORMAT]` | reads a value into a variable, as hexadecimal digits without `--as`; a layout with one field gives its value, another one `FIELD=VALUE …` |

`$NAME` or `${NAME}` is the value of a variable. Words are quoted as in a shell, `#` begins a comment, and nothing within
single quotes has a special meaning.

Loops can nest 16 deep. The VALUES of `for` are:

| values | the variable is |
|---|---|
| `00..72` | `00`, `01` … `72`: hexadecimal digits, as many as the bounds have |
| `u16 100..200` | the bytes of each number in that FORMAT, in hexadecimal digits: `6400` … `c800` |
| `a b c` | each of the words |

A range whose first bound is greater counts down.

## Patterns

| pattern | matches |
|---|---|
| `9f5400`, `u16:1000`, `utf8:ok` | these bytes: any VALUE of `write` |
| `9f54??`, `9f5?` | bytes; `?` is any digit |
| `u16 100..200` | a number of that FORMAT, the bounds included; the FORMAT must be able to hold them |
| `i16 < -5`, `utf8 = ok` | a value of that FORMAT, compared with `<` `<=` `>` `>=` `=` `!=` |
| `heart_rate_bpm > 40` | a field of a characteristic whose meaning is known, as `--json` calls it ([characteristics](characteristics.md)) |
| `heart_rate_bpm 60..80` | a field in a range |
| `heart_rate_bpm > 40 and not (sensor_contact = no or …)` | several fields, with `and`, `or`, `not` and parentheses |
| `[0] u8 = 3`, `[2..4] u16 100..200`, `[2..] 9f??` | a part of the bytes: from the one of that number, counted from 0, up to before the second number, or to the end |

A field can also follow the characteristic: `expect 2a37.heart_rate_bpm > 40`. `[2]` takes as many bytes from there as the
pattern needs; one if the FORMAT is not a number. A value too short for the part does not match.

Every number of the FORMAT in a value must match, but only one element of a list.

`expect` checks the values since the subscription or the last `expect` of that characteristic, and skips those that do not
match; at most 10,000 wait. Without a subscription, `expect` subscribes first, and misses earlier values: write `subscribe`
before the `write` whose answer you expect.

`--within` limits the wait (default: `--timeout`). `--count N` waits for N values that match.

## Failures

The first failure ends the script. The error names the file, the line, the values of its variables, what was expected and
what came. The exit status is that of the failure; an unmet `expect` is 1.

```console
$ blectl run 'Heart Strap' check.ble
blectl: check.ble:1: cannot get heart_rate_bpm > 100 from 2a37 within 2s: 3 other values came, the last heart_rate_bpm 62 (003e)
  expect 2a37 heart_rate_bpm > 100 --within 2s
  2026-11-22 14:28:41.666761+0000 heart_rate_bpm 60 (003c)
  2026-11-22 14:28:42.167779+0000 heart_rate_bpm 61 (003d)
  2026-11-22 14:28:42.668362+0000 heart_rate_bpm 62 (003e)
```

With `--keep-going`, the script continues and counts failures; the status is that of the first. After a lost link, every step
fails until `connect` opens another. If `let` cannot read its value, lines that need it fail too, and loops that need it are
skipped.

## Many devices

`--all` runs the script on every matching device that is connected or heard. The search ends when no further device is heard
for 5 s. `--jobs` devices (default 4) run at a time. Each line of output begins with the address, or contains it with
`--json`. `run` lists failed devices at the end, with the status of the first.

On several devices, `write CHAR -`, `send CHAR -` and `receive CHAR --to -` are refused.

`--repeat N` runs the script N times on each device, over the same link.

## Reports

`--junit FILE` writes a JUnit report for Jenkins, GitLab and others; `--tap` prints a Test Anything Protocol report (version
13), with the output of the steps as comments. A test case is a line of the script on one device; in a loop, it fails if it
failed once. Lines not reached are skipped. A device without a connection is an error, as is a run that a signal or a stuck
output has ended; its report has the steps until then. `run` removes an old JUnit report first, even if the script has
mistakes.

## Records

`--record FILE` writes what was sent and received to a new file, as [records](json.md) of `subscribe --json` and
`write --json`; `written` records also contain the `value`. It has two uses:

- `blectl run DEVICE SCRIPT --check-only FILE` checks the script without Bluetooth. The record must contain what the script
  reads, writes and expects, in that order; for `send`, the bytes of the file, in packets of any size. A notification may
  precede its `expect`. Times are not checked.
- A world file can replay the notifications: `"notifies": {"replay": "FILE"}` ([world.md](world.md)).

## The shell

```sh
blectl shell 'Heart Strap'
blectl shell               # then: scan, and: use 'Heart Strap'
```

`shell` opens one link and takes commands until Ctrl-D or `quit`. The prompt shows the device and its link: `●` is open, `○`
closed. `shell` reopens a lost link when the device is back. Notifications appear above the prompt.

| input | what it does |
|---|---|
| a step | as in a script; a loop runs when its `end` is typed |
| `use DEVICE` | changes to another device |
| `scan`, `devices`, `decode` and others | commands that are not about the device, with all their options |
| `help`, `help COMMAND` | lists the commands, or explains one |
| `.save FILE` | writes what was typed and succeeded to a new file, as a script for `run` |
| Ctrl-C | ends the command that runs, or drops the line |
| Tab | completes commands, options, characteristics and formats |

If stdin is not a terminal, the lines run to the end of the input, and the exit status is that of the first failure. A loop
without its `end` is an error.

The line editor is libedit (`libedit2`), if installed: emacs keys, or vi keys with `bind -v` in `~/.editrc`. It has no
bracketed paste: pasted lines run as if typed, and a pasted tab completes. The history is in `$XDG_STATE_HOME/blectl/history`
(default `~/.local/state`), readable only by you. Without libedit or a terminal, or with `TERM=dumb`, `shell` reads plain
lines.
"""#

  static let serving = #"""
# Serving

`serve` turns this machine into a peripheral. It takes a device of a [world file](world.md), or a [built-in
device](built-in-world.md), publishes its services, advertises it, and answers centrals until Ctrl-C.

```sh
blectl serve 'Heart Strap'               # a built-in device
blectl serve devices.json 'Lamp*'        # a device of a world file
blectl snapshot Piano > piano.json       # record a device …
blectl serve piano.json                  # … and be that device
```

The device behaves as in `simulate`, except for [what BlueZ cannot play](#what-bluez-cannot-play), which `serve` prints on
stderr at the start. [`serve --serial`](serial.md#be-a-serial-port) is a serial port instead.

## What is printed

One line per event: the time, the event, the address and name of the central, the attribute, and the value or the error.
`--json` prints [records](json.md#served-devices-serve).

```console
$ blectl serve 'Heart Strap'
2026-11-22T18:06:06.489932Z	advertising	00:1A:7D:DA:71:13	Heart Strap
2026-11-22T18:06:07.065973Z	connected	00:1A:7D:DA:71:14
2026-11-22T18:06:07.129113Z	read	00:1A:7D:DA:71:14		180f/2a19	57
2026-11-22T18:06:09.789003Z	subscribed			180d/2a37
```

- BlueZ does not say which central has subscribed. `subscribed` appears once for each, `unsubscribed` once after the last.
- BlueZ does not say who began a link: devices that this machine connects to also appear as `connected`. Those with a link at
  the start appear first.
- A long read is one `read` with the whole value; a read that begins later has an `offset`.
- A central with a private address appears under its identity address once it is paired, and its subscriptions end ([until it
  connects and subscribes again](bluez-versions.md#a-central-that-pairs-with-a-private-address-gets-no-values)).

`--log` also writes the events to a `.ndjson` or `.csv` file, to `influx:FILE`, or to an MQTT broker. A `.sqlite` database
keeps links, and the values that centrals have read (`via` is `read`) or written (`write`). [Logging](logging.md) describes
them.

## Changing values

A line on standard input sets a value and sends it to the subscribers: a characteristic, and a value as for `write`:

```
2a19 u8:40
180d/2a38 01
```

If the centrals are slower than the lines, `serve` reads more slowly: no value is lost.

`--exec CMD` runs a shell command for each value that a central writes, one at a time and in order, with the record on its
standard input, and prints nothing else. At the end (`--duration`, or that of the command after `--`), `serve` takes the
device off the air, and runs the command for the remaining values. Ctrl-C stops this, and prints their number.

| variable | |
|---|---|
| `BLECTL_VALUE` | the bytes, as hex digits |
| `BLECTL_SERVICE`, `BLECTL_CHARACTERISTIC`, `BLECTL_DESCRIPTOR` | UUIDs in the 128-bit form; the last one only for a descriptor |
| `BLECTL_ADDRESS`, `BLECTL_NAME` | the central; its name, if known, comes from the air: quote it |
| `BLECTL_ADAPTER`, `BLECTL_EVENT` | such as `hci0`; `written` |

`--control PATH` accepts the commands of [`simulate --control`](faults.md) that a real adapter can play: `set-value`,
`slow-answer`, `no-answer`, `att-error`, `heal-characteristic`, `lose-adverts`, `heal` and `state`. `device` is the address
in the world file. `serve` refuses others with the reason.

## Sensors

`serve` also [changes advertised data](world.md#advertised-data-that-changes) on the air. `advertise` does so without
services:

```sh
blectl advertise Examples/sensors/world.json Garden
```

- Linux gives an advertisement that accepts no connections another random address at each change of its data. A sensor that
  changes therefore accepts connections, at the address of the adapter; a line on stderr says so.
- Encrypted data is encrypted for the address of the adapter: store the key for it.
- Receivers may miss a value that lasts less than the interval of the advertisement.
- BlueZ lets a program change name, services and data on the air, but not whether the device accepts connections.

## Without a radio

`--simulate` replaces BlueZ by a simulated computer with two adapters: one serves, and centrals use the other. `serve` ends
with the command after `--`, and has its exit status. Standard output belongs to that command: the records of `serve` go to
standard error; `-q` omits them.

```sh
blectl serve 'Heart Strap' --simulate -- blectl read 'Heart Strap' 2a19
blectl serve piano.json --simulate -- blectl run Piano script.ble     # a central that plays a script
blectl serve piano.json --simulate                                    # prints how to connect from another shell
blectl simulate --adapters 2 -- bash                                  # serve with -i hci0, connect with -i hci1
```

## What comes back

A device that you record, serve, and record again by another adapter has the same services, characteristics, descriptors,
properties, values and advertised data, except:

| | |
|---|---|
| address | that of the adapter; a beacon has a random one |
| handles | BlueZ chooses them, behind those of its own services |
| TX power | that of the adapter |
| name | cut after 29 bytes |
| advertised data | 31 bytes fit. TX power, appearance, services, service data and manufacturer data are left out in this order, and named on stderr |
| services | BlueZ adds 1800 (Generic Access, with the name of the computer), 1801 (Generic Attribute) and 180a (Device Information) with its PnP ID. Those of the file are left to it; its own 180a is recognised by vendor 1d6b, product 0246 |
| descriptors | BlueZ adds 2902, and makes 2900 from the properties |
| inclusions | two services cannot include each other; the inclusion that is missing is named on stderr |
| notifications | cut at the MTU of the central less 3 bytes |

Each further round gives the identical file, except for the random address of a beacon.

## What BlueZ cannot play

| in the world | over the air |
|---|---|
| an answer after 500 ms or later, or never | ATT 0x0e after 500 ms: a central that leaves while bluetoothd waits for an answer ends bluetoothd |
| an ATT error other than 0x02 (read), 0x03 (write), 0x06, 0x07, 0x08, 0x0d, 0x0e, 0x80 to 0x9f, 0xfe and, from BlueZ 5.76, 0xfd | ATT 0x0e |
| an error for a write to a characteristic with `write-without-response`, or for a subscription | none: BlueZ answers by itself |
| closing the link, refusing it, its speed | left to the central and the radio |
| pairing (`pairing`) | left to BlueZ and its agents; `security` of an attribute applies |
| faults of adapters and of the daemon, other devices of the file | not played |

BlueZ before 5.77 ignores the interval of advertisements.

## When bluetoothd restarts

If bluetoothd ends, or the adapter is switched off or unplugged, `serve` says so on stderr, and publishes and advertises the
device again when it is back. Without `-i`, another adapter replaces an unplugged one; a line names both. Values are kept.
Paired centrals have to subscribe again, because bluetoothd forgets subscriptions.
"""#

  static let keys = #"""
# Keys

`blectl` uses two kinds of keys:

- A **bind key** decrypts the advertisements of one sensor: BTHome 2, MiBeacon (Xiaomi), ATC and pvvx thermometers, and
  Victron's instant readout.
- An **identity resolving key** (IRK) recognizes a device that changes its address every few minutes, as phones and watches
  do.

```sh
blectl keys add A4:C1:38:56:53:84          # asks for the bind key of this sensor, or reads it from stdin
blectl keys add Phone                      # asks for the IRK of a device that you call Phone
blectl keys add Phone C8:0F:10:01:02:03    # the same, with the address that the device never changes
blectl keys                                # addresses and names; never the keys
blectl keys remove Phone
```

`blectl` refuses a key as an argument, which other users can see. No output, log, error or trace contains a key.

## Encrypted sensors

With its key, every command decodes a sensor, also with `--json` and in logs. `decode` needs the sensor's address, a part of
the encryption:

```sh
blectl decode fcd2 41a47266c95f730011223378237214 --address 54:48:E6:8F:80:A5
```

The JSON object `beacon` gets further keys:

| key | |
|---|---|
| `decryption` | `ok`; `no-key`; `wrong-key`; `failed` if the key has another length than the format needs, the data is damaged, or libcrypto (OpenSSL 3) is missing. Absent for data that is not encrypted |
| `freshness` | `stale`: the packet is older than the latest one; `replayed`: it is older, and was already received, so another radio may send a recording; `restarted`: its counter is far behind and small, as after a change of the battery. Absent for new packets, and for repetitions of the latest one |

A wrong key is reported on stderr once for each device, a missing key only once. Victron's data has no checksum: only one
byte shows whether the key fits.

The manufacturer's app, or a tool for it, shows the bind key; Xiaomi's come from its servers.

## Private addresses

The first two bits of a random address tell its kind (`address_kind` in JSON): `static`; `resolvable`, a private address that
an IRK resolves; or `non-resolvable`.

With its IRK, a device has the name that you gave to the key. Commands show this name and take it as DEVICE, as well as the
device's own address, if the file has it, and the name that the device reports. `subscribe --reconnect` follows a device to
its new address; `--all` and the live scan treat it as one device. JSON adds `identity`, the name, and `identity_address`.

In the records of `scan`, `devices` and `info`, `address` is the current address. In those of values, links and writes, and
so in logs, it is the device's own address, if the file has it.

BlueZ itself resolves paired devices' addresses to their own. IRKs in the file are for devices paired with another machine,
such as your phone.

One of 16 million addresses of other devices fits a key by chance.

## The file

The keys are in `~/.config/blectl/keys.json` (`$XDG_CONFIG_HOME/blectl/keys.json`). `BLECTL_KEYS` names another file, and
`--keys FILE` wins over both.

```json
{
  "bind_keys": [
    {"address": "A4:C1:38:56:53:84", "key": "231d39c1d7cc1ab1aee224cd096db932"}
  ],
  "identities": [
    {"name": "Phone", "irk": "ec0234a357c8ad05341010a60a397d9b", "address": "C8:0F:10:01:02:03"}
  ]
}
```

- `key` has 32 hexadecimal digits, or 24 for MiBeacon 2 and 3.
- `irk` has 32 hexadecimal digits, the most significant byte first. Some programs write the other order:
  `keys add --reversed` accepts it.
- `address` of an identity is optional.
- Every object may contain a `comment`. Unknown keys are errors.

Only you may read the file (mode 0600). `blectl` refuses a file that its group or others can read or change, or of another
user, and prints the command that corrects it. If `--keys` names the file, the command ends with status 64; otherwise it says
so and continues without keys. Errors in the file have line and column, and never show text that may be a key.

## Import

```sh
sudo blectl keys import --keys ~/.config/blectl/keys.json   # the IRKs of the devices that are paired with this machine
blectl keys import theengsgw.conf
blectl keys import .storage/core.config_entries
```

- Without a file, `import` reads the paired devices of `/var/lib/bluetooth`, which only root may read. A folder as the
  argument is a copy of it.
- Files of Theengs gateway: `bindkeys` and `identities`.
- Files of Home Assistant: the entries of the integrations BTHome, Xiaomi BLE, Victron BLE and Private BLE Device.
- Any other text with addresses, each followed by its key, such as ble_monitor's YAML, or `ADDRESS KEY` in each line.

An identity that the file has already, by key or address, keeps its name. The file keeps its owner.
"""#

  static let profiles = #"""
# Profiles

A profile gives your own devices, services and characteristics names, and says what their bytes mean. All commands, the
shell, scripts, completion and logs use it.

```json
{
  "$schema": "profile.schema.json",
  "devices": [
    {"name": "Attic", "address": "C8:0F:10:01:02:03", "notes": "behind the beam"}
  ],
  "characteristics": [
    {"uuid": "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa", "name": "climate", "layout": "temperature=i16*0.01°C humidity=u8*0.5%"}
  ]
}
```

```sh
blectl profile check attic.json                               # all mistakes, with line and column
blectl profile check attic.json --example climate=34085e      # climate: temperature 21.00 °C, humidity 47.0 %
blectl profile check attic.json --log attic.ndjson            # what it makes of a log: one line per value
blectl profile new Piano --simulate > piano.json              # begin a file: the unknown UUIDs of a device
blectl profile show                                           # what is known, and from which file
```

## Where profiles are

- `--profile FILE`, with every command, as often as you like
- `BLECTL_PROFILE`, several files with `:` between them
- all files `*.json` in `$XDG_CONFIG_HOME/blectl/profiles` (default `~/.config/blectl/profiles`)

In this order the first one wins. Within a file, an entry that names the service or the device wins over one that does not.
A mistake in a named file ends the command with status 64. A file in the folder that has mistakes is ignored, with a
warning, when one of its names is needed: `profile check` finds all mistakes at any time. The folder is only read when a
command needs names. [The schema](profile.schema.json) describes the files for editors.

## Entries

Each list is optional, as is each key without "required". Every object may have a `comment`.

| list | keys |
|---|---|
| `devices` | `name` (required), `address`, or `identity`: the name of the [key](keys.md) that resolves its private addresses; `notes` |
| `services` | `uuid`, `name` (both required), `replaces` |
| `characteristics`, `descriptors` | `uuid`, `name` (both required), `layout`, `service`, `device`, `replaces` |
| `advertisements` | `company` (`"0157"`) or `service`, `name`, `layout` (both required), `prefix`, `type`, `device` |

- `device` restricts an entry to an address, a name or a pattern such as `"Sensor-*"`; `service` to a service. One UUID can so
  have several meanings.
- World files take these names in the place of UUIDs, and `snapshot` writes them as comments.
- `device` means every name that the device has: that of its advertisements, the one that it tells a connected central, its
  alias, and the one of `devices`.
- A name may have blanks. On the command line, `wheel-speed` is `Wheel speed`: only letters and digits count.
- A standard UUID keeps its meaning unless the entry has `"replaces": true`. The standard name of another UUID is an error.
- `advertisements`: the data of a company or of a service is decoded if it begins with `prefix`; the layout describes the rest.
  `type` is its name in JSON, made from the name if it is missing: `Our sensor` becomes `our-sensor`. It is not one of the
  [formats that blectl knows](adverts.md), before which a profile comes, nor a word that MQTT topics have in its place: `alarm`,
  `absence`, `status`, `set`, `get`, `result`. Fields called `type`, `decryption`, `freshness` or `rssi_dbm`, as records call what
  they say of the packet, get a number: `type_2`.

## Layouts

A layout is a text: the fields in the order of the bytes, with blanks or commas between them. `--as` takes the same text.

```text
NAME=FORMAT[COUNT]*SCALE/DIVISOR+OFFSETUNIT
```

Only FORMAT is needed. The value is the raw number times SCALE, divided by DIVISOR, plus OFFSET.

| text | means |
|---|---|
| `u16 u8*0.5 i16` | three numbers without names: `value_1`, `value_2`, `value_3` |
| `temperature=i16*0.01°C` | hundredths of a degree |
| `temperature=i16/340+36.53°C` | a quotient and an offset |
| `rssi=u8*-1dBm` | a negative scale |
| `samples=i16be[3]*0.001g` | three numbers, big-endian |
| `samples=i16[]` | numbers up to the end |
| `samples=i16[u8]` | a byte with their number, then the numbers |
| `name=utf8[8] serial=hex[6] tail=hex` | texts and bytes: of a fixed size, or up to the end |
| `a=u8 _[2] b=u8 _[]` | two bytes without a meaning in the middle, and all at the end |
| `at=unix` | seconds since 1970 |

| format | bytes |
|---|---|
| `u8` … `u64`, `i8` … `i64`, `f32`, `f64`, `sfloat`, `float`, and `u16be` … | [numbers](formats.md); `be` is big-endian |
| `bool` | one byte, 0 or 1 |
| `utf8`, `hex`, `base64` | a text, or bytes |
| `unix`, `unix64`, `unixms` | seconds in 4 or 8 bytes, or milliseconds in 8, since 1970, in UTC; also with `be` |
| `datetime` | the seven bytes of standard characteristics |
| `_` | bytes without a meaning: written as zeros |

The unit stands at the end of the key, as with standard characteristics: `temperature_celsius`, `humidity_percent`, `speed_m_per_s`.
You may type the name alone: `write Attic climate 'temperature=21.5 humidity=40'`. Directly after a format, only usual units
are accepted (`u8%`, `u16mV`), since another one is probably a misspelt format; after a number, any word is a unit.

Numbers keep all their digits. A quotient that does not end within four decimals is rounded to the decimals that distinguish
the raw numbers. An integer that does not fit 63 bits is a text in JSON; a number with decimals has at most 18 digits, and is
rounded to them.

### Bits, names of numbers, and fields that depend on others

For these, the layout is an array. An element is a text with one field, or an object:

```json
{"uuid": "fff1", "name": "imu", "layout": [
  {"name": "flags", "format": "u8", "bits": [
    {"name": "mode", "bits": "0-1", "values": ["slow", "fast", "off"]},
    {"name": "has_battery", "bits": 4}
  ]},
  "rate=u16Hz",
  {"name": "level", "format": "u16", "scale": 0.1, "unit": "%", "specials": {"0xffff": "unknown"}},
  {"name": "battery", "format": "u8", "unit": "%", "when": "has_battery"},
  {"name": "boost", "format": "u8", "when": {"mode": "fast"}}
]}
```

| key | |
|---|---|
| `format` | required |
| `name`, `scale`, `divisor`, `offset`, `unit` | as in the text |
| `count` | a number, `"rest"`, or `"u8"`, `"u16"`, `"u16be"` for a count before the elements |
| `values` | names of numbers: `["off", "on"]`, or `{"0": "off", "255": "error"}`. Other numbers are `unknown 7` |
| `specials` | words for raw numbers that are no measurement, of a number with a scale |
| `bits` | fields in the bits of `u8` to `u64`: `name`, `bits` (`4` or `"0-3"`, 0 is the lowest), `values`, `scale`, `divisor`, `offset`, `unit`, `signed`. A single bit without names is yes or no |
| `when` | the field is only present with these values of earlier integers or bits: `{"mode": "fast"}`; a name alone must be true. The integers with `bits` have at most 7 bytes in all in a layout with `when` |
| `optional` | the field may be missing at the end |

The same description encodes: `write Attic imu 'rate=100 battery=97'` sets `has_battery` by itself. Bits that are not given
are zero; a whole field on which others depend must be given, or follow from them.

## In a program

```swift
import BLEFormats

let text = #"{"characteristics": [{"uuid": "fff1", "name": "climate", "layout": "temperature=i16*0.01°C humidity=u8*0.5%"}]}"#
let profiles = Profiles([try Profile(parsing: text.utf8, source: "attic.json")])
let layout = profiles.layout(for: BluetoothUUID(short: 0xfff1))
print(layout?.decode([0x34, 0x08, 0x5e]).text ?? "unknown")          // temperature 21.00 °C, humidity 47.0 %
```
"""#

  static let page = #"""
# A page in the browser

`scan`, `listen`, `subscribe`, `monitor` and `serve` also show what happens on a web page, and offer it to programs as a
stream of records, last values, numbers over time, and Prometheus metrics.

```sh
blectl listen --web 8080                                 # http://127.0.0.1:8080/, on this machine only
blectl listen --web 0.0.0.0:8080 --web-token ~/token     # for other machines, with a token
blectl subscribe 'Sensor*' temperature --all --reconnect --web 8080 --log air.sqlite
blectl scan --web 8080                                   # every advertisement, until Ctrl-C
```

`--web [HOST:]PORT` says where the page is. Port 0 takes a free one; stderr shows the address. `blectl-web` serves the page.
It drops and counts what a slow browser cannot take, without delaying the command; if it ends, it is restarted. It must be
next to `blectl` or in `PATH`; `make install` and the Debian package install both.

## What it shows

- **Devices**: names, signal strengths and their course, decoded values, times, links, alarms. The filter finds words in
  names, addresses and values. CSV saves the rows shown.
- **Charts**: for a device, a panel for each number; for a number, a line for each device. A band from the lowest to the
  highest value shows joined points. Drag or use the buttons to choose a time. On the keyboard, the arrows read values, `+`
  and `-` zoom, Page Up and Page Down move. CSV and SVG save the time shown.
- **Alarms and absences** of `--when` and `--absent`, while they last.
- **Events**: links, gaps, alarms, dropped records; with a tick also values.

The page is light or dark like the system, works on phones, by keyboard and with screen readers, and loads nothing from
elsewhere.

## Memory

The page keeps values in memory for `--history` (default 24 hours; 0 is until the end): at most 1,000 numbers with 1,024
points each, of which older ones share a point that keeps their minimum and maximum; the 2,000 devices heard last; and the
last 16 MB of records.

With a database as a [log](logging.md#sqlite), the page also has what came before the command:

```sh
blectl listen --log air.sqlite --web 8080 --history 7d
```

It reads the numbers of the last `--history` from the first `--log` that is a database: the newest million values of
characteristics, and as many advertised ones. Charts and `/api/values` have them within seconds; until then, `/api/devices`
has `"history":"loading"`. Devices have last values and metrics only once they are heard again. Files that `--log-rotate` has
put aside are not read. If the database cannot be read, stderr says why, and the page has only new values.

## For programs

| path | |
|---|---|
| `/api/records` | the [records](json.md) as server-sent events, from now on |
| `/api/devices` | what is known of each device, with its last values |
| `/api/values` | numbers over time |
| `/metrics` | metrics for Prometheus |
| `/health` | status 200, or 503 while nothing can be heard, for supervisors |

```sh
curl -N http://localhost:8080/api/records
curl 'http://localhost:8080/api/values?field=temperature_celsius&since=2026-11-21T05:00:00Z'
curl -H "Authorization: Bearer $(cat ~/token)" http://attic:8080/api/devices
```

### /api/records

An event has an `id` and a record as `data`. A client that reconnects with `Last-Event-ID`, as browsers do, or with
`?after=ID`, gets what came since; the `id` may also be one of `/api/devices` or `/api/values`. A slow client gets
`{"event":"dropped","time":…,"count":N}` in place of the records that it missed. After a restart, it gets the new command's
records from their beginning.

```text
id: tp2ygd-4
data: {"event":"value","time":"2026-11-21T05:11:03.350665Z","address":"C5:EA:50:00:00:01","name":"Garden",…}
```

### /api/devices

```json
{"id":"tp2ygd-6","command":"listen","version":"0.1.0","controls":[],"token":false,
 "listening":{"state":"listening","adapter":"hci0"},"devices":[
 {"address":"C5:EA:50:00:00:01","name":"Garden","rssi":-76,"first":"2026-11-21T05:11:03.350665Z",
  "last":"2026-11-21T05:11:03.350665Z","packets":1,"values":[
  {"source":"bthome","time":"2026-11-21T05:11:03.350665Z","value":"40002a016402ca0903bf13",
   "decoded":{"packet_id":42,"battery_percent":100,"temperature_celsius":25.06,"humidity_percent":50.55,"rssi_dbm":-76}}]}]}
```

| key | |
|---|---|
| `history` | `loading` while numbers from before the command are being read |
| `listening` | `state` is `listening`, `interrupted` with its `reason` and `since`, or `unknown` for commands that do not say |
| `packets` | values and advertisements |
| `connected`, `reason` | of a link; `connections`, `disconnections` and `reconnections` count them |
| `alarms` | those that have not been cleared: `when`, `time`, `decoded` |
| `absent_since` | when a missing device was last heard |
| `lost` | true if BlueZ has removed the device |
| `values` | the last of each `source`: a characteristic, or the type of what is advertised |
| `host` | of devices that several hosts hear: each host's is a device of its own |

### /api/values

`since` is a time as in records, or seconds since 1970. `host`, `address`, `source` and `field` choose; `points` limits the
points per line (1024). A point is `[time, minimum, maximum, last]`, with the time in seconds since 1970; `null` is a gap.
The signal strength is the field `rssi_dbm` of the source `""`.

```json
{"id":"tp2ygd-6","series":[{"address":"C5:EA:50:00:00:01","name":"Garden","source":"bthome","field":"temperature_celsius",
 "points":[[1795647469.988752,25.06,25.06,25.06],null,[1795647529.1,25.1,25.2,25.2]]}]}
```

### /api/write

Only with `--web-control`: a `POST` writes a value. When the device has confirmed it, the status is 200, or 502 with the
error. A program sends the token, if there is one; a browser can only write from the page.

```sh
curl -d '{"address":"D0:B5:C2:0A:0B:0C","characteristic":"ffe3","value":"0x01"}' http://localhost:8080/api/write
```

### /metrics

A decoded number is a gauge whose name ends with its unit:
`blectl_temperature_celsius{address="…",name="Garden",source="bthome"}`. Units are those of Prometheus, without prefixes:
percent become `_ratio`, milliseconds `_seconds`, millivolts `_volts`, hectopascals `_pascals`, kilograms `_grams`. A number
without a unit ends with `_value` where the name would be ambiguous. Absent and removed devices have no values. If several
hosts hear the devices, there is a label `host`.

| metric | |
|---|---|
| `blectl_device_rssi_dbm`, `blectl_device_connected`, `blectl_device_absent`, `blectl_device_last_heard_timestamp_seconds` | of a device |
| `blectl_device_packets_total`, `blectl_device_disconnects_total`, `blectl_device_reconnects_total`, `blectl_device_link_gap_seconds_total` | counters of a device |
| `blectl_alarm_active` | 1, with the condition as `when`, until it is cleared |
| `blectl_listening`, `blectl_listening_gaps_total`, `blectl_listening_gap_seconds_total` | whether devices can be heard; outages |
| `blectl_records_total`, `blectl_dropped_records_total` | records by `event`; what was dropped before the page |
| `blectl_page_clients`, `blectl_page_missed_records_total` | clients of `/api/records`; what slow ones missed |

```yaml
scrape_configs:
  - job_name: blectl
    static_configs: [{targets: ["localhost:8080"]}]
    # with --web-token:  authorization: {credentials_file: /etc/prometheus/blectl-token}
```

## Who may see it

- Without HOST, only this machine can reach the page. Another address needs `--web-token FILE`, or `--web-open` to admit
  everyone.
- The token is the first line of a file that only you may read, at least 16 characters. Programs send it as
  `Authorization: Bearer TOKEN`; browsers ask for it once and keep a cookie. Ten wrong tokens a minute are the limit. Without
  the token, `/health` only says whether all is well.
- Requests must name this server: `localhost`, an address, the name of this machine, HOST, or a name of `--web-name`. Other
  pages' requests are refused.
- The page writes only to a characteristic that `--web-control CHAR` of `subscribe` names, over the command's link. Values
  are as in [`write`](formats.md), but neither files nor standard input.
- A connection can send at most 64 KiB without an answer, and be idle for 75 s; at most 256 are open.

The page speaks HTTP without TLS: others on the network can read it and the token. In a shared network, put a proxy before
it:

```text
# Caddyfile                         blectl listen --web 8080 --web-token ~/token --web-name ble.example.org
ble.example.org {
  reverse_proxy localhost:8080
}
```

```text
# nginx
location / {
  proxy_pass http://127.0.0.1:8080;
  proxy_set_header Host $host;      # as the browser sent it: the page checks it
  proxy_buffering off;
}
```
"""#

  static let files = #"""
# Files

`send` writes a file to a characteristic in packets, such as firmware or settings, and `receive` collects notifications. For
commands around the transfer, use `write`, or a [script](scripts.md). `receive` writes `--request CHAR:VALUE` once
notifications are on, so that you do not miss the first byte.

```sh
blectl send Board 1531 firmware.bin
blectl receive Board 1534 --to log.bin --until-silence 5s
blectl receive Board 1534 --to log.bin --request 1533:u16:1 --until-length 64K
```

On a terminal:

```console
$ blectl send Board 1531 firmware.bin
⠹ sending firmware.bin: 31.2 of 65.5 kB, 20.1 kB/s, 2 s left
sent 65536 bytes in 3.3 s, 20.1 kB/s to Board
```

## Chunks

Chunks are as large as the link permits: the MTU less 3 bytes. `--chunk N` makes them smaller. `--offset-format u32` writes
before each chunk its place in the file, in an integer [format](formats.md), within that size. The last chunk is not padded.

A file can have up to 1 GiB. `send` reads standard input (`-`) to its end first.

## What is certain

What `send` reports as sent has arrived at the device. How it knows:

| | how packets are written | what proves that they have arrived |
|---|---|---|
| default | the first one with response, the others without, where the device permits both | the response to the first; after each window of packets, a small read that the device answers |
| `--with-response` | one after the other | the response to each |
| `--ack CHAR` | as above | a notification of CHAR for each chunk |

A device refuses writes without response in silence, for example because they are too long or the link is not encrypted. The
response to the first packet shows that it takes such packets. Where a characteristic permits only writes without response,
the small reads prove only that the packets have reached the device: `send` says `handed over`, not `sent`, and records have
`"acknowledged":false`, unless `--ack` or a `--checksum-from` that agrees answers for the file. There, `--with-response` is
an error, and `--pair` pairs before the first packet, since the device cannot ask for it.

`--ack 1532:01` takes only this value, or a [pattern](scripts.md#patterns): `01??`, `u16 > 0`. Any other notification of the
characteristic ends the transfer, with the value in the message. `--window 8` lets up to eight chunks wait for their
acknowledgement (default: one). `send` gives up if the device acknowledges nothing for `--timeout`, or more than it was sent.

A refused write ends the transfer.

`send --ack` and `receive` refuse to begin if another program is subscribed to the characteristic, since [BlueZ would repeat
each value](logging.md#guarantees). They do not notice a program that subscribes later.

## Interruptions

After a lost link, a timeout or Ctrl-C, `send` says how much is certain:

```console
$ blectl send Board 1531 firmware.bin --offset-format u32 --resume
blectl: cannot write 1531 of C0:00:00:00:00:02: the link was lost
  31232 of 65536 bytes have certainly arrived; the next 15616 bytes may or may not have arrived
hint: the same command goes on from there
```

With `--resume`, `send` notes this in a file next to the one that it sends, also if the process is killed:
`firmware.bin.C0-00-00-00-00-02.sending`, one for each device. The same command then continues, and removes the note at the
end. This needs the same contents, characteristic and `--offset-format`, or without offsets the same `--chunk`. `send`
repeats uncertain bytes, which needs `--offset-format`; otherwise, it says which note to remove, to begin again. A difference
of `--checksum-from` also removes the note. If a killed run has left its link, `send` first waits for what the device still
acknowledges: for each chunk at most two seconds.

`receive` writes bytes at once: an interrupted file is shorter. An existing file is replaced when the first bytes come.

## L2CAP channels

An L2CAP channel is faster than a characteristic, and has flow control. `--psm N` uses the channel with that number:

```sh
blectl send Board firmware.bin --psm 0x80
blectl receive Board --psm 0x81 --to log.bin
```

A packet is as large as the device takes, often some kilobytes; `--chunk` makes it smaller, and `--offset-format` works as
above. `send` fails if the device takes nothing for `--timeout`, and drops what the device sends meanwhile.

At the end, `send` waits until everything has left this machine, and then for the answer to a small read: packets arrive in
order, so the file has arrived. If the device has no attribute to read, `send` says `handed over`. An interrupted transfer
says only how many bytes have left this machine, so `--resume` is refused. So are `--ack` and `--with-response`.
[Checksums](#checksums) use characteristics.

`receive` ends when the device closes the channel, or as the next section says, but not after two seconds of silence. A
device that closes the channel and the link at once leaves open whether this was the end: use `--until-length` there.

## The end of a received file

| option | complete |
|---|---|
| `--until-length 64K` | after this number of bytes; what follows is ignored |
| `--until-value 0d0a` | with these bytes, which are the last ones of the file |
| `--until-silence 5s` | when nothing more has come for this time, and the device answers a read behind it: a link that is dead is silent, too |

The first condition that is met counts. Without any, two seconds of silence end the file, or with `--psm` the end of the
channel. If the first bytes, or with a length or a value the next ones, do not come within `--timeout`, `receive` fails with
status 5, and keeps what has come.

A file has the bytes of one device: a script with `--all` cannot use `--to -` or `send CHAR -`, and a second device or
process cannot write to the same file.

In a script, `receive` begins with the values that wait since a step subscribed to the characteristic, as `expect` does.
Later values wait for the next step. With `--request`, earlier values are dropped:

```
subscribe 1534
write 1533 u16:1
receive 1534 --to log.bin --until-length 64K
```

## Checksums

`--crc32` and `--sha256` print the checksum of the whole file, as `crc32` and `sha256sum` do. `--checksum-from CHAR` compares
it with the device's at the end; a difference is an error, with status 1, and a record `mismatched`.
`send --checksum-to CHAR` writes it to the device. There, a CRC-32 has four bytes, little-endian, and a SHA-256 has 32.
"""#

  static let serialPorts = #"""
# Serial ports

`serial` connects a device that carries the bytes of a serial port (a console, AT commands, a log) with a terminal, a pipe,
or any program for serial ports.

```sh
blectl serial Board                      # a console on the terminal
blectl serial Board <commands >answers   # in a pipe
blectl serial Board --pty /tmp/board     # a port for programs: picocom /tmp/board
blectl serial Board --tcp 7777           # a port for programs in the network: socat - TCP:localhost:7777
```

## Services

| service | found by | flow control |
|---|---|---|
| Nordic UART; Adafruit Bluefruit | `6e400001-b5a3-f393-e0a9-e50e24dcca9e` | none |
| HM-10 and its like | `ffe0`, one characteristic for both directions | none |
| Microchip Transparent UART | `49535343-fe7d-4ae5-8fa9-9fafd205e455` | none |
| u-blox Serial Port Service | `2456e1b9-26e2-8f83-e744-f34f01e9d701` | credits |
| Silicon Labs SPP | `4880c12c-fdcb-4077-8920-a450d7f9b907` | none |
| Telit (Stollmann) Terminal I/O | `fefb` | credits |
| Laird Virtual Serial Port | `569a1101-b87f-490c-92cb-11ba5ea5167c` | none; its modem lines are left alone |

`--rx` and `--tx` name the characteristics of other services, as the device sees them: it receives on `--rx`, and transmits
on `--tx`. If you omit one, the other carries both directions. If a device has several serial services, `serial` lists their
characteristics for `--rx` and `--tx`.

## Bytes and packets

A packet is as large as the link permits: the MTU less 3 bytes. `serial` writes packets [as `send`
does](files.md#what-is-certain), and also each packet that is longer than all earlier ones with response: bytes that are
`sent` have arrived, `handed over` ones may have been refused. `--with-response` lets the device confirm each packet, which
is slower.

A pipe, a pseudo-terminal or a socket waits for the device. In the other direction, only credits can stop a device: received
bytes wait in memory, up to `--buffer`; `serial` drops further packets, says so at once, and counts them at the end.

```console
$ blectl serial Board <firmware.txt >/dev/null
sent 65536 bytes, received 12 bytes
```

If another program subscribes to the same characteristic, BlueZ gives each byte twice to both. `--via socket` excludes
others; [it is dangerous before BlueZ 5.84](bluez-versions.md#acquired-notifications-end-versions-before-584).

## Lost links

With `--pty`, `--tcp` and `--unix`, `serial` waits for the device and reopens lost links, until Ctrl-C. Programs keep the
port open. What they write waits, up to `--buffer`, and then the writer waits; `--drop` drops and counts it instead.
`--no-reconnect` ends with the link; connected programs still get what was received, as long as they take something every 2
seconds.

On a terminal and in a pipe, a lost link is an error, with status 1, unless you give `--reconnect`.

If a device returns without its serial service, `serial` keeps trying; one message says what is missing.

When a link is lost, up to 128 packets (one with `--with-response`) may not have arrived. `serial` does not repeat them,
because a device could execute a command twice. It counts their bytes on stderr:
`the link was lost: 244 bytes may not have arrived`. At the end, it also counts unsent and unread bytes.

## On a terminal

Each key goes to the device at once, Ctrl-C and Ctrl-Z too. **Ctrl-]** ends; `--escape ^a` chooses another key, and
`--escape none` leaves only a signal. Most devices send back what you type; if yours does not, add `--echo`.

`--line` lets you edit a line before Return sends it; Ctrl-D ends. `--crlf` sends CR LF for Return, and begins each received
line at the first column, even after LF alone.

The console passes on the control sequences of the device, which can clear the screen and change colours and the title. With
a device that you do not trust, use `--hex`.

In the background (`blectl serial Board &`), the console leaves the terminal alone; `fg` gives it to the device.

`--hex` shows the packets as hexadecimal digits, `--timestamps` writes the time before each line, and `--log FILE` appends
the received data, as shown, to a file. With `--hex` or `--timestamps`, the log begins on a new line. If the file cannot be
written, a message says so at once, and `serial` ends with status 1:

```console
$ printf '\360==\007\002\367' | blectl serial Piano --rx ffe3 --tx ffe2 --hex --timestamps
2026-11-22T18:06:07.065973Z  9f 54 07                                         |.T.|
sent 6 bytes, received 3 bytes
```

## In a pipe

Standard input goes to the device, its answers to standard output. After the end of the input, `serial` ends when everything
is sent, and it has received nothing for a second. `--linger 5s` waits longer for answers, and `--linger 0` waits until
Ctrl-C or a lost link: `blectl serial Board --linger 0 </dev/null >log`. If a device with credits, or an L2CAP channel, takes
nothing for `--timeout`, `serial` fails with status 5.

## Ports for programs

The first line of standard output says where programs find the port; with `--json`, it is a
[record](json.md#serial-ports-serial).

- `--pty` opens a pseudo-terminal, such as `/dev/pts/4`. `--pty=LINK`, or `--pty` and a path with a `/`, also creates a
  symbolic link, in place of an old one that leads into `/dev`, and removes it at the end. Programs can set any speed; a
  break does nothing, and modem lines are refused.
- `--tcp 7777` listens on this machine only, `--tcp 0.0.0.0:7777` on every network. **There is no password and no
  encryption**: whoever reaches the port uses the device.
- `--unix PATH` listens on a Unix socket that only you can open. It replaces one that no process listens on.

A server accepts one program at a time, or several with `--share`: all get what the device sends, and `serial` mixes what
they write. It disconnects one that leaves more than `--buffer` unread. A program that only closes its sending direction, as
`printf 'AT\r' | socat -t3 - TCP:localhost:7777` does, gets answers until nothing has come for a second, or it has gone.

Bytes for which no program is connected wait for the next one, up to `--buffer`. If a program leaves before it has read
everything, the next one misses what the kernel held; a message says so. A program can reconnect at once: `serial` first
reads what the earlier one sent.

`--all` serves every matching device, also later ones, each at a port of its own:

```sh
blectl serial 'Board*' --all --pty=/tmp/board     # /tmp/board-C0:00:00:00:00:01 and so on
```

A line gives the address, the name and the port of each device. Names of links, sockets and `--log` files end with its
address; `--tcp` needs port 0, which takes a free port for each. If a device fails for good, the others continue; the status
is then 1.

## L2CAP channels

`--psm N` uses the L2CAP channel with that number instead of characteristics:

```sh
blectl serial Board --psm 0x80                    # in place of --rx and --tx
blectl serve --serial --psm 0 --pty /tmp/port     # offer one; it says which number it got
```

[Files](files.md#l2cap-channels) go through a channel, too. A channel has flow control in both directions: nothing is
dropped, and a device that does not read stops the writer. Bytes that count as sent have left this program; the kernel does
not say when they arrive, and drops what the device has not taken when the channel closes. At the end of the input in a pipe,
`serial` therefore waits, as long as the device takes something within `--timeout`. You cannot use a channel of another host
(`-H`).

`serve` offers its channel again after an outage of bluetoothd, the adapter or its power, with the same number; a message
says so. A number below 128 needs `CAP_NET_BIND_SERVICE`. Channels need a kernel with Bluetooth sockets, which some
containers lack.

## Devices for tests

A device of a [world file](world.md#serial-ports) can be a serial port that sends back what it gets, or answers lines:

```sh
blectl serial Modem --simulate=Examples/serial/world.json
blectl serve Examples/serial/world.json Modem     # over the air
blectl simulate Examples/serial/world.json -- python3 yours.py
```

## Be a serial port

`serve --serial` is the other end: this machine advertises a Nordic UART, which any app for serial ports can use.

```sh
blectl serve --serial -- bash            # a console into this machine; started for each central
blectl serve --serial --pty /tmp/port    # what programs write to the port goes to the central
blectl serial board --pty /tmp/port      # … on another machine
```

**There is no login.** A command runs with your rights, for whoever is connected. Therefore only devices that have paired
with a passkey or a comparison can use the port; `blectl agent` answers their pairing. `--open` lets every device in range
use it, and warns. BlueZ before 5.62 lets every device read what the port sends.

A command gets a terminal of 24 lines of 80 columns. It starts when a central subscribes, and again when it has ended, at
most once a second; the central gets all of its output, but unread input is lost. When the last central leaves, the terminal
hangs up, as with ssh; `serve` kills a command that has not ended a second later.

With `--pty`, `--tcp` or `--unix`, bytes wait for a central, up to `--buffer`; `--drop` drops them. Several centrals get the
same bytes; an L2CAP channel refuses a second central. Sent bytes have left this program, at the speed of bluetoothd; BlueZ
does not say when a notification arrives. Packets have 20 bytes until a central has written something, which shows its packet
size.

Between two machines with BlueZ 5.66, packets may overtake each other: [limit BlueZ to one
channel](bluez-versions.md#values-overtake-each-other-between-two-machines-with-566), or use an L2CAP channel.
"""#

  static let extensions = #"""
# Commands of your own

`blectl NAME …` runs the program `blectl-NAME` from PATH, if no command of blectl has that name, as git, cargo and gh do. It may
be written in any language. `blectl help` lists the programs found.

- It takes the place of blectl: signals go to it, and its exit status is the result.
- Its arguments are the words after NAME. `blectl help NAME` passes `--help`.
- The variable `BLECTL` is the path of the blectl that started it. Use it to run blectl: it may not be in PATH.
- NAME consists of letters, digits, `-`, `_` and `.`. Commands of blectl win, and so do commands of later versions: choose a name
  that says whose it is, such as `acme-lamp`. `blectl-web` belongs to blectl.
- Only absolute folders of PATH are searched, so that a mistyped command never runs a file of the current folder.

Programs can rely on [exit statuses](exit-status-and-errors.md) and [JSON records](json.md), which only grow. Text for people may
change.

## In shell

`blectl-battery DEVICE` prints the charge, and fails when it is low:

```sh
#!/bin/sh
# blectl-battery: the battery of a device. Usage: blectl battery DEVICE [OPTION…]
case ${1:---help} in
  --help) echo 'Usage: blectl battery DEVICE [OPTION…]'; exit 0 ;;
esac
device=$1
shift
percent=$("$BLECTL" read "$device" 2a19 --as u8 -q "$@") || exit
echo "$device: $percent %"
[ "$percent" -ge 20 ]
```

```sh
blectl battery 'Heart Strap' --simulate
```

## In Python

`blectl-pulse DEVICE` prints the highest heart rate of five. It reads records, and passes on the status of blectl:

```python
#!/usr/bin/env python3
"""blectl-pulse: the highest of five heart rates. Usage: blectl pulse DEVICE [OPTION…]"""
import json, os, subprocess, sys

if sys.argv[1:] in ([], ["--help"]):
    sys.exit(print(__doc__))
command = [os.environ["BLECTL"], "subscribe", sys.argv[1], "2a37", "--count", "5", "--json", *sys.argv[2:]]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as blectl:
    records = [json.loads(line) for line in blectl.stdout]
print(max((r["decoded"]["heart_rate_bpm"] for r in records if r["event"] == "value"), default="none"))
sys.exit(blectl.returncode)
```

```sh
blectl pulse 'Heart Strap' --simulate
```

## Tab

The completions of blectl offer the names of extensions. The words behind a name come from another program,
`blectl_complete-NAME` in PATH. It is a file of its own, because a program that knows nothing of completions would do its work
when Tab is pressed. A link to the extension will do, if that looks at the name by which it was started.

Its arguments are the words behind NAME up to the cursor; the last one, which may be empty, is the one to complete. It prints a
candidate a line, and behind a tab what it means. All candidates are offered that begin with the last word. It has two seconds.

```sh
#!/bin/sh
# blectl_complete-battery: known devices, then options.
case $# in
  1) "$BLECTL" devices -q | cut -f 2 ;;
  *) printf '%s\t%s\n' --timeout 'Time limit' --simulate 'Simulated devices' ;;
esac
```

Words with characters that a shell could expand, such as `$`, are not offered. bash splits words at `:` and `=`, and takes no
meanings.
"""#
}
