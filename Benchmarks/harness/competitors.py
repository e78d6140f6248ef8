# SPDX-License-Identifier: MIT
"""Other clients of BlueZ that do the same works, where they are installed."""

import shutil
from typing import Callable

from running import BENCHMARKS
from works import DEVICE, LEVEL, NOTIFICATIONS, STREAM, TALLY, Work, expect

SCRIPTS = BENCHMARKS / "competitors"


def of(work: Work, python: str) -> dict[str, list[str]]:
    """The competitors of a work: their names, and what to run.

    `python` has bleak and bless, or is empty.
    """
    found: dict[str, list[str]] = {}
    if work.key in ("read", "read-500"):
        script(found, python, "bleak", "read", DEVICE, LEVEL)
    elif work.key == "devices":
        add(found, "busctl", "busctl", "--no-pager", "call", "org.bluez", "/",
            "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        add(found, "bluetoothctl", "bluetoothctl", "devices")
    elif work.key == "signal-library":
        script(found, python, "bleak", "notify", DEVICE, STREAM, str(NOTIFICATIONS))
    elif work.key == "socket-library":
        script(found, python, "bleak", "notify", DEVICE, STREAM, str(NOTIFICATIONS), "--socket")
    elif work.key == "update-signals":
        script(found, python, "bless", "update", str(NOTIFICATIONS))
    return found


def add(found: dict[str, list[str]], name: str, program: str, *arguments: str) -> None:
    if path := shutil.which(program):
        found[name] = [path, *arguments]


def script(found: dict[str, list[str]], python: str, module: str, task: str, *arguments: str) -> None:
    if python:
        found[module] = [python, str(SCRIPTS / f"{module}_{task}.py"), *arguments]


def check(work: Work) -> Callable[[bytes], None]:
    """What a competitor has to print: that it did the work."""

    def has_printed(printed: bytes) -> None:
        if work.key.endswith("-library"):
            expect(printed == TALLY, f"a competitor printed {printed[:200]!r}")
        elif work.key.startswith("update-"):  # the central checks what arrives
            expect(printed == b"", f"a competitor printed {printed[:200]!r}")
        else:
            expect(printed != b"", "a competitor printed nothing")

    return has_printed
