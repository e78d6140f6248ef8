#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each test and each suite has a title: a sentence with a capital, which is true without the one before it.

A title may begin with a number, a quoted text, an option, or a name that is written small.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TITLE = re.compile(r'@(?:Test|Suite)\b(?:\(\s*"((?:[^"\\]|\\.)*)")?')
BEGIN = re.compile(r"[A-Z0-9'\[]|\\\"|--|blectl|bluetoothd|GATT")
# Commands, as they are typed.
COMMANDS = set(
    "adapter advertise agent bench connect decode devices disconnect doctor help info monitor pair read receive run scan send serial serve services shell "
    "simulate snapshot subscribe unpair unsubscribe uuid write".split())
LEANING = re.compile(r"(So|Nor|And|Its?|Otherwise|The same|The others?)\b")


def fault(title: str | None) -> str | None:
    if not title:
        return "has no title"
    if LEANING.match(title):
        return f"leans on the one before it: {title}"
    if not BEGIN.match(title) and re.split(r"\W", title)[0] not in COMMANDS:
        return f"begins without a capital: {title}"
    return None


def main() -> int:
    count = faults = 0
    for path in sorted([*ROOT.glob("Tests/**/*.swift"), *ROOT.glob("Fuzz/**/*.swift")]):
        text = path.read_text(encoding="utf-8")
        for found in TITLE.finditer(text):
            count += 1
            if reason := fault(found[1]):
                faults += 1
                line = text.count("\n", 0, found.start()) + 1
                print(f"titles: {path.relative_to(ROOT)}:{line} {reason}", file=sys.stderr)
    if not faults:
        print(f"titles: {count} titles of tests")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
