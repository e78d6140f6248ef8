#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the comments of Sources/ for five patterns that native writers avoid (CONTRIBUTING.md, "Prose is plain")."""

import pathlib
import re
import sys

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


def faults(lines: list[str]):
    before = ""
    for number, line in enumerate(lines, 1):
        if found := re.match(r"\s*///? ?(.*)", line):
            text = found[1]
            is_summary = line.lstrip().startswith("///") and not before.startswith("//")
            for pattern, advice in SUMMARIES.items():
                if is_summary and re.match(pattern, text):
                    yield number, text, advice
            for pattern, advice in COMMENTS.items():
                if re.search(pattern, text):
                    yield number, text, advice
        before = line.lstrip()


def main() -> int:
    count = 0
    for path in sorted(ROOT.glob("Sources/**/*.swift")):
        for number, text, advice in faults(path.read_text(encoding="utf-8").splitlines()):
            count += 1
            print(f"prose: {path.relative_to(ROOT)}:{number}: {text[:60]}: {advice}", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
