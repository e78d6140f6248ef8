#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves seeds between the corpora, `Corpus/NAME.txt`, and the folders of files that libFuzzer works with.

A line of a corpus is a seed in hexadecimal digits. One with a name behind the digits is a regression, an input that once
broke something: those stand first, and stay.

  corpus.py unpack NAME FOLDER         each seed becomes a file
  corpus.py pack NAME FOLDER           the files become the seeds; regressions stay
  corpus.py keep NAME FILE 'its name'  a file becomes a regression
"""

import hashlib
import pathlib
import sys

CORPORA = pathlib.Path(__file__).resolve().parent / "Corpus"
HEADING = "# The seeds of the fuzzer {}; see Fuzz/corpus.py.\n"


def read(name: str) -> dict[bytes, str]:
    """The seeds of a corpus, with the names of those that have one."""
    path = CORPORA / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    split = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {bytes.fromhex(digits): title for digits, _, title in split}


def write(name: str, seeds: dict[bytes, str]) -> None:
    ordered = sorted(seeds.items(), key=lambda seed: (seed[1] == "", len(seed[0]), seed[0]))
    text = "".join(f"{seed.hex()} {title}".rstrip() + "\n" for seed, title in ordered if seed)
    (CORPORA / f"{name}.txt").write_text(HEADING.format(name) + text, encoding="utf-8")


def main(action: str, name: str, path: pathlib.Path, *title: str) -> None:
    seeds = read(name)
    if action == "unpack":
        path.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            (path / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    elif action == "pack":
        regressions = {seed: title for seed, title in seeds.items() if title}
        write(name, {file.read_bytes(): "" for file in path.iterdir()} | regressions)
    elif action == "keep":
        write(name, seeds | {path.read_bytes(): " ".join(title)})


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("unpack", "pack", "keep") or (sys.argv[1] == "keep") != (len(sys.argv) > 4):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), *sys.argv[4:])
