#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `blectl decode` makes of values with what the package bluetooth-sig makes of them.

Values are generated: random bytes, cut to the length that their flags ask for, without the reserved bits. Of each field
of ours, the one of theirs is looked for that agrees: numbers within half of the last digit shown, dates, texts and bytes
exactly, states and bits by standing for the same thing each time. A field that agrees with none of theirs in every
sample is a difference. differences.json explains those that may be; any other, and an explanation without a difference,
is a failure.

    compare.py BLECTL CHARACTERISTICS.md
"""
import datetime
import enum
import json
import logging
import math
import pathlib
import random
import re
import subprocess
import sys

from bluetooth_sig import BluetoothSIGTranslator

logging.disable(logging.CRITICAL)
HERE = pathlib.Path(__file__).parent
SAMPLES = 200
#: Version 1.0 of the Fitness Machine Service has two bytes for the resistance, later ones have one. The package knows only
#: those, and we choose by the length.
TWO_LAYOUTS = ("2ace", "2ad1", "2ad2")


def decode(blectl, values):
    """The binary's decoding of (uuid, bytes) pairs."""
    lines = "".join(f"{uuid} hex:{data.hex()}\n" for uuid, data in values)
    run = subprocess.run([blectl, "decode", "--from", "-", "--json"], input=lines, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"compare: {run.stderr}")
    return [json.loads(line)["decoded"] for line in run.stdout.splitlines()]


def random_value(source):
    """Bytes of one of several kinds, so that flags, dates and texts all come out well-formed now and then."""
    kind = source.randrange(5)
    body = {
        0: lambda: source.randrange(256),
        1: lambda: source.randrange(6, 13),  # every date
        2: lambda: source.randrange(0x30, 0x7B),
        3: lambda: source.choice([0, 0, 1, 2, 5, 0xFF]),
        4: lambda: source.choice([0, 0x7F, 0x80, 0xFE, 0xFF, source.randrange(256)]),
    }[kind]
    flags = [source.randrange(256) for _ in range(3)]
    data = bytes(body() for _ in range(48))
    return bytes(flags[: source.randrange(4)]) + data


def well_formed(blectl, uuids):
    """For each UUID values that our decoder finds nothing wrong with."""
    edges = [bytes([byte] * 48) for byte in (0x00, 0xFF, 0x7F, 0x80, 0x01, 0xFE)]
    values = []
    for uuid in uuids:
        source = random.Random(f"{uuid} 4")  # each its own, so that a new one does not change the others
        values += [(uuid, data) for data in edges]
        values += [(uuid, random_value(source)) for _ in range(SAMPLES)]
    for _ in range(3):
        decoded = decode(blectl, values)
        better = []
        for (uuid, data), fields in zip(values, decoded):
            data = bytearray(data)
            for bits in re.findall(r"reserved bits 0x([0-9a-f]+) of flags", fields.get("problem", "")):
                for index, byte in enumerate(int(bits, 16).to_bytes(4, "little")):
                    if byte and index < len(data):
                        data[index] &= ~byte
            rest = len(fields.get("rest", "")) // 2
            better.append((uuid, bytes(data[: len(data) - rest])))
        values = current_layout(blectl, better)
    return [(value, fields) for value, fields in zip(values, decode(blectl, values)) if "rest" not in fields]


def current_layout(blectl, values):
    """The values, those that have the sizes of the former layout cut to those of the current one."""
    shorter = [(uuid, data[:-1] if uuid in TWO_LAYOUTS else data) for uuid, data in values]
    return [value if {"rest", "problem"} & fields.keys() else cut
            for value, cut, fields in zip(values, shorter, decode(blectl, shorter))]


def leaves(value, path=""):
    """The simple values in whatever the package returns, with their paths."""
    if value is None:
        return
    if hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from leaves(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from leaves(value._asdict(), path)
    elif type(value).__module__.startswith("bluetooth_sig") and not isinstance(value, enum.Enum):
        names = getattr(type(value), "__slots__", None) or vars(value)
        yield from leaves({name: getattr(value, name) for name in names}, path)
    elif isinstance(value, datetime.timedelta):
        yield path, value.total_seconds()
    elif isinstance(value, (list, tuple, set, frozenset)) and not isinstance(value, (bytes, bytearray)):
        yield path, list(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else str(name))
    else:
        yield path, value


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, (bool, enum.Enum))


def same(mine, other, factor, digits):
    """Whether two values are the same; None when only their names differ, so that others have to tell."""
    if isinstance(mine, list) and isinstance(other, list):
        return len(mine) == len(other) and all(same(a, b, factor, digits) is not False for a, b in zip(mine, other))
    if number(mine) and not number(other):
        return False
    if number(mine) and number(other):
        scaled = other * factor
        return math.isclose(mine, scaled, rel_tol=2e-6, abs_tol=0.5000001 * 10.0**-digits)
    if isinstance(other, (datetime.datetime, datetime.date)):
        return mine == other.isoformat()
    if isinstance(other, (bytes, bytearray)):
        return mine == other.hex() or mine == other[::-1].hex() or mine == other.decode("utf-8", "replace")
    if isinstance(other, float) and not math.isfinite(other):
        return mine in ("NaN", "NRes", "+INF", "-INF", "reserved", "nan", "inf", "-inf")
    if isinstance(mine, list) and isinstance(other, int):
        return len(mine) == bin(int(other)).count("1") or None
    if isinstance(mine, bool) and isinstance(other, (bool, int)) and not isinstance(other, enum.Enum):
        return mine == bool(other)
    if isinstance(mine, str) and isinstance(other, str) and not isinstance(other, enum.Enum):
        return mine == other.rstrip("\0") or None
    return None


class Numeral(float):
    """A number that knows how many decimals it was written with."""

    digits = 0

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.digits = len(text.partition(".")[2].partition("e")[0])
        return self


class Explained:
    """The permitted differences: differences.json."""

    def __init__(self, entries):
        self.entries = entries
        self.used = [False] * len(entries)

    def find(self, kind, uuid, key="*"):
        """The entry of a kind for a field, or None."""
        for index, entry in enumerate(self.entries):
            if kind in entry and uuid in entry["characteristics"]:
                if key == "*" or "fields" not in entry or key in entry["fields"]:
                    return index
        return None


def mantissa(value):
    """A number without its power of ten."""
    return float(f"{value:.12e}".partition("e")[0])


def says_nothing(mine):
    """Whether the package has nothing where we have a word: no element, no known number, no known date."""
    return mine == [] or isinstance(mine, str) and re.match(r"unknown|invalid|more than|0000-|\d+-00|\d+-\d+-00", mine)


def agrees(key, path, samples, factor, any_power):
    """How many of the samples that have both agree, and whether only by their names."""
    forward, backward, good, by_name, present = {}, {}, 0, False, 0
    for data, ours, theirs in samples:
        if key in ours and path not in theirs and says_nothing(ours[key]):
            good += 1
            continue
        if key not in ours or path not in theirs:
            continue
        present += 1
        mine, value = ours[key], theirs[path]
        digits = min((item.digits for item in (mine if isinstance(mine, list) else [mine])
                      if isinstance(item, Numeral)), default=0)
        if any_power and number(mine) and number(value) and math.isfinite(value):
            verdict = math.isclose(mantissa(mine), mantissa(value), rel_tol=1e-6)
        else:
            verdict = same(mine, value, factor, digits)
        if verdict is None:
            by_name = True
            left, right = json.dumps(mine), repr(value)
            verdict = forward.setdefault(right, left) == left
            backward.setdefault(left, right)
        good += verdict
    return good, present, by_name, len(backward) == len(forward)


class Comparison:
    def __init__(self, explained):
        self.explained = explained
        self.failures = {}
        self.count = 0

    def explain(self, kind, uuid, key, message):
        """A difference: explained, or a failure."""
        index = self.explained.find(kind, uuid, key)
        if index is None:
            self.failures.setdefault(f"{uuid} {key}", message)
        else:
            self.explained.used[index] = True

    def refused(self, uuid, data, ours, error):
        """The package refuses what we decode."""
        text = json.dumps(ours)
        if type(error).__name__ == "SpecialValueDetectedError" and any(isinstance(v, str) for v in ours.values()):
            self.count += 1
        elif '"reserved ' in text:
            self.count += 1  # we name the value, and say that it is reserved
        elif re.search(r"0000-|-00", text):
            pass  # a date with unknown parts, which Python's dates cannot be
        else:
            self.explain("refused", uuid, "*", f"refused: {data.hex()}: {text} / {error}")

    def compare(self, uuid, samples):
        keys = sorted({key for _, ours, _ in samples for key in ours})
        paths = sorted({path for _, _, theirs in samples for path in theirs})
        for key in keys:
            factor, any_power = 1, False
            index = self.explained.find("factor", uuid, key)
            if index is not None:
                factor = self.explained.entries[index]["factor"]
                self.explained.used[index] = True
            index = self.explained.find("any_power_of_ten", uuid, key)
            if index is not None:
                any_power = True
                self.explained.used[index] = True
            wanted = sum(key in ours for _, ours, _ in samples)
            results = [(agrees(key, path, samples, factor, any_power), path) for path in paths]
            # Numbers before names, one to one before one for many, those that agree most.
            (good, _, by_name, _), path = max(
                results, key=lambda item: (item[0][0], not item[0][2], item[0][3]), default=((0, 0, False, False), ""))
            self.count += good
            if good < wanted:
                example = next((f"{data.hex()}: {ours[key]} / {theirs}" for data, ours, theirs in samples
                                if key in ours and not agrees(key, path, [(data, ours, theirs)], factor, any_power)[0]),
                               "")
                self.explain("differs", uuid, key, f"{wanted - good} of {wanted} differ from '{path}': {example[:500]}")


def main():
    blectl, document = sys.argv[1:3]
    ours = re.findall(r"^\| (2[a-c][0-9a-f]{2}) ", pathlib.Path(document).read_text(), re.M)
    translator = BluetoothSIGTranslator()
    uuids = [uuid for uuid in ours if translator.supports(uuid.upper())]
    explained = Explained(json.loads((HERE / "differences.json").read_text()))
    comparison = Comparison(explained)
    samples = {}
    for (uuid, data), fields in well_formed(blectl, uuids):
        if "problem" in fields:
            continue  # we show the raw number and a warning, the package usually refuses
        try:
            theirs = dict(leaves(translator.parse_characteristic(uuid.upper(), data)))
        except Exception as error:  # whatever it throws is its answer
            comparison.refused(uuid, data, fields, error)
            continue
        if {"year", "month", "day"} <= set(theirs):
            theirs["date"] = "{year:04}-{month:02}-{day:02}".format(**theirs)
        samples.setdefault(uuid, []).append((data, fields, theirs))
    for uuid, values in samples.items():
        comparison.compare(uuid, values)
    failures = [f"{what}: {message}" for what, message in comparison.failures.items()]
    failures += [f"explained, but no difference: {entry}"
                 for entry, used in zip(explained.entries, explained.used) if not used]
    for failure in failures:
        print(f"compare: {failure}", file=sys.stderr)
    if comparison.count < 10000:
        failures.append("too few")
    print(f"compare: {comparison.count} fields of {len(samples)} characteristics agree with bluetooth-sig; "
          f"{len(explained.entries)} differences are explained, {len(failures)} are not")
    sys.exit(1 if failures else 0)


json_loads = json.loads
json.loads = lambda text, **options: json_loads(text, parse_float=Numeral, **options)
main()
