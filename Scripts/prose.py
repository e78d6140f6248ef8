#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the comments of Sources/ for five patterns that native writers avoid, and the titles of tests: each is a sentence
with a capital, which is true without the one before it (CONTRIBUTING.md, "Prose is plain")."""

import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of the first line of a documentation comment.
SUMMARIES = {
    r"(What|Which|Who|Whom|Whose|Whether|Where|When|Why|How)\b": "name the thing: 'The reason …', 'True if …'",
    r"Notes that\b": "say what the function does: 'Records …', 'Handles …'",
    r"(Of|By|In) [a-z ]+\.$": "add the noun: 'The size in bytes.'",
}
# Of each comment.
COMMENTS = {
    r"(?<!here )\b(is|are) no (?!longer\b|more\b)": "write 'is not a …', or 'sets no limit'",
    r"\bof before\b|\bin vain\b": "write 'earlier', 'without effect'",
}
TITLE = re.compile(r'@(?:Test|Suite)\b(?:\(\s*"((?:[^"\\]|\\.)*)")?')
# A title may also begin with a number, a quoted text, an option, or a name that is written small.
BEGIN = re.compile(r"[A-Z0-9'\[]|\\\"|--|blectl|bluetoothd|GATT")
# Commands, as they are typed.
COMMANDS = set(
    "adapter advertise agent bench connect decode devices disconnect doctor help info monitor pair read receive run scan send serial serve services shell "
    "simulate snapshot subscribe unpair unsubscribe uuid write".split())
LEANING = re.compile(r"(So|Nor|And|Its?|Otherwise|The same|The others?)\b")


def comment_faults(text: str) -> Iterator[tuple[int, str]]:
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*///? ?(.*)", line):
            text = found[1]
            is_summary = line.lstrip().startswith("///") and not before.startswith("//")
            for pattern, advice in SUMMARIES.items():
                if is_summary and re.match(pattern, text):
                    yield number, f"{text[:60]}: {advice}"
            for pattern, advice in COMMENTS.items():
                if re.search(pattern, text):
                    yield number, f"{text[:60]}: {advice}"
        before = line.lstrip()


def title_faults(text: str) -> Iterator[tuple[int, str]]:
    for found in TITLE.finditer(text):
        title, line = found[1], text.count("\n", 0, found.start()) + 1
        if not title:
            yield line, "has no title"
        elif LEANING.match(title):
            yield line, f"leans on the title before it: {title}"
        elif not BEGIN.match(title) and re.split(r"\W", title)[0] not in COMMANDS:
            yield line, f"begins without a capital: {title}"


def main() -> int:
    count = 0
    for folder, faults in [("Sources", comment_faults), ("Tests", title_faults), ("Fuzz", title_faults)]:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            for line, fault in faults(path.read_text(encoding="utf-8")):
                count += 1
                print(f"prose: {path.relative_to(ROOT)}:{line}: {fault}", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
