#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the graph of the targets in Sources/, and checks it. Faults are:

- a target imports another than Package.swift names, or names one that it does not import,
- a target imports a module of the system that it must not need,
- docs/architecture.md shows another graph (BLECTL_RECORD=1 writes it).
"""

import os
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"

# Modules that stand beside the Swift module of their name: clients import them, no target does.
NAMES_ONLY = {"CCoreBluetooth"}
# Foundation, which Apple's interface is made of, costs each program that links it 5 ms and 11 MB.
FOUNDATION_ALLOWED = {"CoreBluetooth"}
# No I/O.
GLIBC_FORBIDDEN = {"JSON", "BLEFormats"}
ARCHITECTURE = SOURCES.parent / "docs" / "architecture.md"
GRAPH = re.compile(r"(?<=```text\n)blectl → .*?(?=```\n)", re.S)
# In Package.swift, a target of a house, or of SwiftPM with the path into its house.
TARGET = re.compile(
    r'^    (?:target\(\s*\.\w+, "(?P<name>\w+)"(?P<list>.*?)\)'
    r'|\.(?:executableTarget|target)\(\s*name: "(?P<own>[\w-]+)"(?:,\s*dependencies: \[(?P<others>.*?)\])?,\s*path: "Sources/.*?\)),$',
    re.S | re.M)
# The lines that stand above the declarations of a file.
IMPORT = re.compile(r"(?:[@\w()]+ )*import (?:\w+ )?(\w+)")
ABOVE = re.compile(r"\s*(//.*|#\w+.*|@\w+)?$")


def imports(target: str) -> set[str]:
    """The modules that the files of a target import."""
    found = set()
    for path in SOURCES.glob(f"*/{target}/**/*.swift"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := IMPORT.match(line):
                found.add(match[1])
            elif not ABOVE.match(line):
                break
    return found


def named_arrows() -> dict[str, set[str]]:
    """The arrows between the targets of Sources/, as Package.swift names them."""
    manifest = (SOURCES.parent / "Package.swift").read_text(encoding="utf-8")
    ours = {path.name for path in SOURCES.glob("*/*")}
    named = {found["name"] or found["own"]: found["list"] or found["others"] or "" for found in TARGET.finditer(manifest)}
    return {target: ours & set(re.findall(r'"(\w+)"', named.get(target, ""))) for target in sorted(ours)}


def arrow_faults(arrows: dict[str, set[str]]) -> list[str]:
    """Where what a target imports is not what Package.swift names, or must not be needed."""
    faults = []
    for target, names in arrows.items():
        everything = imports(target)
        imported = everything & set(arrows)
        faults += [f"{target} imports {name}, which Package.swift does not name" for name in imported - names]
        faults += [f"{target} does not import {name}, which Package.swift names" for name in names - imported - NAMES_ONLY]
        if "Foundation" in everything and target not in FOUNDATION_ALLOWED:
            faults.append(f"{target} must not import Foundation")
        if "Glibc" in everything and target in GLIBC_FORBIDDEN:
            faults.append(f"{target} must not import Glibc")
    return sorted(faults)


def graph(arrows: dict[str, set[str]]) -> str:
    """The targets, those above before those below; without the arrows that others imply."""
    below: dict[str, set[str]] = {}

    def all_below(target: str) -> set[str]:
        if target not in below:
            below[target] = set().union(arrows[target], *(all_below(name) for name in arrows[target]))
        return below[target]

    height: dict[str, int] = {}
    for target in sorted(arrows, key=lambda target: len(all_below(target))):
        height[target] = 1 + max((height[name] for name in arrows[target]), default=-1)
    lines = []
    for target in sorted(arrows, key=lambda target: (-height[target], target.lower())):
        direct = {name for name in arrows[target] if not any(name in all_below(other) for other in arrows[target])}
        if direct:
            lines.append(f"{target} → {', '.join(sorted(direct, key=str.lower))}\n")
    return "".join(lines)


def graph_faults(text: str) -> list[str]:
    page = ARCHITECTURE.read_text(encoding="utf-8")
    shown = GRAPH.search(page)
    if shown and shown[0] == text:
        return []
    if shown and os.environ.get("BLECTL_RECORD"):
        ARCHITECTURE.write_text(page[: shown.start()] + text + page[shown.end() :], encoding="utf-8")
        return []
    return ["docs/architecture.md shows another graph of targets; BLECTL_RECORD=1 Scripts/structure.py writes it"]


def main() -> int:
    arrows = named_arrows()
    text = graph(arrows)
    print(text, end="")
    faults = arrow_faults(arrows) + graph_faults(text)
    for fault in faults:
        print(f"structure: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
