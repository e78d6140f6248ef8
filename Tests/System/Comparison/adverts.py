#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `blectl decode advert` makes of sensors' advertisements with what independent packages make of them.

Of each format, 10,000 advertisements are generated: of every model, with likely and with arbitrary values. The packages
are those of Home Assistant and of the makers' users. Each field of ours that has a counterpart is compared, numbers within
half of the last digit that both show. adverts.json explains the differences that may be; any other, and an explanation
without a difference, is a failure.

    adverts.py BLECTL
"""
import collections
import json
import logging
import math
import pathlib
import random
import struct
import subprocess
import sys

from aioshelly.ble.manufacturer_data import parse_shelly_manufacturer_data
from bleak.backends.device import BLEDevice
from govee_ble import GoveeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from inkbird_ble import INKBIRDBluetoothDeviceData
from qingping_ble import QingpingBluetoothDeviceData
from ruuvitag_ble import RuuvitagBluetoothDeviceData
from switchbot.adv_parser import _parse_data as parse_switchbot
from thermopro_ble import ThermoProBluetoothDeviceData
from thermopro_ble.parser import tp96_battery
from xiaomi_ble import XiaomiBluetoothDeviceData

logging.disable(logging.CRITICAL)
HERE = pathlib.Path(__file__).parent
ADDRESS = "A4:C1:38:AA:BB:CC"
SAMPLES = 10_000


class Advert:
    """The parts of an advertisement."""

    def __init__(self, name="", services=(), manufacturer=(), service_data=()):
        self.name, self.services = name, list(services)
        self.manufacturer, self.service_data = dict(manufacturer), dict(service_data)

    def bytes(self):
        def part(kind, data):
            return bytes([len(data) + 1, kind]) + data

        raw = part(0x09, self.name.encode()) if self.name else b""
        for service in self.services:
            raw += part(0x03, struct.pack("<H", service))
        for company, data in self.manufacturer.items():
            raw += part(0xFF, struct.pack("<H", company) + data)
        for service, data in self.service_data.items():
            raw += part(0x16, struct.pack("<H", service) + data)
        return raw

    def info(self):
        """The advertisement as the packages of Home Assistant take it."""
        def long(service):
            return f"0000{service:04x}-0000-1000-8000-00805f9b34fb"

        return BluetoothServiceInfoBleak(
            name=self.name, address=ADDRESS, rssi=-60, manufacturer_data=self.manufacturer,
            service_data={long(service): data for service, data in self.service_data.items()},
            service_uuids=[long(service) for service in self.services], source="local",
            device=BLEDevice(ADDRESS, self.name, {}), advertisement=None, connectable=False, time=0, tx_power=None)


def sensors(parser):
    """What a package of Home Assistant decodes: values by their key."""
    def decode(advert):
        update = parser().update(advert.info())
        found = [*update.entity_values.items(), *update.binary_entity_values.items()]
        names = [key.key[-1] if isinstance(key.key, tuple) else getattr(key.key, "value", key.key) for key, _ in found]
        values = {name: value.native_value for name, (_, value) in zip(names, found)}
        values.pop("signal_strength", None)
        # One model with several sensors has its own name for the humidity.
        if "humidity_probe_1" in values:
            values["humidity"] = values.pop("humidity_probe_1")
        return {name: value for name, value in values.items() if value not in (None, "error")}

    return decode


# Generators: an endless number of advertisements of a format.


def raw(source, count):
    return bytes(source.choice([0, 0x7F, 0x80, 0xFF, *[source.randrange(256)] * 6]) for _ in range(count))


def likely(source, low, high, *wild):
    """A number that is likely, or now and then one of the wild ones."""
    return source.randint(low, high) if source.random() < 0.9 else source.choice(wild)


def packed(source):
    """Govee's number of temperature and humidity."""
    if source.random() < 0.1:
        return raw(source, 3)
    number = source.randrange(1000) * 1000 + source.randrange(1000)
    return (number | (0x800000 if source.random() < 0.3 else 0)).to_bytes(3, "big")


def battery(source):
    return bytes([source.randrange(101) | (0x80 if source.random() < 0.05 else 0)])


def degrees(source, form=">h"):
    return struct.pack(form, likely(source, -4000, 30000, -1, 0, 32767, -32768))


def govee(source):
    model = source.choice([
        5072, 5075, 5129, 5100, 5101, 5102, 5103, 5104, 5105, 5108, 5110, 5174, 5177, 5179, 5112, 5140, 5106, 5074, 5051,
        5052, 5071, 5178, 51790, 5181, 5182, 5183, 5184, 5185, 5191, 5198, 5055, 5127])
    name, company, services = f"GVH{model}_1234", 0x0001, []
    if model in (5072, 5075, 5129):
        data, company = b"\0" + packed(source) + battery(source) + b"\0", 0xEC88
        name = source.choice([name, "", "Piano"])
    elif model == 5112:
        data = b"\1\1" + packed(source) + battery(source) + b"\0" + source.choice([b"\x41", b"\x82", b"\x82", b"\x17"])
    elif model == 5140:
        data = b"\1\1" + packed(source) + raw(source, 2) + source.choice([b"\0", b"\0", b"\0", b"\1"])
    elif model == 5106:
        number = source.randrange(1000) * 10**6 + source.randrange(10**6)
        data = b"\1\1" + (number | source.choice([0, 0, 1 << 31])).to_bytes(4, "big")
    elif model in (5074, 5051, 5052, 5071):
        data = b"\0" + degrees(source, "<h") + raw(source, 3) + raw(source, 1 if model == 5074 else 3)
        company = source.choice([0xEC88, 0xEC88, 1])
        name = source.choice([name, ""]) if company == 0xEC88 else name
    elif model == 5178:
        data = b"\1\0" + source.choice([b"\0", b"\1"]) + packed(source) + battery(source) + b"\0\0"
    elif model == 51790:
        data, name = b"\xec\0\1\1" + degrees(source, "<h") + raw(source, 3), "Govee_H5179_1234"
        company = 0x8801
    elif model == 5127:
        data = b"\xec\0" + source.choice([b"\1\1", b"\2\1", b"\3\1"]) + source.choice([b"\0", b"\1"]) \
            + source.choice([b"\x11", b"\x00"])
        company = source.choice([0x8803, 0x8843])
        name = source.choice([name, ""])
    elif model == 5055:
        data = raw(source, 2) + battery(source) + raw(source, 2) + degrees(source, "<h") + degrees(source, "<h") \
            + degrees(source, "<h") + b"\0" + degrees(source, "<h") * 3 + raw(source, 2)
        services = [0x5550]
    elif model > 5180:
        length = {5181: 14, 5183: 14, 5182: 17, 5184: 17}.get(model, 20)
        values = b"\0" if model in (5182, 5184) else b"\0\0" if model == 5185 else b""
        data = raw(source, 6) + bytes([source.choice([1, 65, 129, 193, 2, 66, 130, 194, 7])]) + raw(source, 1) \
            + degrees(source) + degrees(source) + values + b"".join(degrees(source) for _ in range(6))
        data = data[:length]
        digits = str(model)
        named = source.random() < 0.5
        name, services = (name, []) if named else ("", [int(digits[2:] + digits[:2], 16)])
    else:
        data = b"\1\1" + packed(source) + battery(source) + source.choice([b"", b"\0\0"])
        name = name.replace("GVH5179", "GV5179")
    return Advert(name, services, {company: data})


def thermopro(source):
    model = source.choice(["TP357", "TP357S", "TP358", "TP393", "TP397", "TP96", "TP970", "TP972"])
    if model == "TP972":
        probe = [min(max(source.gauss(150, 60), 55), 700) for _ in range(3)]
        data = struct.pack("<BHHfffHHH", source.randrange(4), source.randint(60, 700), source.randint(2000, 2700),
                           *probe, 1, 2, 3)
    elif model in ("TP96", "TP970"):
        data = struct.pack("<BHHH", source.randrange(4), likely(source, 0, 400, 65535), source.randint(2000, 2700),
                           likely(source, 0, 400, 65535)) + source.choice([b"", raw(source, 6)])
    else:
        data = b"\xc2" + struct.pack("<hB", likely(source, -400, 800, -1, 32767), likely(source, 0, 100, 255)) \
            + bytes([source.choice([0, 1, 2, 3, 0x2C, 0x2D, 0x2E])]) + source.choice([b"\x2c", b"\x2c\1\2"])
    return Advert(f"{model} (1234)", (), {int.from_bytes(data[:2], "little"): data[2:]})


def inkbird(source):
    name = source.choice(["sps", "tps", "ITH-11-B", "ITH-13-B", "ITH-21-B", "IBS-P02B", "iBBQ", "xBBQ", "", ""])
    temperature, humidity = likely(source, -400, 1000, -1, 32767), likely(source, 0, 1000, 0, 1001, 65535)
    percent = bytes([likely(source, 0, 100, 101, 255)])
    if name in ("sps", "tps"):
        data = struct.pack("<hH", likely(source, -4000, 10000, -1), likely(source, 0, 10000, 0, 10001, 65535)) \
            + raw(source, 3) + percent + raw(source, 1)
        return Advert(name, (), {int.from_bytes(data[:2], "little"): data[2:]})
    if name.endswith("BBQ"):
        probes = b"".join(struct.pack("<h", likely(source, -200, 3000, -1)) for _ in range(source.choice([1, 2, 4, 6])))
        return Advert(name, (), {source.choice([0, 1]): raw(source, 8) + probes})
    if name == "" and source.random() < 0.5:
        data = b"\0\x62" + raw(source, 5) + source.choice([b"\0", b"\2"]) \
            + struct.pack(">hHH", temperature, humidity, source.randrange(10000)) + raw(source, 1)
        return Advert("", (), {0x3254: data})
    end = source.choice([b"\0\0\0", raw(source, 3)])
    data = raw(source, 4) + struct.pack("<hH", temperature, humidity) + percent + raw(source, 4) + end
    return Advert(name, [0xFFF0], {0x2449: data})


def ruuvi(source):
    form = source.choice([3, 5, 6, 0xE1])
    length = {3: 13, 5: 23, 6: 19, 0xE1: 39}[form]
    return Advert("Ruuvi", (), {0x0499: bytes([form]) + raw(source, length)})


def qingping(source):
    data = bytes([source.choice([0x08, 0x48, 0x88]), source.choice([1, 4, 7, 9, 12, 14, 15, 16, 18, 21, 22, 24, 30, 36, 38,
                                                                    51, 79, 93, 82, 98, 3])]) + bytes.fromhex(
        "ccbbaa38c1a4")
    sizes = {1: 4, 2: 1, 4: 1, 7: 2, 8: 4, 9: 4, 15: 1, 17: 1, 18: 4, 19: 2, 21: 2, 24: 2, 25: 1, 99: 3}
    # 8 and 9 measure the same.
    twin = source.choice([8, 9])
    kinds = source.sample([kind for kind in sizes if kind != twin], source.randint(1, 5))
    for kind in kinds:
        size = likely(source, sizes[kind], sizes[kind], sizes[kind] + 1)
        value = bytes([source.randrange(4)]) if kind == 4 else raw(source, size)
        data += bytes([kind, len(value)]) + value
    return Advert("", (), (), {0xFDCD: data[: len(data) - source.choice([0, 0, 0, 0, 1])]})


def xiaomi_scale(source):
    date = struct.pack("<HBBBBB", source.randint(2015, 2030), source.randint(1, 12), source.randint(1, 28),
                       source.randrange(24), source.randrange(60), source.randrange(60))
    weight = struct.pack("<H", likely(source, 1, 40000, 0, 65535))
    if source.random() < 0.5:
        return Advert("", (), (), {0x181D: raw(source, 1) + weight + date})
    return Advert("", (), (), {0x181B: raw(source, 2) + date + raw(source, 2) + weight})


def shelly(source):
    blocks = [b"\1" + raw(source, 2), b"\x0a" + raw(source, 6), b"\x0b" + bytes([source.randrange(10), 0])]
    source.shuffle(blocks)
    data = b"".join(blocks[: source.randint(1, 3)]) + source.choice([b"", b"", b"\x77\1"])
    return Advert("", (), {0x0BA9: data[: len(data) - source.choice([0, 0, 0, 1, 2])]})


def switchbot(source):
    model = source.choice(b"HbBTtiIwW4\x14" b"5\x15dDsScC{[xXgGjJ%\x05vV&\x06!")
    model |= source.choice([0, 0, 0, 0x80])
    service = bytes([model]) + raw(source, source.choice([2, 2, 5, 8, 9]))
    manufacturer = raw(source, source.choice([8, 9, 10, 11, 12, 13, 15, 16, 17]))
    both = source.random()
    return Advert("", (), {0x0969: manufacturer} if both > 0.2 else {}, {0xFD3D: service})


# What the packages decode, by the keys that they have there.


def decode_switchbot(advert):
    data = parse_switchbot(advert.service_data[0xFD3D], advert.manufacturer.get(0x0969), 0x0969) or {}
    values = {key: value for key, value in (data.get("data") or {}).items() if value is not None}
    return {key: value for key, value in values.items() if not isinstance(value, dict)}


def decode_shelly(advert):
    return parse_shelly_manufacturer_data(advert.manufacturer) or {}


# Ours by the keys of the packages: the key, or the key and what to make of the value.


def bits(names):
    table = ["discoverable", "authentication", "rpc-over-ble", "buzzer", "pairing"]
    return sum(1 << (table.index(name) if name in table else int(name[4:])) for name in names)


PROBES = {f"probe_{number}{mine}_celsius": f"{theirs}_probe_{number}"
          for number in range(1, 7)
          for mine, theirs in (("", "temperature"), ("_alarm", "temperature_alarm"),
                               ("_low_alarm", "low_temperature_alarm"))}
CLIMATE = {"temperature_celsius": "temperature", "humidity_percent": "humidity", "battery_percent": "battery"}
GRAVITY = 0.00980665
FORMATS = {
    "govee": (govee, sensors(GoveeBluetoothDeviceData), CLIMATE | PROBES | {
        "co2_ppm": "carbon_dioxide", "pm2_5_ug_per_m3": "pm25", "present": "occupancy", "moving": "motion"}),
    "thermopro": (thermopro, sensors(ThermoProBluetoothDeviceData), CLIMATE),
    "inkbird": (inkbird, sensors(INKBIRDBluetoothDeviceData), CLIMATE | PROBES | {"co2_ppm": "carbon_dioxide"}),
    "ruuvi": (ruuvi, sensors(RuuvitagBluetoothDeviceData), CLIMATE | {
        "pressure_pa": ("pressure", lambda value: value / 100), "battery_mv": "voltage", "movements": "movement_counter",
        "pm1_ug_per_m3": "pm1", "pm2_5_ug_per_m3": "pm25", "pm4_ug_per_m3": "pm4", "pm10_ug_per_m3": "pm10",
        "co2_ppm": "carbon_dioxide", "voc_index": "voc_index", "nox_index": "nox_index", "illuminance_lux": "illuminance"}
        | {f"acceleration_{axis}_mg": (f"acceleration_{axis}", lambda value: value * GRAVITY) for axis in "xyz"}),
    "qingping": (qingping, sensors(QingpingBluetoothDeviceData), CLIMATE | {
        "external_power": ("battery", lambda value: 100), "open": "door", "left_open": "door_left_open",
        "pressure_hpa": "pressure", "motion": "motion", "light": "light", "illuminance_lux": "illuminance",
        "pm2_5_ug_per_m3": "pm25", "pm10_ug_per_m3": "pm10", "co2_ppm": "carbon_dioxide", "voc_index": "voc_index",
        "noise_db": "sound_pressure"}),
    "xiaomi-scale": (xiaomi_scale, sensors(XiaomiBluetoothDeviceData), {
        "weight_kg": "mass_non_stabilized", "weight_lb": ("mass_non_stabilized", lambda value: value * 0.45359237),
        "weight_jin": ("mass_non_stabilized", lambda value: value / 2), "impedance_ohm": "impedance",
        "stable": "stabilized"}),
    "shelly": (shelly, decode_shelly, {
        "model_id": ("model_id", lambda value: int(value, 16)), "flags": ("flags", bits), "mac": "mac"}),
    "switchbot": (switchbot, decode_switchbot, CLIMATE | {
        "co2_ppm": "co2", "on": "isOn", "switch_mode": "switchMode", "motion": "motion_detected", "open": "contact_open",
        "left_open": "contact_timeout", "light": "is_light", "presses": "button_count", "moving": "inMotion",
        "closed_percent": ("position", lambda value: 100 - value), "light_level": "lightLevel",
        "calibrated": "calibration", "tilt_percent": "tilt", "power_w": "power", "wifi_rssi_dbm": "wifi_rssi",
        "leak": "leak", "tampered": "tampered", "battery_low": "low_battery"}),
}


def mapped(fields, table):
    """Our fields under the keys of the package; those without a counterpart are left out."""
    values = {}
    for key, value in fields.items():
        if key in table:
            entry = table[key]
            other, convert = entry if isinstance(entry, tuple) else (entry, lambda same: same)
            values[other] = convert(value)
    return values


def thermopro_probe(fields):
    """The names of the package contain the number of the probe."""
    number = fields.get("probe")
    if number is None:
        return {}
    values = {"ambient_celsius": "ambient_temperature", "temperature_celsius": "internal_temperature",
              "center_celsius": "internal_center_temperature", "end_celsius": "internal_end_temperature"}
    named = {f"{theirs}_probe_{number}": fields[mine] for mine, theirs in values.items() if mine in fields}
    ambient = f"ambient_temperature_probe_{number}"
    return named | {ambient: int(named[ambient]), f"battery_probe_{number}": round(tp96_battery(fields["battery_mv"]))}


def decode(blectl, adverts):
    """The binary's decoding: the fields of the sensor's formats in each advertisement."""
    lines = "".join(f"advert hex:{advert.bytes().hex()}\n" for advert in adverts)
    run = subprocess.run([blectl, "decode", "--from", "-", "--json"], input=lines, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"compare: {run.stderr}")
    for line in run.stdout.splitlines():
        decoded = json.loads(line)["decoded"]
        fields = {}
        for part in decoded.get("service_data", []) + decoded.get("manufacturer_data", []):
            fields |= part.get("decoded", {})
        yield fields


def same(mine, theirs):
    if isinstance(mine, bool) or isinstance(theirs, bool):
        return bool(mine) == bool(theirs)
    if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
        digits = min(len(repr(theirs).partition(".")[2]), 2)
        return mine == theirs or isinstance(mine + theirs, float) and math.isclose(
            mine, theirs, rel_tol=1e-9, abs_tol=0.501 * 10.0**-digits)
    return mine == theirs


def differences(mine, theirs):
    """The keys that differ, and how: only ours, only theirs, or another value."""
    for key in sorted(mine.keys() | theirs.keys()):
        if key not in theirs:
            yield key, "ours"
        elif key not in mine:
            yield key, "theirs"
        elif not same(mine[key], theirs[key]):
            yield key, "value"


def is_outside(number, entry):
    """Whether a number of theirs is one that the quantity cannot have."""
    low, high = entry["outside"]
    return number is not None and not low <= number <= high


def main():
    explained = json.loads((HERE / "adverts.json").read_text())
    used = [0] * len(explained)
    failures = {}
    for format, (generate, reference, table) in FORMATS.items():
        source = random.Random(format)
        adverts = [generate(source) for _ in range(SAMPLES)]
        agreeing, count = 0, collections.Counter()
        for advert, fields in zip(adverts, decode(sys.argv[1], adverts)):
            mine, theirs = mapped(fields, table), reference(advert)
            if format == "thermopro" and "probe" in fields:
                mine = thermopro_probe(fields)
            wrong = dict(differences(mine, theirs))
            agreeing += len((mine.keys() & theirs.keys()) - wrong.keys())
            count["both"] += bool(mine) and bool(theirs)
            for key, how in wrong.items():
                entry = next((index for index, entry in enumerate(explained)
                              if entry["format"] == format and entry["how"] == how
                              and ("fields" not in entry or key in entry["fields"])
                              and ("theirs" not in entry or theirs.get(key) == entry["theirs"])
                              and ("outside" not in entry or is_outside(theirs.get(entry.get("of", key)), entry))), None)
                if entry is None:
                    message = f"{advert.name!r} {advert.bytes().hex()}: {mine} / {theirs}"
                    failures.setdefault(f"{format} {key} ({how})", message)
                    count[f"{key} ({how})"] += 1
                else:
                    used[entry] += 1
        if agreeing < SAMPLES:
            failures[format] = f"only {agreeing} fields agree"
        print(f"compare: {format}: {SAMPLES} advertisements, {count['both']} decoded by both, {agreeing} fields agree")
    for what, message in failures.items():
        print(f"compare: {what}: {message}", file=sys.stderr)
    unused = [entry for entry, times in zip(explained, used) if times == 0]
    for entry in unused:
        print(f"compare: explained, but no difference: {entry}", file=sys.stderr)
    print(f"compare: {len(explained)} differences of advertisements are explained, {len(failures)} are not")
    sys.exit(1 if failures or unused else 0)


main()
