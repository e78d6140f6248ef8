#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes called-functions.txt: functions that `read`, `scan` and `subscribe` call. Scripts/build.sh lays them side by side.

These are functions of the libraries, and the few of modules that the commands hardly use: each would keep 64 KiB of its
module in memory. The other functions of this project are left out, because their names change often. Names that no longer
exist do no harm, but a command then takes more memory. Run this again when it nears the limits of Tests/System/StartUp.
"""

import bisect
import collections
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMANDS = [
    ["read", "Heart Strap", "battery-level"],
    ["scan", "--duration", "2s"],
    ["subscribe", "Heart Strap", "heart-rate-measurement", "--count", "3"],
]
# As many functions of a module are few.
FEW = 20
# lld's map: address, load address, size and alignment; the indentation says what the name names.
LINE = re.compile(r" *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\d+ ( *)(.+)")


class Section:
    def __init__(self, address, size, name):
        module = re.search(r"/(\w+)\.build/", name)
        self.address, self.end, self.symbol = address, address + size, None
        self.module = module and module[1]


def code_sections(link_map):
    """Every section of code in the order of addresses, with its first symbol."""
    sections, output = [], None
    for line in link_map.read_text().splitlines():
        match = LINE.fullmatch(line)
        if not match:
            continue
        address, size, depth, name = int(match[1], 16), int(match[2], 16), len(match[3]), match[4]
        if depth == 0:
            output = name
        elif output == ".text" and depth == 8 and size:
            sections.append(Section(address, size, name))
        elif output == ".text" and depth == 16 and sections[-1:] and address == sections[-1].address:
            sections[-1].symbol = sections[-1].symbol or name
    return sorted(sections, key=lambda section: section.address)


def called_addresses(program, command, profile):
    """The instructions of the program that a command runs."""
    subprocess.run(
        [program, "simulate", "--", "valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no",
         "--compress-pos=no", f"--callgrind-out-file={profile}", program, *command],
        check=True, stdout=subprocess.DEVNULL)
    addresses, ours = set(), False
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            ours = line == f"ob={program}"
        elif ours and line.startswith("0x"):
            addresses.add(int(line.split()[0], 16))
    return addresses


def main():
    subprocess.run([ROOT / "Scripts/setup.sh", "valgrind"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        link_map, program = folder / "map", folder / "blectl"
        subprocess.run(
            [ROOT / "Scripts/build.sh", "blectl", "-Xlinker", f"-Map={link_map}", "-Xlinker", "--no-demangle"],
            check=True)
        # valgrind fails on the debug information.
        subprocess.run(["strip", "--strip-debug", "-o", program, ROOT / ".build/release/blectl"], check=True)
        sections = code_sections(link_map)
        starts = [section.address for section in sections]
        called = set()
        for command in COMMANDS:
            for address in called_addresses(program, command, folder / "profile"):
                index = bisect.bisect_right(starts, address) - 1
                if index >= 0 and address < sections[index].end:
                    called.add(sections[index])
    count = collections.Counter(section.module for section in called)
    names = {
        section.symbol for section in called
        if section.symbol and (section.module is None or count[section.module] <= FEW)
    }
    (ROOT / "Scripts/called-functions.txt").write_text("".join(f"{name}\n" for name in sorted(names)))
    print(f"called-functions: {len(names)} of {len(called)}")


if __name__ == "__main__":
    main()
