#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the arrows between the targets and folders of Sources/, and that a type's name is declared once.

A target that imports another than Package.swift names, or names one that it does not import, two folders of a target
that use each other's types or functions, and two types of one name at the top level of files are faults. A nested type
is used with its owner's name, and may share its own. (That no targets depend on each other is seen to by SwiftPM.)

It reads text and not types: of extensions it sees the types, not who uses their members.
"""

import collections
import itertools
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"

# Modules that stand beside the Swift module of their name: clients import them, no target does.
NAMES_ONLY = {"CCoreBluetooth"}
# Targets of one actor: it stands at their root with its values, and their folders hold the parts of it, which run on it.
ROOTED = {"BLECentral", "BLEPeripheral"}
TARGET = re.compile(r'\.(?:t|executableT)arget\(\s*name: "(\w+)",\s*dependencies: \[(.*?)\](?:,\s*(?:path|swiftSettings):|\))', re.S)
OPENING = re.compile(r'//|/\*|#*"""|#*"|[()]')
WORD = re.compile(r"(?P<dotted>\.)?\b(?P<name>[A-Za-z_]\w*)|(?P<brace>[{}])")
TYPES = {"struct", "class", "enum", "actor", "protocol", "typealias"}
FREE = {"func", "let", "var"}


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
    """What a source file imports, declares at its top level, and mentions."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        parts = path.relative_to(SOURCES).parts
        self.target, self.folder = parts[0], parts[1] if len(parts) > 2 else "."
        text = code(path.read_text(encoding="utf-8"))
        self.imports = set(re.findall(r"^(?:[@\w]+ )*import (?:\w+ )?(\w+)", text, re.M))
        self.types: set[str] = set()  # also those that only this file sees
        self.shared: set[str] = set()  # what other files can use
        self.nested: set[str] = set()
        self.mentions: set[str] = set()
        depth, keyword, is_private = 0, "", False
        for word in WORD.finditer(text):
            name = word["name"]
            if word["brace"]:
                depth += 1 if word["brace"] == "{" else -1
                is_private = False
            elif keyword and not word["dotted"] and name not in TYPES | FREE:
                self.declare(name, keyword, depth, is_private)
                keyword, is_private = "", False
            elif name in TYPES | FREE and not word["dotted"]:
                keyword = name
            elif name in ("private", "fileprivate"):
                is_private = True
            elif not word["dotted"]:
                self.mentions.add(name)
        if depth != 0:
            sys.exit(f"structure: {path} cannot be read: its braces are not in pairs")

    def declare(self, name: str, keyword: str, depth: int, is_private: bool) -> None:
        if keyword in TYPES and depth > 0:
            self.nested.add(name)
        elif depth == 0:
            if keyword in TYPES:
                self.types.add(name)
            if not is_private:
                self.shared.add(name)


def cycles(uses: set[tuple[str, str]]) -> set[str]:
    return {f"{one} <-> {other}" for one, other in uses if one < other and (other, one) in uses}


def arrow_faults(targets: dict[str, list[File]]) -> list[str]:
    """Where what a target imports is not what Package.swift names."""
    manifest = (SOURCES.parent / "Package.swift").read_text(encoding="utf-8")
    ours = {path.name for path in SOURCES.iterdir()}
    named = {target: ours & set(re.findall(r'"(\w+)"', list_)) for target, list_ in TARGET.findall(manifest)}
    faults = []
    for target, files in targets.items():
        imported = ours & set().union(*(file.imports for file in files))
        names = named.get(target, set())
        faults += [f"{target} imports {name}, which Package.swift does not name" for name in imported - names]
        faults += [f"{target} does not import {name}, which Package.swift names" for name in names - imported - NAMES_ONLY]
    return sorted(faults)


def folder_uses(files: list[File]) -> dict[tuple[str, str], set[str]]:
    """Which folder of a target uses which other, and by what."""
    homes = collections.defaultdict(set)
    for file in files:
        for name in file.shared:
            homes[name].add(file.folder)
    uses = collections.defaultdict(set)
    for file in files:
        for name in file.mentions - file.nested - file.types:
            # A name of several homes, an overloaded function, says nothing.
            if len(homes[name]) == 1 and file.folder not in homes[name]:
                uses[file.folder, *homes[name]].add(f"{name} in {file.path.name}")
    return uses


def main() -> int:
    files = [File(path) for path in sorted(SOURCES.rglob("*.swift"))]
    targets = {target: list(some) for target, some in itertools.groupby(files, lambda file: file.target)}
    found, reasons = set(), {}
    for target, own in targets.items():
        uses = folder_uses(own)
        for cycle in cycles(set(uses)):
            one, _, other = cycle.split(" ")
            if target in ROOTED and "." in (one, other):
                continue
            found.add(f"{target}: {cycle}")
            reasons[f"{target}: {cycle}"] = [
                f"  {a} -> {b}: " + ", ".join(sorted(uses[a, b])[:8]) for a, b in ((one, other), (other, one))]
    homes = collections.defaultdict(list)
    for file in files:
        for name in file.types:
            homes[name].append(str(file.path.relative_to(SOURCES)))
    twins = {name for name, paths in homes.items() if len(paths) > 1}
    faults = arrow_faults(targets)
    for cycle in sorted(found):
        faults += [f"{cycle} depend on each other:", *reasons.get(cycle, [])]
    faults += [f"{name} is declared in {' and in '.join(homes[name])}" for name in sorted(twins)]
    for fault in faults:
        print(f"structure: {fault}", file=sys.stderr)
    if not faults:
        print(f"structure: {len(files)} files in {len(targets)} targets")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
