#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the simulated BlueZ itself: how many signals it emits, how many devices it holds, and what that costs.

The receiver is a C program of baseline/, which checks that every value arrives once and every device is heard.
"""

import argparse
import re
import statistics
import subprocess
import sys

from run import build
from running import BUILD, PATIENCE, PRODUCTS, Failure
from works import DEVICE, STREAM, expect

SIGNALS = 200_000
DEVICES = 10_000


def simulate(world: list[str], command: list[str]) -> tuple[bytes, int, int]:
    """What a command beside a simulation prints; the simulation's CPU in µs, and its memory in KiB."""
    result = subprocess.run(
        [PRODUCTS / "bench-world", *world, "--cost", "--", *command], capture_output=True, timeout=PATIENCE)
    cost = re.search(rb"^cost (\d+) (\d+)$", result.stderr, re.M)
    expect(result.returncode == 0 and cost is not None, f"{command} failed: {result.stderr!r}")
    return result.stdout, int(cost[1]), int(cost[2])


def timed(command: str) -> list[str]:
    """A shell command that prints its own duration in ms after its output."""
    return ["bash", "-c", f"start=$(date +%s%N); {command}; echo $(( ($(date +%s%N) - start) / 1000000 ))"]


def signals() -> tuple[float, float]:
    """Signals a second, and µs of CPU for each."""
    printed, cpu, _ = simulate(
        ["known", "--devices", "20", "--notifications", str(SIGNALS)],
        timed(f"{BUILD}/notify_signal {DEVICE} {STREAM} {SIGNALS}"))
    tally, milliseconds = printed.split(b"\n")[:2]
    expect(tally.startswith(f"{SIGNALS} {20 * SIGNALS} ".encode()), f"not every value came: {tally!r}")
    return SIGNALS / int(milliseconds) * 1000, cpu / SIGNALS


def devices() -> tuple[int, int, float]:
    """How long a scan of all devices takes, and GetManagedObjects, in ms; the memory in MiB."""
    listing = (
        'dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --dest=org.bluez / '
        "org.freedesktop.DBus.ObjectManager.GetManagedObjects | grep -c '\"org.bluez.Device1\"'")
    command = f"{timed(f'{BUILD}/scan {DEVICES} | wc -l')[2]}; {timed(listing)[2]}"
    printed, _, memory = simulate(["heard", "--devices", str(DEVICES)], ["bash", "-c", command])
    heard, scan, listed, answer = (int(word) for word in printed.split())
    # A quarter cannot be connected to: BlueZ forgets those at the end of the scan.
    expect(heard == DEVICES and listed == DEVICES * 3 // 4, f"{heard} devices heard, {listed} listed")
    return scan, answer, memory / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the simulated BlueZ itself.")
    parser.add_argument("--rounds", type=int, default=5, help="how often (default 5)")
    parser.add_argument("--no-build", action="store_true", help="take the programs as they are")
    arguments = parser.parse_args()
    try:
        if not arguments.no_build:
            build()
        rates = [signals() for _ in range(arguments.rounds)]
        crowds = [devices() for _ in range(arguments.rounds)]
    except (Failure, subprocess.SubprocessError) as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    print("| | median | spread |\n|---|--:|:-:|")
    for name, values, form in [
        ("signals a second, into a private bus with one receiver", [rate for rate, _ in rates], ",.0f"),
        ("CPU of the simulation for a signal, µs", [cpu for _, cpu in rates], ".2f"),
        (f"a scan of {DEVICES:,} devices, ms", [scan for scan, _, _ in crowds], ",.0f"),
        ("GetManagedObjects after it, with dbus-send printing, ms", [answer for _, answer, _ in crowds], ",.0f"),
        ("memory of the simulation then, MiB", [memory for *_, memory in crowds], ".1f"),
    ]:
        print(f"| {name} | {statistics.median(values):{form}} | {min(values):{form}} – {max(values):{form}} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
