#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures blectl and its library against minimal C programs on libdbus that do the same work.

What is measured, and how, is told in README.md beside this file. No time is believed before the result of the run has
been checked: a wrong count or a wrong byte ends the whole run with status 1.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
FLOOR = HERE / "floor"
BUILD = FLOOR / "build"
PRODUCTS = ROOT / ".build" / "release"

DEVICE = "C2:BE:7C:00:00:01"  # the device that bench-world is connected to
STREAM = "00002a37-0000-1000-8000-00805f9b34fb"
PLAIN = "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa"  # as STREAM, but what its values mean is not known
LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"
WRITTEN = "00002a39-0000-1000-8000-00805f9b34fb"  # with a socket for writes
CALLED = "00002a40-0000-1000-8000-00805f9b34fb"  # without

KNOWN = 20
HEARD = 1_000
MANY = 10_000
WRITES = 10_000
NOTIFICATIONS = 100_000
PATIENCE = 120  # seconds for a run
ALLOWED = 1.15  # how much worse a ratio may be than the committed one


class Failure(Exception):
    """Something is wrong with what was run: no result is shown."""


# MARK: Building


def build() -> None:
    """The C programs, and those of ours that `make build` does not make."""
    BUILD.mkdir(exist_ok=True)
    flags = output("pkg-config", "--cflags", "--libs", "dbus-1").split()
    compiler = os.environ.get("CC", "cc")
    for source in sorted(FLOOR.glob("*.c")):
        if source.name == "floor.c":
            continue
        sources = [source] if source.stem in ("version", "measure") else [source, FLOOR / "floor.c"]
        subprocess.run(
            [compiler, "-std=c17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", BUILD / source.stem, *sources, *flags],
            check=True)
    for product in ("blectl", "bench-world", "bench-library"):
        subprocess.run(
            [ROOT / "Scripts" / "build.sh", product, "--quiet"], cwd=ROOT, check=True, stdout=sys.stderr)


def install() -> None:
    """Strips our programs as `make install` does."""
    for product in ("blectl", "bench-library"):
        subprocess.run(["strip", "-o", BUILD / product, PRODUCTS / product], check=True)


def output(*command: str) -> str:
    """The first thing that a program prints; empty when it is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


# MARK: Running


class World:
    """A private bus with a simulated BlueZ, for as long as the `with` block lasts."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments

    def __enter__(self) -> "World":
        self.process = subprocess.Popen(
            [PRODUCTS / "bench-world", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("DBUS_SYSTEM_BUS_ADDRESS="):
            raise Failure(f"bench-world {' '.join(self.arguments)} did not start")
        self.address = line.strip().split("=", 1)[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        if self.process.wait(timeout=PATIENCE) != 0:
            raise Failure("bench-world failed")


@dataclass
class Cost:
    """What runs of a command cost: each figure is the mean of the runs, the memory the largest."""

    cpu: float  # milliseconds, user and system
    memory: float  # MiB
    wall: float  # milliseconds


def measure(command: list[str], runs: int, address: str, check: Callable[[bytes], None]) -> Cost:
    """Runs a command so many times, and checks what all of them together have printed."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [BUILD / "measure", str(writing), str(runs), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        pass_fds=[writing], start_new_session=True, env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address})
    os.close(writing)
    with os.fdopen(reading) as report:
        try:
            printed, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failure(f"{shown(command)} did not end within {PATIENCE} s") from None
        figures = [[int(word) for word in line.split()] for line in report]
    if len(figures) != runs or any(status != 0 for status, *_ in figures):
        raise Failure(f"{shown(command)} failed: wait statuses {[status for status, *_ in figures]}")
    check(printed)
    return Cost(
        cpu=statistics.mean(user + system for _, user, system, _, _ in figures) / 1000,
        memory=max(memory for _, _, _, memory, _ in figures) / 1024,
        wall=statistics.mean(wall for *_, wall in figures) / 1000)


def shown(command: list[str]) -> str:
    return " ".join([pathlib.Path(command[0]).name, *command[1:]])


# MARK: Checking


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Failure(what)


def value(number: int) -> bytes:
    """The notification that bench-world's device sends as its `number`th."""
    return number.to_bytes(4, "little") + b"\xa5" * 16


TALLY = f"{NOTIFICATIONS} {20 * NOTIFICATIONS} {sum(sum(value(number)) for number in range(NOTIFICATIONS))}\n".encode()
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


class IsCrowd:
    """Every device once; what is said of it is what the other program says of it, but for its strength."""

    def __init__(self) -> None:
        self.first: set[tuple[bytes, ...]] | None = None

    def __call__(self, printed: bytes) -> None:
        lines = [tuple(line.split(b"\t")) for line in printed.splitlines()]
        expect(len(lines) == HEARD, f"printed {len(lines)} lines, not {HEARD}")
        expect(all(len(line) in (6, 7) and line[0] == b"found" for line in lines), "a line of the scan has another form")
        expect(len({line[1] for line in lines}) == HEARD, "a device was reported twice")
        expect(all(re.fullmatch(rb"-\d+", line[2]) for line in lines), "a device has no RSSI")
        facts = {line[:2] + line[3:6] for line in lines}  # what the data mean, C does not tell
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


# MARK: What is measured


@dataclass
class Work:
    """A pair of programs that do the same."""

    key: str
    name: str
    ours: list[str]
    floor: list[str]
    checks: tuple[Callable[[bytes], None], Callable[[bytes], None]]
    world: tuple[str, ...] = ("known", "--devices", str(KNOWN), "--notifications", str(NOTIFICATIONS))
    runs: int = 1  # how often each program is run in a round
    is_fresh: bool = False  # whether each run needs a world that nobody has touched


def program(name: str) -> str:
    return str(BUILD / name)


def values_file() -> str:
    """The values to write, one a line."""
    path = BUILD / "values.txt"
    path.write_text("".join(value(number).hex() + "\n" for number in range(WRITES)), encoding="ascii")
    return str(path)


def is_silent(printed: bytes) -> None:
    expect(printed == b"", f"printed {printed[:200]!r}")


def works() -> list[Work]:
    known = f"{KNOWN} devices known"
    crowd = IsCrowd()
    many = IsList(MANY)
    values = values_file()
    records = IsRecords()
    log = BUILD / "log.ndjson"
    log.unlink(missing_ok=True)
    logged = IsRecords(log)
    plain = [DEVICE, PLAIN, str(NOTIFICATIONS)]
    flood = [DEVICE, STREAM, str(NOTIFICATIONS)]
    subscribe = [program("blectl"), "subscribe", DEVICE, STREAM, "--count", str(NOTIFICATIONS)]
    return [
        Work(
            key="version", name="`blectl --version`", runs=20,
            ours=[program("blectl"), "--version"], floor=[program("version")],
            checks=(is_line(rb"blectl \d+\.\d+\.\d+", 20), is_line(rb"floor \d+\.\d+\.\d+", 20))),
        Work(
            key="read", name=f"`blectl read`, connected, {known}", runs=20,
            ours=[program("blectl"), "read", DEVICE, LEVEL], floor=[program("read"), DEVICE, LEVEL],
            checks=(is_line(rb"57", 20), is_line(rb"57", 20))),
        Work(
            key="read-500", name="`blectl read`, connected, 500 devices known", runs=10,
            world=("known", "--devices", "500"),
            ours=[program("blectl"), "read", DEVICE, LEVEL], floor=[program("read"), DEVICE, LEVEL],
            checks=(is_line(rb"57", 10), is_line(rb"57", 10))),
        Work(
            key="devices", name=f"`blectl devices`, {MANY:,} heard", world=("known", "--devices", str(MANY)),
            ours=[program("blectl"), "devices"], floor=[program("devices")], checks=(many, many)),
        Work(
            key="scan", name=f"`blectl scan` to a pipe, {HEARD:,} devices in 1 s",
            world=("heard", "--devices", str(HEARD)), is_fresh=True,
            ours=[program("blectl"), "scan", "--count", str(HEARD)], floor=[program("scan"), str(HEARD)],
            checks=(crowd, crowd)),
        Work(
            key="signal-library", name=f"{NOTIFICATIONS:,} notifications, signals: library, counting",
            ours=[program("bench-library"), *flood], floor=[program("notify_signal"), *flood],
            checks=(is_tally, is_tally)),
        Work(
            key="signal-text", name=f"{NOTIFICATIONS:,} notifications, signals: `blectl subscribe` to a pipe",
            ours=subscribe, floor=[program("notify_signal"), *flood, "--print"], checks=(is_stream, is_stream)),
        Work(
            key="socket-library", name=f"{NOTIFICATIONS:,} notifications, socket: library, counting",
            ours=[program("bench-library"), *flood, "--socket"], floor=[program("notify_socket"), *flood],
            checks=(is_tally, is_tally)),
        Work(
            key="socket-text", name=f"{NOTIFICATIONS:,} notifications, socket: `blectl subscribe` to a pipe",
            ours=[*subscribe, "--via", "socket"], floor=[program("notify_socket"), *flood, "--print"],
            checks=(is_stream, is_stream)),
        Work(
            key="socket-json", name=f"{NOTIFICATIONS:,} notifications, socket: `blectl subscribe --json` to a pipe",
            ours=[program("blectl"), "subscribe", DEVICE, PLAIN, "--count", str(NOTIFICATIONS), "--via", "socket", "--json"],
            floor=[program("notify_socket"), *plain, "--json"], checks=(records, records)),
        Work(
            key="socket-log", name=f"{NOTIFICATIONS:,} notifications, socket: to a pipe, and `--log` as NDJSON",
            ours=[
                program("blectl"), "subscribe", DEVICE, PLAIN, "--count", str(NOTIFICATIONS), "--via", "socket",
                "--log", str(log)],
            floor=[program("notify_socket"), *plain, "--log", str(log)], checks=(logged, logged)),
        Work(
            key="write-call", name=f"{WRITES:,} values of 20 bytes, WriteValue without response",
            ours=[program("blectl"), "write", DEVICE, CALLED, "--from", values, "--no-response", "-q"],
            floor=[program("write"), DEVICE, CALLED, str(WRITES)], checks=(is_silent, is_silent)),
        Work(
            key="write-socket", name=f"{WRITES:,} values of 20 bytes, AcquireWrite",
            ours=[program("blectl"), "write", DEVICE, WRITTEN, "--from", values, "--no-response", "-q"],
            floor=[program("write"), DEVICE, WRITTEN, str(WRITES), "--socket"], checks=(is_silent, is_silent)),
    ]


@dataclass
class Result:
    work: Work
    pairs: list[tuple[Cost, Cost]]

    @property
    def ratios(self) -> list[float]:
        return [ours.cpu / floor.cpu for ours, floor in self.pairs]

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    def row(self) -> str:
        ratios = self.ratios
        ours, floor = ([pair[side] for pair in self.pairs] for side in (0, 1))
        cells = [
            self.work.name,
            f"{statistics.median(cost.cpu for cost in ours):.4g}",
            f"{statistics.median(cost.cpu for cost in floor):.4g}",
            f"**{statistics.median(ratios):.2f}**",
            f"{min(ratios):.2f} – {max(ratios):.2f}",
            f"{max(cost.memory for cost in ours):.1f}",
            f"{max(cost.memory for cost in floor):.1f}",
            f"{statistics.median(cost.wall for cost in ours):.4g}",
            f"{statistics.median(cost.wall for cost in floor):.4g}",
        ]
        return "| " + " | ".join(cells) + " |"


def check(results: list[Result], committed: pathlib.Path) -> list[str]:
    """What has become worse than a committed report says, by more than is allowed."""
    before = {}
    for line in committed.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and (ratio := re.fullmatch(r"\*\*([\d.]+)\*\*", cells[4])):
            before[cells[1]] = float(ratio[1])
    return [
        f"{result.work.name}: {result.ratio:.2f}, was {before[result.work.name]:.2f}"
        for result in results
        if result.work.name in before and result.ratio > before[result.work.name] * ALLOWED
    ]


HEADER = """\
| work | ours, ms | C, ms | ratio | spread | ours, MiB | C, MiB | ours, wall ms | C, wall ms |
|---|--:|--:|--:|:-:|--:|--:|--:|--:|"""


def run(work: Work, rounds: int) -> Result:
    """Ours and the floor in turn; the first round warms up and is not counted."""

    def once(command: list[str], check: Callable[[bytes], None], world: World | None) -> Cost:
        if world is not None:
            return measure(command, work.runs, world.address, check)
        with World(*work.world) as own:
            return measure(command, work.runs, own.address, check)

    def pair(world: World | None) -> tuple[Cost, Cost]:
        return once(work.ours, work.checks[0], world), once(work.floor, work.checks[1], world)

    def pairs(world: World | None) -> list[tuple[Cost, Cost]]:
        found = []
        for number in range(rounds + 1):
            print(f"\r{work.key}: round {number} of {rounds} ", end="", file=sys.stderr, flush=True)
            found.append(pair(world))
        print(file=sys.stderr)
        return found[1:]

    if work.is_fresh:
        return Result(work, pairs(None))
    with World(*work.world) as world:
        return Result(work, pairs(world))


# MARK: The report


def machine(rounds: int) -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")
    revision = output("git", "describe", "--always", "--dirty", "--exclude", "*")
    dbus = output(*"pkg-config --modversion dbus-1".split())
    facts = [
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("blectl", f"{output(program('blectl'), '--version').split()[-1]}, commit {revision}"),
        ("machine", f"{os.cpu_count()} × {model}, {platform.machine()}"),
        ("kernel", f"{platform.system()} {platform.release()}"),
        ("libdbus", dbus),
        ("Swift", re.sub(r".*?Swift version (\S+).*", r"\1", output("swift", "--version"), flags=re.S)),
        ("C compiler", output(os.environ.get("CC", "cc"), "--version").splitlines()[0]),
        ("rounds", str(rounds)),
        ("load before", f"{os.getloadavg()[0]:.2f}"),
    ]
    return "\n".join(f"- {name}: {text}" for name, text in facts)


def main() -> int:
    BUILD.mkdir(exist_ok=True)
    keys = [work.key for work in works()]
    parser = argparse.ArgumentParser(description="Measures blectl and its library as ratios to C on libdbus.")
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"which to measure: {', '.join(keys)}; default all")
    parser.add_argument("--rounds", type=int, default=7, help="how often each pair is run (default 7)")
    parser.add_argument("--output", type=pathlib.Path, help="also write the report to this file")
    parser.add_argument(
        "--check", type=pathlib.Path, metavar="FILE", help="fail when a ratio is more than 15 % above that of a report")
    parser.add_argument("--no-build", action="store_true", help="take the programs as they are")
    arguments = parser.parse_args()
    unknown = set(arguments.works) - set(keys)
    if unknown:
        parser.error(f"there is no work called {', '.join(sorted(unknown))}")
    try:
        if not arguments.no_build:
            build()
        install()
        report = [machine(arguments.rounds), "", HEADER]
        results = []
        for work in works():
            if not arguments.works or work.key in arguments.works:
                results.append(run(work, arguments.rounds))
                report.append(results[-1].row())
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"\nbench: {failure}", file=sys.stderr)
        return 1
    text = "\n".join(report) + "\n"
    print(text, end="")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text, encoding="utf-8")
    if arguments.check and (worse := check(results, arguments.check)):
        print("bench: worse than " + str(arguments.check) + ":\n" + "\n".join(worse), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
