#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what BLEFormats decrypts with what the packages bthome-ble, xiaomi-ble and victron-ble make of the same packets.

10,000 packets of each format are generated: random values in all kinds of objects and records, encrypted with random
keys by the package cryptography. Numbers must be equal within half of a hundredth, and yes and no must be the same.
Other states and events have other names there: one of ours must stand for the same of theirs each time.
key-differences.json explains what may differ; any other difference, and an explanation without a difference, is a
failure.

    compare_keys.py ADVERT-DECODER
"""
import collections
import datetime
import enum
import json
import logging
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import types

from bthome_ble.const import MEAS_TYPES
from bthome_ble.parser import BTHomeBluetoothDeviceData
from Cryptodome.Cipher import AES
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from victron_ble.devices import detect_device_type
from victron_ble.devices.base import AlarmReason, ChargerError, OffReason, OperationMode
from xiaomi_ble.parser import XiaomiBluetoothDeviceData

logging.disable(logging.CRITICAL)
PACKETS = 10_000
ADDRESS = "A4:C1:38:02:83:F4"
MAC = bytes.fromhex(ADDRESS.replace(":", ""))

Packet = collections.namedtuple("Packet", "kind line theirs")

#: Percentages end at 100, those of hygrometers at 120. What is beyond is no value of ours but a problem.
HYGROMETERS = ("humidity", "moisture")


def is_possible(name, value):
    return 0 <= value <= (120 if name.startswith(HYGROMETERS) else 100)


def impossible(mine):
    """Takes the numbers that we refuse out of the problem, by their keys; None if there is another problem."""
    problem = mine.pop("problem", None)
    if problem is None:
        return {}
    found = [re.fullmatch(r"(\w+_percent(?:_\d)?) (\S+) is out of range", part) for part in problem.split("; ")]
    numbers = {match[1]: float(match[2]) for match in found if match}
    return numbers if len(numbers) == len(found) and not any(map(is_possible, numbers, numbers.values())) else None


def ours(program, packets):
    """What the program decodes."""
    lines = "".join(packet.line + "\n" for packet in packets)
    run = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def line(kind, number, key, data):
    return f"{kind} {number:04x} {ADDRESS} {key.hex() or '-'} {data.hex()}"


def update(device, uuid, data):
    """Sensors, states and events that a device of Home Assistant's packages reports, by their keys."""
    info = types.SimpleNamespace(
        name="x", address=ADDRESS, rssi=-60, manufacturer_data={}, service_data={uuid: data}, service_uuids=[uuid],
        source="", time=0.0)
    report = device.update(info)
    values = {key.key: value.native_value for key, value in report.entity_values.items() if key.key != "signal_strength"}
    for key, value in report.binary_entity_values.items():
        values[f"is_{key.key}"] = bool(value.native_value)
    for key, event in report.events.items():
        values[f"event_{key.key}"] = (event.event_type, tuple((event.event_properties or {}).items()))
    return values


# BTHome


def bthome(source):
    chosen, classes = [], set()
    for identifier in source.sample(sorted(MEAS_TYPES), source.randrange(1, 6)):
        kind = MEAS_TYPES[identifier].meas_format
        name = str(getattr(kind, "device_class", kind))
        # The package has one value for two formats of a class, such as kilograms and pounds.
        if name not in classes:
            classes.add(name)
            chosen += [identifier] * source.choice([1, 1, 1, 2])
    contents, kinds = b"", []
    for identifier in sorted(chosen):
        form = MEAS_TYPES[identifier]
        if form.data_format == "string":
            body = bytes(source.randrange(0x20, 0x7F) for _ in range(source.randrange(1, 8)))
            body = bytes([len(body)]) + body
        elif form.data_format == "raw":
            body = bytes([5]) + source.randbytes(5)
        elif form.data_format == "command":
            count = source.randrange(4)
            body = bytes([count, source.randrange(5)]) + source.randbytes(count)
        else:
            body = source.randbytes(form.data_length)
        name = str(form.meas_format)
        if name in ("button", "dimmer"):
            body = bytes([source.choice([0, 1, 2] if name == "dimmer" else [0, 1, 2, 3, 4, 5, 6, 0x80])]) + body[1:]
        contents += bytes([identifier]) + body
        kinds.append(identifier)
    information = source.choice([0x41, 0x45])
    key, counter = source.randbytes(16), source.randbytes(4)
    sealed = AESCCM(key, tag_length=4).encrypt(MAC + b"\xd2\xfc" + bytes([information]) + counter, contents, None)
    data = bytes([information]) + sealed[:-4] + counter + sealed[-4:]
    device = BTHomeBluetoothDeviceData(key)
    theirs = update(device, "0000fcd2-0000-1000-8000-00805f9b34fb", data)
    theirs["packet_counter"] = device.encryption_counter
    return Packet(kinds, line("service", 0xFCD2, key, data), theirs)


def bthome_expected(packet):
    """Their values in the order of the objects, with the objects."""
    counts = collections.Counter(str(getattr(MEAS_TYPES[i].meas_format, "device_class", MEAS_TYPES[i].meas_format))
                                 for i in packet.kind)
    seen = collections.Counter()
    for identifier in packet.kind:
        name = str(getattr(MEAS_TYPES[identifier].meas_format, "device_class", MEAS_TYPES[identifier].meas_format))
        seen[name] += 1
        suffix = f"_{seen[name]}" if counts[name] > 1 else ""
        found = [packet.theirs[key + name + suffix] for key in ("", "is_", "event_") if key + name + suffix in packet.theirs]
        yield identifier, name, found[0] if found else None


# MiBeacon


def floats(source):
    return struct.pack("<f", round(source.uniform(-40, 2000), 2))


def byte(*allowed):
    return lambda source: bytes([source.choice(allowed) if allowed else source.randrange(256)])


def count(size):
    return lambda source: source.randbytes(size)


def fixed(*parts):
    return lambda source: b"".join(part(source) for part in parts)


LOCKS = [action | method << 4 for action in (0, 1, 2, 3, 4, 5, 6, 7, 8, 15) for method in (*range(12), 15)]
# The number of an object, a product whose objects the package does not reinterpret, and the bytes. Locks report no faults here:
# these end the package with an UnboundLocalError.
OBJECTS = {
    0x0003: (0x03DD, byte(1)), 0x0006: (0x069E, fixed(count(4), byte(*range(7)))), 0x0007: (0x069E, byte(*range(6))),
    0x0008: (0x069E, byte(0, 1)), 0x000A: (0x0391, count(2)),
    0x000B: (0x069F, fixed(byte(*LOCKS), lambda s: s.choice([bytes(4), b"\xff" * 4, s.randbytes(4)]),
                           count(4))),
    0x000F: (0x0A83, count(3)), 0x0010: (0x0489, fixed(byte(0, 1), count(1))), 0x1001: (0x07BF, fixed(byte(0), byte(0), byte(0, 1, 2))),
    0x1004: (0x01AA, count(2)), 0x1005: (0x0083, fixed(byte(0, 1), count(1))), 0x1006: (0x01AA, count(2)),
    0x1007: (0x0098, count(3)), 0x1008: (0x0098, count(1)), 0x1009: (0x0098, count(2)), 0x100A: (0x01AA, count(1)),
    0x100D: (0x01AA, count(4)), 0x1010: (0x02DF, count(2)), 0x1012: (0x040A, byte(0, 1)), 0x1013: (0x040A, count(1)),
    0x1014: (0x0863, byte(0, 1)), 0x1015: (0x0997, byte(0, 1)), 0x1017: (0x0A8D, count(4)), 0x1018: (0x098B, byte(0, 1)),
    0x1019: (0x03D6, byte(0, 1, 2)), 0x101B: (0x0A8D, byte(1)), 0x2000: (0x00DB, count(5)),
    0x3003: (0x0806, fixed(byte(0, 1), count(5))), 0x4801: (0x2832, floats), 0x4802: (0x55B5, count(1)),
    0x4803: (0x55B5, count(1)), 0x4804: (0x1889, byte(1, 2)), 0x4805: (0x2AEB, floats), 0x4806: (0x3F0F, byte(0, 1)),
    0x4808: (0x2832, floats), 0x480C: (0x78D1, byte(0, 1)), 0x4818: (0x2AEB, count(2)), 0x483C: (0x3F4C, byte(0, 1)),
    0x483D: (0x3F4C, count(4)), 0x483E: (0x3F4C, count(4)), 0x484E: (0x4683, byte(0, 1)), 0x4851: (0x4683, count(1)),
    0x4852: (0x4683, count(1)), 0x487B: (0x6375, byte(0, 1)), 0x4A01: (0x2832, byte(0, 1)), 0x4A08: (0x2AEB, floats),
    0x4A0C: (0x2387, count(0)), 0x4A0D: (0x2387, count(0)), 0x4A0E: (0x2387, count(0)), 0x4A0F: (0x1889, byte(1)),
    0x4A12: (0x1889, byte(1, 2)), 0x4A13: (0x1889, byte(1)), 0x4A1A: (0x1889, byte(1)), 0x4A68: (0x6375, byte(0, 1, 2, 3)),
    0x4C01: (0x1203, floats), 0x4C02: (0x16E4, count(1)), 0x4C03: (0x16E4, count(1)), 0x4C08: (0x1203, floats),
    0x4E01: (0x2387, byte(0, 1)), 0x4E0C: (0x2387, count(0)), 0x4E0D: (0x2387, count(0)), 0x4E0E: (0x2387, count(0)),
    0x4E16: (0x45C9, count(9)), 0x5003: (0x3A61, count(1)), 0x560C: (0x3A61, byte(1, 2, 3, 4)),
    0x560D: (0x3A61, byte(1, 2, 3, 4)), 0x560E: (0x3A61, byte(1, 2, 3, 4)), 0x6E16: (0x30D9, count(9)),
}
NUMBERS = {
    "temperature": "temperature_celsius", "humidity": "humidity_percent", "battery": "battery_percent",
    "illuminance": "illuminance_lux", "moisture": "moisture_percent", "conductivity": "conductivity_us_per_cm",
    "formaldehyde": "formaldehyde_mg_per_m3", "consumable": "consumable_percent", "mass": "mass_kg", "score": "score",
    "counter": "brushing_counter", "profile_id": "profile", "impedance_low": "impedance_low_ohm",
    "impedance_high": "impedance_high_ohm", "heart_rate": "heart_rate_bpm", "duration_detected": "occupied_min",
    "duration_cleared": "vacant_min", "pressure_present_duration": "occupied_s",
    "pressure_not_present_duration": "vacant_s",
}


def mibeacon(source):
    identifier = source.choice(sorted(OBJECTS))
    product, body = OBJECTS[identifier]
    body = body(source)
    contents = identifier.to_bytes(2, "little") + bytes([len(body)]) + body
    version = source.choice([2, 3, 4, 5, 5, 5])
    is_encrypted = source.random() < 0.8
    has_address, has_capability = source.random() < 0.7, source.random() < 0.3
    control = version << 12 | 0x40 | 0x08 * is_encrypted | 0x10 * has_address | 0x20 * has_capability
    header = control.to_bytes(2, "little") + product.to_bytes(2, "little") + source.randbytes(1)
    data = header + (MAC[::-1] if has_address else b"") + (b"\x08" if has_capability else b"")
    key, upper = b"", source.randbytes(3)
    if not is_encrypted:
        data += contents
    elif version >= 4:
        key = source.randbytes(16)
        sealed = AESCCM(key, tag_length=4).encrypt(MAC[::-1] + header[2:] + upper, contents, b"\x11")
        data += sealed[:-4] + upper + sealed[-4:]
    else:
        key = source.randbytes(12)
        cipher = AES.new(key[:6] + bytes.fromhex("8d3d3c97") + key[6:], AES.MODE_CCM, header + upper + MAC[:0:-1], mac_len=16)
        cipher.update(b"\x11")
        sealed, tag = cipher.encrypt_and_digest(contents)
        data += sealed + upper + tag[:1]
    theirs = update(XiaomiBluetoothDeviceData(key or None), "0000fe95-0000-1000-8000-00805f9b34fb", data)
    if is_encrypted:
        theirs["packet_counter"] = int.from_bytes(header[4:] + upper, "little")
    return Packet(identifier, line("service", 0xFE95, key, data), theirs)


# Victron


def bits(*fields):
    """Bytes of (width, value) pairs, the least significant bit first, and random ones behind them."""
    number = place = 0
    for width, value in fields:
        number |= (value & (1 << width) - 1) << place
        place += width
    return number.to_bytes(16, "little")


STATES = [state.value for state in OperationMode]
ERRORS = [error.value for error in ChargerError] + [0xFF]
ALARMS = [alarm.value for alarm in AlarmReason]
REASONS = [reason.value for reason in OffReason]


def victron(source):
    def some(width):
        """A random number, often one of the ends."""
        full = (1 << width) - 1
        return width, source.choice([0, full, full >> 1, (full >> 1) + 1, *(source.randrange(full + 1) for _ in range(6))])

    state, error = (8, source.choice(STATES)), (8, source.choice(ERRORS))
    alarm, reason = (16, source.choice(ALARMS)), (32, source.choice(REASONS))
    record, fields = source.choice([
        (0x01, [state, error, some(16), some(16), some(16), some(16), some(9)]),
        (0x02, [some(16), some(16), alarm, some(16), some(2), some(22), some(20), some(10)]),
        (0x03, [state, alarm, some(16), some(16), some(15), some(11)]),
        (0x04, [state, error, some(16), some(16), reason]),
        (0x05, [some(32), some(16), *(some(7) for _ in range(8)), some(12), (4, source.choice([0, 1, 2, 3, 15])), some(7)]),
        (0x08, [state, error, *(some(width) for _ in range(3) for width in (13, 11)), some(7), some(9)]),
        (0x09, [state, (8, source.choice([0, 1, 4, 255])), error, alarm, (16, source.choice(ALARMS)), some(16), some(16), reason]),
        (0x0A, [some(8), some(16), some(16), some(16), some(16), some(18), some(10), some(20), some(7)]),
        (0x0B, [(8, source.choice([0, 2, 3, 4, 5, 8, 9, 10, 11])), (8, source.choice([0, 1, 2, 33, 66, 119])), some(16), some(14),
                some(2), some(16), some(16), some(16), some(16)]),
        (0x0C, [state, some(8), some(16), some(14), some(2), some(19), some(19), some(2), some(7), some(7)]),
        (0x0D, [(16, source.choice([*range(-9, 0), *range(1, 9)])), some(16), (16, 0), some(16), (2, source.choice([0, 2, 3])),
                some(22)]),
        (0x0F, [state, error, some(16), some(16), some(16), some(16), reason]),
    ])
    contents = bits(*fields)
    key, counter, product = source.randbytes(16), source.randbytes(2), source.choice([0xA042, 0xA389, 0xA3C0])
    header = b"\x10\x00" + product.to_bytes(2, "little") + bytes([record]) + counter + key[:1]
    sealed = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=counter + bytes(14)).encrypt(contents)
    data = header + sealed
    theirs = detect_device_type(data)(key.hex()).parse(data)._data
    theirs = {name: value for name, value in theirs.items() if value is not None}
    theirs["packet_counter"] = int.from_bytes(counter, "little")
    if rest := contents[(sum(width for width, _ in fields) + 7) // 8:]:
        theirs["rest"] = rest.hex()
    return Packet(record, line("manufacturer", 0x02E1, key, data), theirs)


# The names that theirs have for one of ours.
VICTRON = {
    "battery_voltage_v": ("battery_voltage", "voltage"), "battery_current_a": ("battery_charging_current", "battery_current", "current"),
    "yield_today_kwh": ("yield_today",), "solar_power_w": ("solar_power", "pv_power"), "load_current_a": ("external_device_load",),
    "remaining_min": ("remaining_mins",), "consumed_ah": ("consumed_ah",), "charge_percent": ("soc",),
    "starter_voltage_v": ("starter_voltage",), "midpoint_voltage_v": ("midpoint_voltage",),
    "temperature_celsius": ("temperature", "battery_temperature", "temperature_kelvin"), "ac_apparent_power_va": ("ac_apparent_power",),
    "ac_voltage_v": ("ac_voltage",), "ac_current_a": ("ac_current",), "input_voltage_v": ("input_voltage",),
    "output_voltage_v": ("output_voltage",), "input_current_a": ("input_current",), "output_current_a": ("output_current",),
    "bms_flags": ("bms_flags",), "error_flags": ("error_flags",), "io_status": ("io_status",), "alarm_flags": ("alarm_flags",),
    "vebus_error": ("error",), "ac_in_power_w": ("ac_in_power", "active_ac_in_power"),
    "ac_out_power_w": ("ac_out_power", "active_ac_out_power"), "charger_error": ("charger_error", "error_code"),
    "state": ("charge_state", "device_state"), "alarm": ("alarm", "alarm_reason"), "warning": ("warning_reason",),
    "off_reason": ("off_reason",), "output_state": ("output_state",), "balancer": ("balancer_status",),
    "ac_input": ("ac_in_state", "active_ac_in"), "alarm_level": ("alarm",), "meter": ("meter_type",),
    **{f"battery_{n}_{kind}_{unit}": (f"output_{kind}{n}",) for n in (1, 2, 3) for kind, unit in (("voltage", "v"), ("current", "a"))},
}


class Comparison:
    def __init__(self, differences):
        self.differences = differences
        self.used, self.failures = set(), {}
        self.agreed, self.meanings = 0, {}

    def differ(self, form, kind, key, message):
        """A difference: explained, or a failure."""
        for index, entry in enumerate(self.differences):
            if entry["format"] == form and f"{kind:02x}" in entry["kinds"] and key in entry.get("fields", [key]):
                self.used.add(index)
                return
        self.failures.setdefault((form, f"{kind:02x}", key), message)

    def check(self, form, kind, key, mine, other, message):
        """Numbers are equal; what else stands for the same each time."""
        is_number = lambda value: isinstance(value, (int, float)) and not isinstance(value, (bool, enum.Enum))
        if is_number(other) and is_number(mine):
            is_same = math.isclose(mine, other, rel_tol=1e-6, abs_tol=0.00501) or math.isnan(mine) and math.isnan(other)
        elif is_number(other) != is_number(mine):
            is_same = False
        elif isinstance(mine, bool) and isinstance(other, bool):
            is_same = mine == other
        else:
            is_same = self.meanings.setdefault((form, kind, key, repr(mine)), repr(other)) == repr(other)
        if is_same:
            self.agreed += 1
        else:
            self.differ(form, kind, key, f"{mine} / {other}: {message}")

    def bthome(self, packet, mine, refused):
        kind = packet.kind[0]
        self.check("bthome", kind, "packet_counter", int(mine.get("packet_counter", -1)), packet.theirs["packet_counter"], mine)
        values = iter([(key, value) for key, value in mine.items() if key not in ("type", "packet_counter", "triggered")])
        refused = iter(refused.items())
        for identifier, name, other in bthome_expected(packet):
            is_refused = name in ("battery", *HYGROMETERS) and not isinstance(other, bool) and not is_possible(name, other)
            key, value = next(refused if is_refused else values, ("", None))
            if isinstance(other, datetime.datetime):
                other = int(other.timestamp())
            if isinstance(other, tuple):
                # An event: its number is the steps or the arguments.
                steps = dict(other[1])
                if "steps" in steps:
                    other = "none" if other[0] == "None" else -steps["steps"] if "left" in other[0] else steps["steps"]
                    value = other if value == "none" == other else value
                else:
                    value, other = str(value).split(" ")[0], other[0].split("_")[0]
            if isinstance(value, str) and re.fullmatch(r"[\d.]+", value) and other is None:
                other = value  # the version of the firmware is not a value there
            self.check("bthome", identifier, re.sub(r"_\d$", "", key), value, value if other is None and identifier >= 0xF0 else other,
                       packet.line)
            self.check("bthome", 0, "name", re.sub(r"_\d$", "", key), name, packet.line)
        for key, value in (*values, *refused):
            self.differ("bthome", kind, key, f"{value} / nothing: {packet.line}")

    def mibeacon(self, packet, mine, refused):
        theirs = dict(packet.theirs)
        mine |= refused
        if "packet_counter" in theirs:
            self.check("mibeacon", packet.kind, "packet_counter", int(mine.pop("packet_counter", -1)),
                       theirs.pop("packet_counter"), packet.line)
        for key in ("type", "product_id", "version", "counter", "encrypted", "timestamp_s"):
            mine.pop(key, None)
        for name, key in NUMBERS.items():
            if name in theirs or key in mine:
                if name in theirs and key in mine:
                    self.check("mibeacon", packet.kind, key, mine.pop(key), theirs.pop(name), packet.line)
                else:
                    self.differ("mibeacon", packet.kind, key, f"{mine.pop(key, None)} / {theirs.pop(name, None)}: {packet.line}")
        if len(mine) == len(theirs) == 1 and {type(value) for value in (*mine.values(), *theirs.values())} == {bool}:
            self.check("mibeacon", packet.kind, *mine, *mine.values(), *theirs.values(), packet.line)
        elif mine or theirs:
            self.check("mibeacon", packet.kind, ",".join(mine), tuple(mine.items()), tuple(sorted(theirs.items())), packet.line)

    def victron(self, packet, mine, refused):
        theirs = dict(packet.theirs)
        mine |= refused
        mine.update(packet_counter=int(mine.get("packet_counter", -1)))
        self.check("victron", packet.kind, "packet_counter", mine.pop("packet_counter"), theirs.pop("packet_counter"), packet.line)
        for key in ("type", "product_id", "record", "counter", "encrypted"):
            mine.pop(key, None)
        cells = theirs.pop("cell_voltages", [])
        for number, volts in enumerate(cells, 1):
            value = mine.pop(f"cell_{number}_voltage_v", None)
            value = {"below 2.61": -math.inf, "above 3.85": math.inf}.get(value, value)
            self.check("victron", packet.kind, "cells", value, volts, packet.line)
        rest = theirs.pop("rest", "")
        self.check("victron", packet.kind, "rest", mine.pop("rest", "") == rest, True, packet.line)
        mode = theirs.pop("aux_mode", None)
        if "temperature_kelvin" in theirs:
            theirs["temperature_kelvin"] -= 273.15
        if packet.kind == 0x01 and "yield_today" in theirs:
            theirs["yield_today"] /= 1000  # Wh
        for key, names in VICTRON.items():
            name = next((name for name in names if name in theirs), None)
            if key == "alarm_level" and packet.kind != 0x0C or key == "alarm" and packet.kind == 0x0C:
                continue
            if name is None and key not in mine:
                continue
            if name is None or key not in mine:
                self.differ("victron", packet.kind, key, f"{mine.pop(key, None)} / {theirs.pop(name, None)} {mode}: {packet.line}")
                continue
            value, other = mine.pop(key), theirs.pop(name)
            if isinstance(other, enum.Enum) and key == "charger_error":
                other = other.value
            if isinstance(value, list) and isinstance(other, int) and not isinstance(other, enum.Enum):
                value, other = len(value), bin(other).count("1")
            self.check("victron", packet.kind, key, value, other, packet.line)
        for key, value in [*mine.items(), *theirs.items()]:
            self.differ("victron", packet.kind, key, f"{value}: {packet.line}")


def main():
    program = sys.argv[1]
    differences = json.loads((pathlib.Path(__file__).parent / "key-differences.json").read_text())
    comparison = Comparison(differences)
    for form, generate in (("bthome", bthome), ("mibeacon", mibeacon), ("victron", victron)):
        source = random.Random(f"{form} 1")
        packets = [generate(source) for _ in range(PACKETS)]
        for packet, mine in zip(packets, ours(program, packets), strict=True):
            message = f"{mine}: {packet.line}"
            refused = impossible(mine)
            if "error" in mine or refused is None:
                comparison.differ(form, packet.kind[0] if form == "bthome" else packet.kind, "error", message)
            else:
                getattr(comparison, form)(packet, mine, refused)
    failures = [f"{' '.join(what)}: {message}" for what, message in comparison.failures.items()]
    failures += [f"explained, but no difference: {entry}"
                 for index, entry in enumerate(differences) if index not in comparison.used]
    for failure in failures:
        print(f"compare_keys: {failure}", file=sys.stderr)
    if comparison.agreed < 3 * PACKETS:
        failures.append("too few")
    print(f"compare_keys: {comparison.agreed} values of {3 * PACKETS} packets agree with bthome-ble, xiaomi-ble and victron-ble; "
          f"{len(differences)} differences are explained, {len(failures)} are not")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
