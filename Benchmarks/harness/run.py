#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures blectl and its library against minimal C programs on libdbus that do the same work.

What is measured, and how, is described in Benchmarks/README.md. No time is believed before the result of the run has
been checked: a wrong count or a wrong byte ends the whole run with status 1.
"""

import argparse
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

import competitors
from running import BENCHMARKS, BUILD, PRODUCTS, ROOT, Cost, Failure, World, measure
from works import Work, works

BASELINE = BENCHMARKS / "baseline"
COMPETITOR_ROUNDS = 3
ALLOWED = 1.15  # how much worse a ratio may be than the committed one


# MARK: Building


def build() -> None:
    """The C programs, and those of ours that `make build` does not make."""
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = output("pkg-config", "--cflags", "--libs", "dbus-1").split()
    compiler = os.environ.get("CC", "cc")
    for source in sorted(BASELINE.glob("*.c")):
        if source.name == "baseline.c":
            continue
        sources = [source] if source.stem in ("version", "measure", "proxied") else [source, BASELINE / "baseline.c"]
        subprocess.run(
            [compiler, "-std=c17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", BUILD / source.stem, *sources, *flags],
            check=True)
    for product in ("blectl", "bench-world", "bench-library", "bench-peripheral", "bench-corebluetooth"):
        subprocess.run(
            [ROOT / "Scripts" / "build.sh", product, "--quiet"], cwd=ROOT, env={**os.environ, "BLECTL_TOOLS": "1"},
            check=True, stdout=sys.stderr)


def install() -> None:
    """Strips our programs as `make install` does."""
    for product in ("blectl", "bench-library", "bench-peripheral", "bench-corebluetooth"):
        subprocess.run(["strip", "-o", BUILD / product, PRODUCTS / product], check=True)


def output(*command: str) -> str:
    """The first thing that a program prints; empty when it is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


# MARK: Results


@dataclass
class Result:
    work: Work
    pairs: list[tuple[Cost, Cost]]
    competitors: dict[str, list[float]] = field(default_factory=dict)  # ratios to the baseline of the same round

    @property
    def ratios(self) -> list[float]:
        return [ours.cpu / baseline.cpu for ours, baseline in self.pairs]

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    def share(self) -> str:
        """How much of what the link carries was sent."""
        ours, baseline = (
            self.work.share(side, statistics.median(pair[side].wall for pair in self.pairs)) for side in (0, 1))
        return f"\n{self.work.name}: ours {ours:.1f} %, C {baseline:.1f} % of what the link carries"

    def row(self) -> str:
        ratios = self.ratios
        ours, baseline = ([pair[side] for pair in self.pairs] for side in (0, 1))
        cells = [
            self.work.name,
            f"{statistics.median(cost.cpu for cost in ours):.4g}",
            f"{statistics.median(cost.cpu for cost in baseline):.4g}",
            f"**{statistics.median(ratios):.2f}**",
            f"{min(ratios):.2f} – {max(ratios):.2f}",
            f"{max(cost.memory for cost in ours):.1f}",
            f"{max(cost.memory for cost in baseline):.1f}",
            f"{statistics.median(cost.wall for cost in ours):.4g}",
            f"{statistics.median(cost.wall for cost in baseline):.4g}",
            ", ".join(f"{name} {statistics.median(found):.2g}" for name, found in self.competitors.items()),
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
| work | ours, ms | C, ms | ratio | spread | ours, MiB | C, MiB | ours, wall ms | C, wall ms | competitors, ratio |
|---|--:|--:|--:|:-:|--:|--:|--:|--:|---|"""


def run(work: Work, rounds: int) -> Result:
    """Ours and the baseline in turn; the first round warms up and is not counted."""

    def once(command: list[str], check, world: World | None) -> Cost:
        if world is not None:
            return measure(command, work.runs, world.address, check, work.typed)
        with World(*work.world) as own:
            return measure(command, work.runs, own.address, check, work.typed)

    def all_rounds(world: World | None) -> Result:
        result = Result(work, [])
        for number in range(rounds + 1):
            print(f"\r{work.key}: round {number} of {rounds} ", end="", file=sys.stderr, flush=True)
            costs = once(work.ours, work.checks[0], world), once(work.baseline, work.checks[1], world)
            if number > 0:
                result.pairs.append(costs)
        print(file=sys.stderr)
        return result

    if work.is_fresh:
        return all_rounds(None)
    with World(*work.world) as world:
        return all_rounds(world)


def run_competitors(result: Result, commands: dict[str, list[str]]) -> None:
    """Each competitor in a world of its own, which it may leave as it likes, after the baseline."""
    work = result.work
    for name, command in commands.items():
        for number in range(min(len(result.pairs), COMPETITOR_ROUNDS)):
            print(f"\r{work.key}: {name}, round {number + 1} ", end="", file=sys.stderr, flush=True)
            with World(*work.world) as world:
                baseline = measure(work.baseline, work.runs, world.address, work.checks[1])
                cost = measure(command, 1, world.address, competitors.check(work))
            result.competitors.setdefault(name, []).append(cost.cpu / baseline.cpu)
        print(file=sys.stderr)


# MARK: The report


def machine(rounds: int) -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")
    revision = output("git", "describe", "--always", "--dirty", "--exclude", "*")
    version = output(str(BUILD / "blectl"), "--version")
    dbus = output(*"pkg-config --modversion dbus-1".split())
    facts = [
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("blectl", f"{version.split()[-1]}, commit {revision}"),
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
    BUILD.mkdir(parents=True, exist_ok=True)
    every = works()
    keys = [work.key for work in every]
    parser = argparse.ArgumentParser(description="Measures blectl and its library as ratios to C on libdbus.")
    parser.add_argument("works", nargs="*", metavar="WORK", help=f"which to measure: {', '.join(keys)}; default all")
    parser.add_argument("--rounds", type=int, default=7, help="how often each pair is run (default 7)")
    parser.add_argument("--output", type=pathlib.Path, help="also write the report to this file")
    parser.add_argument(
        "--check", type=pathlib.Path, metavar="FILE", help="fail when a ratio is more than 15 %% above that of a report")
    parser.add_argument(
        "--python", metavar="PYTHON", default="", help="a Python that has bleak and bless, to measure them too")
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
        for work in every:
            if not arguments.works or work.key in arguments.works:
                results.append(run(work, arguments.rounds))
                run_competitors(results[-1], competitors.of(work, arguments.python))
                report.append(results[-1].row())
        report += [
            f"\n{work.name}: median and 99th percentile of the latency, ours {work.notes(0)} µs, C {work.notes(1)} µs"
            for work in every
            if work.notes(0)
        ]
        report += [result.share() for result in results if result.work.transfer]
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
