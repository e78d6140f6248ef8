#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds expectations that the compiler may break.

Swift 6.3 confuses a closure in the argument of #expect or #require with another one, when both are in a closure with
several statements: the second closure before it runs in its place, and the test cannot fail.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
EXPECTATION = re.compile(r"#(expect|require)\(")
CLOSURE = re.compile(r"\{ ?(\$\d|[^{}]*\$\d|\w+ in\b|_ in\b)| in$")
SCOPE = re.compile(r"\{ ?[\w, :<>\[\]?]*( async| throws)* in$")


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def scope_start(lines: list[str], at: int) -> int | None:
    """The line on which the closure around a line begins; None in a function."""
    depth = indentation(lines[at])
    for number in range(at - 1, -1, -1):
        line = lines[number]
        if not line.strip() or indentation(line) >= depth:
            continue
        depth = indentation(line)
        if SCOPE.search(line) and " for " not in f" {line}":
            return number
        if re.search(r"\bfunc\b", line):
            return None
    return None


def faults(path: pathlib.Path) -> list[str]:
    lines = path.read_text().split("\n")
    found = []
    for number, line in enumerate(lines):
        if not EXPECTATION.search(line):
            continue
        statement, last = line, number
        while statement.count("(") > statement.count(")") and last < number + 8:
            last += 1
            statement += "\n" + lines[last]
        start = scope_start(lines, number)
        if start is None or not CLOSURE.search(statement):
            continue
        before = [text for text in lines[start + 1 : number] if not EXPECTATION.search(text)]
        if sum(len(CLOSURE.findall(text)) for text in before) >= 2:
            found.append(f"{path.relative_to(TESTS.parent)}:{number + 1}: put the result of the closure into a constant first")
    return found


found = [fault for path in sorted(TESTS.rglob("*.swift")) for fault in faults(path)]
for fault in found:
    print(f"expectations: {fault}", file=sys.stderr)
sys.exit(1 if found else 0)
