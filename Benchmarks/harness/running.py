# SPDX-License-Identifier: MIT
"""Runs programs on a simulated BlueZ and says what they cost."""

import os
import pathlib
import signal
import statistics
import subprocess
from dataclasses import dataclass
from typing import Callable

BENCHMARKS = pathlib.Path(__file__).resolve().parents[1]
ROOT = BENCHMARKS.parent
BUILD = ROOT / ".build" / "benchmarks"
PRODUCTS = ROOT / ".build" / "release"
PATIENCE = 120  # seconds for a run


class Failure(Exception):
    """Something is wrong with what was run: no result is shown."""


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


def measure(
    command: list[str], runs: int, address: str, check: Callable[[bytes], None], typed: str = os.devnull
) -> Cost:
    """Runs a command so many times, and checks what all of them together have printed; `typed` is its standard input."""
    reading, writing = os.pipe()
    with open(typed, "rb") as source:
        process = subprocess.Popen(
            [BUILD / "measure", str(writing), str(runs), *command], stdin=source, stdout=subprocess.PIPE,
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
