# SPDX-License-Identifier: MIT
"""What is measured: pairs of programs that do the same, the world that they do it in, and what they have to print."""

import datetime
import json
import os
import pathlib
import re
import statistics
from dataclasses import dataclass
from typing import Callable

from running import BUILD, Failure

DEVICE = "C2:BE:7C:00:00:01"  # the device that bench-world is connected to
STREAM = "00002a37-0000-1000-8000-00805f9b34fb"
STEADY = "00002a38-0000-1000-8000-00805f9b34fb"  # a thousand a second, with the time of sending
PLAIN = "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa"  # as STREAM, but what its values mean is not known
LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"
WRITTEN = "00002a39-0000-1000-8000-00805f9b34fb"  # with a socket for writes
CALLED = "00002a40-0000-1000-8000-00805f9b34fb"  # without

KNOWN = 20
HEARD = 1_000
MANY = 10_000
WRITES = 10_000
NOTIFICATIONS = 100_000
SECONDS = 3  # of a thousand notifications each
SENSORS = 1_000
SECOND = 10_000  # advertisements of the sensors in one
INTERVAL = 0.03  # seconds between the connection events of a slow link
PACKETS = 7  # of a connection event in each direction
PACKET = 244  # bytes of a write without response at the slow link's MTU of 247
SERIAL = 500_000  # bytes through a serial port
ADVERTISERS = 100
ADVERTISEMENTS = 50_000


# MARK: Checking


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Failure(what)


def value(number: int) -> bytes:
    """The notification that bench-world's device sends as its `number`th."""
    return number.to_bytes(4, "little") + b"\xa5" * 16


TALLY = f"{NOTIFICATIONS} {20 * NOTIFICATIONS} {sum(sum(value(number)) for number in range(NOTIFICATIONS))}\n".encode()
ONE = f"1 20 {sum(value(0))}".encode()
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
VALUE_LINE = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\t([0-9a-f]+)")


def is_line(pattern: bytes, runs: int) -> Callable[[bytes], None]:
    """Each run prints one line that fits."""

    def check(printed: bytes) -> None:
        lines = printed.splitlines()
        fitting = [line for line in lines if re.fullmatch(pattern, line)]
        expect(len(fitting) == len(lines) == runs, f"printed {printed[:200]!r}, not {runs} lines like {pattern!r}")

    return check


def is_tally(printed: bytes) -> None:
    expect(printed == TALLY, f"printed {printed[:200]!r}, not {TALLY!r}")


def is_stream(printed: bytes) -> None:
    """Every value, once, in order, each with its time."""
    lines = printed.splitlines()
    expect(len(lines) == NOTIFICATIONS, f"printed {len(lines)} lines, not {NOTIFICATIONS}")
    for number, line in enumerate(lines):
        match = VALUE_LINE.fullmatch(line)
        expect(match is not None and bytes.fromhex(match[1].decode()) == value(number),
               f"line {number} is {line[:200]!r}")


class IsRecords:
    """Every value, once, in order, in records that are the same from both programs, but for their times."""

    def __init__(self, log: pathlib.Path | None = None) -> None:
        self.log = log  # where the records are; what is printed are lines
        self.first: list[dict[str, object]] | None = None

    def __call__(self, printed: bytes) -> None:
        if self.log is not None:
            is_stream(printed)
            printed = self.log.read_bytes()
            self.log.unlink()
        records = [record for record in map(json.loads, printed.splitlines()) if record["event"] == "value"]
        expect(len(records) == NOTIFICATIONS, f"{len(records)} records, not {NOTIFICATIONS}")
        for number, record in enumerate(records):
            expect(record["value"] == value(number).hex(), f"record {number} is {record}")
            expect(bool(TIME.fullmatch(record.pop("time"))), f"record {number} has no time")
        self.first = self.first or records
        expect(records == self.first, "the records differ")


class IsSteady:
    """So many values of the steady stream, and how long they took."""

    def __init__(self) -> None:
        self.latencies: list[tuple[int, int]] = []

    def __call__(self, printed: bytes) -> None:
        match = re.fullmatch(rb"(\d+) (\d+) \d+\n(\d+) (\d+)\n", printed)
        count = 1_000 * SECONDS
        expect(match is not None and int(match[1]) >= count and int(match[2]) == 20 * int(match[1]),
               f"printed {printed[:200]!r}, not {count} values of 20 bytes")
        self.latencies.append((int(match[3]), int(match[4])))

    def __str__(self) -> str:
        """The median of the medians, and of the 99th percentiles."""
        if not self.latencies:
            return ""
        return " / ".join(f"{statistics.median(column):.0f}" for column in zip(*self.latencies))


class IsUpdate:
    """A device that has told its new version; the rate of each run, between the first and the last report while it sends."""

    def __init__(self) -> None:
        self.rates: list[float] = []  # bytes a second

    def __call__(self, printed: bytes) -> None:
        records = [json.loads(line) for line in printed.splitlines()]
        last = records[-1] if records else {}
        expect(last.get("event") == "updated" and last.get("to") == "2.0.0" and last.get("proof") == "version",
               f"the last record is {last}")
        sent = [(record["bytes"], datetime.datetime.fromisoformat(record["time"])) for record in records
                if record.get("stage") == "transferring" and 0 < record["bytes"] < record["total"]]
        expect(len(sent) > 1, "the transfer is too short to measure its rate")
        (first, begin), (last, end) = sent[0], sent[-1]
        self.rates.append((last - first) / (end - begin).total_seconds())


class IsCrowd:
    """Every device; what is said of it is what the other program says of it, but for its strength.

    Once, or where advertisements are shown, so many lines.
    """

    def __init__(self, devices: int, lines: int | None = None) -> None:
        self.devices = devices
        self.lines = lines
        self.first: set[tuple[bytes, ...]] | None = None

    def __call__(self, printed: bytes) -> None:
        lines = [tuple(line.split(b"\t")) for line in printed.splitlines()]
        expect(len(lines) == (self.lines or self.devices), f"printed {len(lines)} lines")
        events = {b"found"} if self.lines is None else {b"found", b"changed"}
        expect(all(len(line) in (6, 7) and line[0] in events for line in lines), "a line of the scan has another form")
        expect(len({line[1] for line in lines}) == self.devices, "a device is missing, or nobody's")
        expect(all(re.fullmatch(rb"-\d+", line[2]) for line in lines), "a device has no RSSI")
        facts = {line[1:2] + line[3:6] for line in lines}  # C does not print what the data mean
        self.first = self.first or facts
        expect(facts == self.first, f"the devices differ: {sorted(facts ^ self.first)[:4]}")


class IsList:
    """Devices in order, most of those that were heard (beacons are forgotten); both programs print the same."""

    def __init__(self, heard: int) -> None:
        self.heard = heard
        self.first: bytes | None = None

    def __call__(self, printed: bytes) -> None:
        lines = printed.splitlines()
        expect(2 * len(lines) > self.heard, f"printed {len(lines)} lines of {self.heard}")
        expect(lines == sorted(lines), "the devices are not in order")
        self.first = self.first or printed
        expect(printed == self.first, "the devices differ")


class IsValues:
    """A number of packets of all sensors, in their order; a value may be sent twice, or changed before it is sent."""

    NUMBER = re.compile(rb"packet[a-z_ ]*[ =](\d+)|fcd2=4000([0-9a-f]{2})")

    def __init__(self, lines: int) -> None:
        self.lines = lines

    def __call__(self, printed: bytes) -> None:
        lines = printed.splitlines()
        expect(len(lines) == self.lines, f"printed {len(lines)} lines, not {self.lines}")
        last: dict[bytes, int] = {}
        for line in lines:
            address, match = re.search(rb"C4:0D:ED(:[0-9A-F]{2}){3}", line), self.NUMBER.search(line)
            expect(address is not None and match is not None, f"printed {line!r}")
            number = int(match[1]) if match[1] else int(match[2], 16)
            before = last.get(address[0])
            expect(before is None or (number - before) % 256 <= 2, f"after {before}: {line!r}")
            last[address[0]] = number
        expect(len(last) == SENSORS, f"{len(last)} sensors")


# MARK: Works


@dataclass
class Work:
    """A pair of programs that do the same."""

    key: str
    name: str
    ours: list[str]
    baseline: list[str]
    checks: tuple[Callable[[bytes], None], Callable[[bytes], None]]
    world: tuple[str, ...] = ("known", "--devices", str(KNOWN), "--notifications", str(NOTIFICATIONS))
    runs: int = 1  # how often each program is run in a round
    is_fresh: bool = False  # whether each run needs a world that nobody has touched
    typed: str = os.devnull  # the standard input of both
    transfer: int = 0  # how many bytes a run, of one process, sends over the slow link
    packet: int = PACKET  # bytes of a packet on that link

    def share(self, side: int, wall: float) -> float:
        """How much of what the slow link carries was sent, in per cent: while an update sends, or in so many milliseconds."""
        check = self.checks[side]
        # The first round warms up.
        rate = statistics.median(check.rates[1:]) if isinstance(check, IsUpdate) else self.transfer / wall * 1000
        return 100 * rate / (PACKETS * self.packet / INTERVAL)

    def notes(self, side: int) -> str:
        """What the checks have found out beside the cost."""
        check = self.checks[side]
        return str(check) if isinstance(check, IsSteady) else ""


def program(name: str) -> str:
    return str(BUILD / name)


def values_file() -> str:
    """The values to write, one a line."""
    path = BUILD / "values.txt"
    path.write_text("".join(value(number).hex() + "\n" for number in range(WRITES)), encoding="ascii")
    return str(path)


def serial_file(size: int) -> str:
    """The bytes that go through a serial port."""
    path = BUILD / f"serial-{size}.bin"
    path.write_bytes(bytes(number * 7 % 251 for number in range(size)))
    return str(path)


def served_file() -> str:
    """A device that sends to each subscriber without a pause, for `blectl serve`."""
    stream = {"uuid": "2a37", "properties": ["notify"], "notifies": {"flood": NOTIFICATIONS}}
    device = {
        "address": DEVICE, "name": "Bench", "advertisement": {"services": ["180d"]},
        "services": [{"uuid": "180d", "characteristics": [stream]}],
    }
    path = BUILD / "served.json"
    path.write_text(json.dumps({"peripherals": [device]}), encoding="utf-8")
    return str(path)


def done_pipe() -> str:
    """What the world writes to when its central has got all values."""
    path = BUILD / "done"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return str(path)


def has_served(printed: bytes) -> None:
    expect(b"subscribed" in printed, f"printed {printed[:200]!r}")


def is_silent(printed: bytes) -> None:
    expect(printed == b"", f"printed {printed[:200]!r}")


def works() -> list[Work]:
    known = f"{KNOWN} devices known"
    crowd = IsCrowd(HEARD)
    repeating = IsCrowd(ADVERTISERS, ADVERTISEMENTS)
    many = IsList(MANY)
    values = values_file()
    done = done_pipe()
    served = ("served", "--notifications", str(NOTIFICATIONS), "--done", done)
    records = IsRecords()
    log = BUILD / "log.ndjson"
    log.unlink(missing_ok=True)
    logged = IsRecords(log)
    plain = [DEVICE, PLAIN, str(NOTIFICATIONS)]
    recording = [program("blectl"), "subscribe", *plain[:2], "--count", plain[2], "--via", "socket"]
    flood = [DEVICE, STREAM, str(NOTIFICATIONS)]
    steady = [DEVICE, STEADY, str(1_000 * SECONDS), "--latency"]
    subscribe = [program("blectl"), "subscribe", DEVICE, STREAM, "--count", str(NOTIFICATIONS)]
    return [
        Work(
            key="version", name="`blectl --version`", runs=20,
            ours=[program("blectl"), "--version"], baseline=[program("version")],
            checks=(is_line(rb"blectl \d+\.\d+\.\d+", 20), is_line(rb"baseline \d+\.\d+\.\d+", 20))),
        Work(
            key="read", name=f"`blectl read`, connected, {known}", runs=20,
            ours=[program("blectl"), "read", DEVICE, LEVEL], baseline=[program("read"), DEVICE, LEVEL],
            checks=(is_line(rb"57", 20), is_line(rb"57", 20))),
        Work(
            key="read-500", name="`blectl read`, connected, 500 devices known", runs=10,
            world=("known", "--devices", "500"),
            ours=[program("blectl"), "read", DEVICE, LEVEL], baseline=[program("read"), DEVICE, LEVEL],
            checks=(is_line(rb"57", 10), is_line(rb"57", 10))),
        Work(
            key="devices", name=f"`blectl devices`, {MANY:,} heard", world=("known", "--devices", str(MANY)),
            ours=[program("blectl"), "devices"], baseline=[program("devices")], checks=(many, many)),
        Work(
            key="scan", name=f"`blectl scan` to a pipe, {HEARD:,} devices in 1 s",
            world=("heard", "--devices", str(HEARD)), is_fresh=True,
            ours=[program("blectl"), "scan", "--count", str(HEARD)], baseline=[program("scan"), str(HEARD)],
            checks=(crowd, crowd)),
        Work(
            key="signal-library", name=f"{NOTIFICATIONS:,} notifications, signals: library, counting",
            ours=[program("bench-library"), *flood], baseline=[program("notify_signal"), *flood],
            checks=(is_tally, is_tally)),
        Work(
            key="signal-text", name=f"{NOTIFICATIONS:,} notifications, signals: `blectl subscribe` to a pipe",
            ours=subscribe, baseline=[program("notify_signal"), *flood, "--print"], checks=(is_stream, is_stream)),
        Work(
            key="signal-corebluetooth", name=f"{NOTIFICATIONS:,} notifications, signals: CoreBluetooth, counting",
            ours=[program("bench-corebluetooth"), *flood], baseline=[program("notify_signal"), *flood],
            checks=(is_tally, is_tally)),
        *[
            Work(
                key=f"start-{key}", name=f"one notification, signals: {name}, from start to end", runs=10,
                world=("known", "--devices", str(KNOWN), "--notifications", "1"),
                ours=[program(f"bench-{key}"), DEVICE, STREAM, "1"],
                baseline=[program("notify_signal"), DEVICE, STREAM, "1"],
                checks=(is_line(ONE, 10), is_line(ONE, 10)))
            for key, name in (("library", "library"), ("corebluetooth", "CoreBluetooth"))
        ],
        Work(
            key="socket-library", name=f"{NOTIFICATIONS:,} notifications, socket: library, counting",
            ours=[program("bench-library"), *flood, "--socket"], baseline=[program("notify_socket"), *flood],
            checks=(is_tally, is_tally)),
        Work(
            key="socket-text", name=f"{NOTIFICATIONS:,} notifications, socket: `blectl subscribe` to a pipe",
            ours=[*subscribe, "--via", "socket"], baseline=[program("notify_socket"), *flood, "--print"],
            checks=(is_stream, is_stream)),
        Work(
            key="socket-json", name=f"{NOTIFICATIONS:,} notifications, socket: `blectl subscribe --json` to a pipe",
            ours=[*recording, "--json"], baseline=[program("notify_socket"), *plain, "--json"], checks=(records, records)),
        Work(
            key="socket-log", name=f"{NOTIFICATIONS:,} notifications, socket: to a pipe, and `--log` as NDJSON",
            ours=[*recording, "--log", str(log)], baseline=[program("notify_socket"), *plain, "--log", str(log)],
            checks=(logged, logged)),
        *[
            Work(
                key=f"steady-{way}", name=f"1,000 notifications a second, {way}: library",
                world=("known", "--devices", str(KNOWN), "--steady"),
                ours=[program("bench-library"), *steady, *option], baseline=[program(baseline), *steady],
                checks=(IsSteady(), IsSteady()))
            for way, baseline, option in (("signals", "notify_signal", []), ("socket", "notify_socket", ["--socket"]))
        ],
        Work(
            key="duplicates", name=f"`blectl scan --duplicates` to a pipe, {ADVERTISEMENTS:,} advertisements",
            world=("heard", "--devices", str(ADVERTISERS), "--interval", "1000"), is_fresh=True,
            ours=[program("blectl"), "scan", "--duplicates", "--duration", "5m", "--count", str(ADVERTISEMENTS)],
            baseline=[program("scan"), str(ADVERTISEMENTS), "--duplicates"], checks=(repeating, repeating)),
        Work(
            key="listen", name=f"`blectl listen --all` to a pipe, {SENSORS:,} sensors, {SECOND:,} advertisements a second",
            world=("sensors", "--devices", str(SENSORS), "--interval", str(SENSORS * 1_000_000 // SECOND)), is_fresh=True,
            ours=[program("blectl"), "listen", "--all", "--count", str(10 * SECOND)],
            baseline=[program("scan"), str(10 * SECOND), "--data"],
            checks=(IsValues(10 * SECOND), IsValues(10 * SECOND))),
        Work(
            key="proxy", name=f"`blectl proxy` and a client, {SENSORS:,} sensors, {SECOND:,} advertisements a second",
            world=("sensors", "--devices", str(SENSORS), "--interval", str(SENSORS * 1_000_000 // SECOND)), is_fresh=True,
            ours=[
                program("proxied"), str(10 * SECOND), program("blectl"), "proxy", "--plaintext", "--no-mdns",
                "--no-connections", "--name", "bench", "-q",
            ],
            baseline=[program("scan"), str(10 * SECOND), "--data"],
            checks=(IsValues(10 * SECOND), IsValues(10 * SECOND))),
        Work(
            key="update-signals", name=f"{NOTIFICATIONS:,} updates, signals: library", world=served,
            ours=[program("bench-peripheral"), str(NOTIFICATIONS)], baseline=[program("serve"), str(NOTIFICATIONS)],
            checks=(is_silent, is_silent)),
        Work(
            key="update-socket", name=f"{NOTIFICATIONS:,} updates, AcquireNotify: library", world=served,
            ours=[program("bench-peripheral"), str(NOTIFICATIONS), "--socket"],
            baseline=[program("serve"), str(NOTIFICATIONS), "--socket"], checks=(is_silent, is_silent)),
        Work(
            key="update-batches", name=f"{NOTIFICATIONS:,} updates, AcquireNotify: library, 32 at once", world=served,
            ours=[program("bench-peripheral"), str(NOTIFICATIONS), "--socket", "--batch", "32"],
            baseline=[program("serve"), str(NOTIFICATIONS), "--socket"], checks=(is_silent, is_silent)),
        Work(
            key="update-serve", name=f"{NOTIFICATIONS:,} updates, signals: `blectl serve`", world=served,
            ours=[program("blectl"), "serve", served_file(), "--", "cat", done],
            baseline=[program("serve"), str(NOTIFICATIONS)], checks=(has_served, is_silent)),
        Work(
            key="write-call", name=f"{WRITES:,} values of 20 bytes, WriteValue without response",
            ours=[program("blectl"), "write", DEVICE, CALLED, "--from", values, "--no-response", "-q"],
            baseline=[program("write"), DEVICE, CALLED, values], checks=(is_silent, is_silent)),
        Work(
            key="write-socket", name=f"{WRITES:,} values of 20 bytes, AcquireWrite",
            ours=[program("blectl"), "write", DEVICE, WRITTEN, "--from", values, "--no-response", "-q"],
            baseline=[program("write"), DEVICE, WRITTEN, values, "--socket"], checks=(is_silent, is_silent)),
        Work(
            key="serial", name=f"`blectl serial` from a file, {SERIAL:,} bytes, {PACKETS} packets every {1000 * INTERVAL:.0f} ms",
            world=("known", "--devices", "1", "--packets", str(PACKETS)), typed=serial_file(SERIAL), transfer=SERIAL,
            ours=[program("blectl"), "serial", DEVICE, "--rx", WRITTEN, "--tx", STEADY, "--linger", "1ms", "-q"],
            baseline=[program("serial"), DEVICE, WRITTEN, STEADY, LEVEL], checks=(is_silent, is_silent)),
        *[
            Work(
                key=f"firmware-{file.split('.')[0]}" + ("" if packet == PACKET else f"-{packet}"), is_fresh=True,
                name=f"`blectl update` by {method}, {size:,} bytes, {PACKETS} packets of {packet} bytes every "
                     f"{1000 * INTERVAL:.0f} ms",
                world=(
                    "updated", "--packets", str(PACKETS), "--mtu", str(packet + 3), "--firmware", str(BUILD),
                    "--firmware-size", str(size)),
                typed=serial_file(size), transfer=size, packet=packet,
                ours=[program("blectl"), "update", device, str(BUILD / file), "--json"],
                baseline=[program("serial"), DEVICE, WRITTEN, STEADY, LEVEL], checks=(IsUpdate(), is_silent))
            for method, device, file, packet, size in (
                ("SMP", "Sensor", "smp.bin", PACKET, 400_000), ("Legacy DFU", "Watch", "legacy-dfu.zip", PACKET, 400_000),
                ("Legacy DFU", "Watch", "legacy-dfu.zip", 20, 50_000),
                ("Secure DFU", "Strap", "secure-dfu.zip", PACKET, 200_000),
                ("Secure DFU", "Strap", "secure-dfu.zip", 20, 50_000))
        ],
    ]
