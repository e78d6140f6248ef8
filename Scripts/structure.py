#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the graph of the targets in Sources/, and checks it. Faults are:

- a target imports another than Package.swift names, or names one that it does not import,
- docs/architecture.md shows another graph (BLECTL_RECORD=1 writes it),
- two types have one name at the top level of files; a nested type may share the name of another,
- a public type is not in a file of its name.

It reads text and not types.
"""

import collections
import itertools
import os
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"

# Modules that stand beside the Swift module of their name: clients import them, no target does.
NAMES_ONLY = {"CCoreBluetooth"}
ARCHITECTURE = SOURCES.parent / "docs" / "architecture.md"
GRAPH = re.compile(r"(?<=```text\n)blectl → .*?(?=```\n)", re.S)
TYPE = re.compile(
    r"^(?P<before>(?:@[\w()., ]+ |(?:public|package|open|final|indirect|private|fileprivate|nonisolated|distributed) )*)"
    r"(?P<kind>struct|class|enum|actor|protocol|extension) (?P<name>[\w.]+)", re.M)
# In Package.swift, a target of a house, or of SwiftPM with the path into its house.
TARGET = re.compile(
    r'^    (?:target\(\s*\.\w+, "(?P<name>\w+)"(?P<list>.*?)\)'
    r'|\.(?:executableTarget|target)\(\s*name: "(?P<own>[\w-]+)"(?:,\s*dependencies: \[(?P<others>.*?)\])?,\s*path: "Sources/.*?\)),$',
    re.S | re.M)
OPENING = re.compile(r'//|/\*|#*"""|#*"|[()]')
WORD = re.compile(r"(?P<dotted>\.)?\b(?P<name>[A-Za-z_]\w*)|(?P<brace>[{}])")
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}


def code(text: str) -> str:
    """A source file without comments, and without its strings but for what is interpolated into them."""
    kept, at = [], 0
    stack: list[tuple[str, int]] = []  # the strings that surround an interpolation, and its open parentheses
    while found := OPENING.search(text, at):
        kept.append(text[at : found.start()])
        at, sign = found.end(), found[0]
        if sign == "//":
            at = end_of(text, "\n", at) - 1
        elif sign == "/*":
            at = end_of(text, "*/", at)
        elif sign in "()":
            kept.append(sign)
            if stack:
                quote, depth = stack.pop()
                depth += 1 if sign == "(" else -1
                if depth > 0:
                    stack.append((quote, depth))
                else:
                    at = inside(text, at, quote, stack)
        else:
            at = inside(text, at, sign, stack)
    return "".join([*kept, text[at:]])


def inside(text: str, at: int, quote: str, stack: list[tuple[str, int]]) -> int:
    """Where code goes on behind the part of a string that begins at `at`: behind its end, or in an interpolation."""
    marks = "#" * quote.count("#")
    found = re.compile(rf'\\{marks}(.)|{quote[::-1]}', re.S).search(text, at)
    while found and found[1] not in (None, "("):
        found = found.re.search(text, found.end())
    if found and found[1] == "(":
        stack.append((quote, 1))
    return found.end() if found else len(text)


def end_of(text: str, sign: str, at: int) -> int:
    found = text.find(sign, at)
    return len(text) if found < 0 else found + len(sign)


class File:
    """The imports and the top-level types of a source file."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.target = path.relative_to(SOURCES).parts[1]
        self.text = path.read_text(encoding="utf-8")
        text = code(self.text)
        self.imports = set(re.findall(r"^(?:[@\w]+ )*import (?:\w+ )?(\w+)", text, re.M))
        self.types: set[str] = set()
        depth, keyword = 0, ""
        for word in WORD.finditer(text):
            name = word["name"]
            if word["brace"]:
                depth += 1 if word["brace"] == "{" else -1
            elif keyword and not word["dotted"] and name not in TYPES:
                if depth == 0:
                    self.types.add(name)
                keyword = ""
            elif name in TYPES and not word["dotted"]:
                keyword = name
        if depth != 0:
            sys.exit(f"structure: {path} cannot be read: its braces are not in pairs")


def named_arrows() -> dict[str, set[str]]:
    """The arrows between the targets of Sources/, as Package.swift names them."""
    manifest = (SOURCES.parent / "Package.swift").read_text(encoding="utf-8")
    ours = {path.name for path in SOURCES.glob("*/*")}
    named = {found["name"] or found["own"]: found["list"] or found["others"] or "" for found in TARGET.finditer(manifest)}
    return {target: ours & set(re.findall(r'"(\w+)"', named.get(target, ""))) for target in sorted(ours)}


def arrow_faults(targets: dict[str, list[File]], arrows: dict[str, set[str]]) -> list[str]:
    """Where what a target imports is not what Package.swift names."""
    faults = []
    for target, files in targets.items():
        imported = set(arrows) & set().union(*(file.imports for file in files))
        names = arrows[target]
        faults += [f"{target} imports {name}, which Package.swift does not name" for name in imported - names]
        faults += [f"{target} does not import {name}, which Package.swift names" for name in names - imported - NAMES_ONLY]
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


def type_faults(files: list[File]) -> list[str]:
    faults = []
    for file in files:
        for found in TYPE.finditer(file.text):
            name = found["name"].split(".")[0]
            is_public = re.search(r"\b(public|open)\b", found["before"]) and found["kind"] != "extension"
            if is_public and file.path.stem != name:
                faults.append(f"{file.target}: the public type {name} is not in a file of its name, but in {file.path.name}")
    return faults


def twin_faults(files: list[File]) -> list[str]:
    homes = collections.defaultdict(list)
    for file in files:
        for name in file.types:
            homes[name].append(str(file.path.relative_to(SOURCES)))
    return [f"{name} is declared in {' and in '.join(paths)}" for name, paths in sorted(homes.items()) if len(paths) > 1]


def main() -> int:
    files = [File(path) for path in sorted(SOURCES.rglob("*.swift"))]
    targets = {target: list(some) for target, some in itertools.groupby(files, lambda file: file.target)}
    arrows = named_arrows()
    text = graph(arrows)
    print(text, end="")
    faults = arrow_faults(targets, arrows) + graph_faults(text) + type_faults(files) + twin_faults(files)
    for fault in faults:
        print(f"structure: {fault}", file=sys.stderr)
    if not faults:
        print(f"structure: {len(files)} files in {len(targets)} targets")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
