#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the published schema of world files against what another implementation of JSON Schema makes of it.

Every example and every recorded snapshot must be valid, and no bad world that a schema can reject.
Run with Debian's Python, for which Scripts/setup.sh installs the package python3-jsonschema.
"""

import json
import pathlib
import re
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
BAD = ROOT / "Tests/Lab/BLEWorldTests/WorldFiles/BadWorlds.txt"
OUTPUT = ROOT / "Tests/EndToEndTests/Snapshots/output.txt"

# Bad worlds that are wrong in a way that no schema sees: references, sums, logs, one of two keys, and what is no JSON at all.
BEYOND_SCHEMA = {
    "bad-uuid", "beacon-out-of-range", "beacon-twice", "beacon-unknown-value", "big-value", "broken-log", "deaf-echo-target",
    "event-for-nobody", "event-waits-for-nobody", "event-without-time", "handles-backwards", "layout-constant-out-of-range",
    "layout-element-missing", "layout-element-out-of-range", "layout-listed-out-of-range", "layout-open-list",
    "layout-out-of-range", "layout-twice-a-field", "layout-unknown-field", "layout-wrong-object", "layout-wrong-word",
    "long-advertised-list", "long-value", "missing-advertised-log", "missing-log", "no-echo-target", "no-included-service",
    "notifies-without-property", "open-answer", "ramp-out-of-format", "random-backwards", "sine-out-of-format", "twice-a-key",
    "twin-addresses", "twin-channels", "uart-twice", "update-both-ways", "update-taken-address", "update-twice-a-service",
    "update-without-bootloader", "writes-without-property",
}  # fmt: skip
NOT_JSON = {"not-json", "unfinished"}


def texts(path: pathlib.Path) -> dict[str, str]:
    """The texts that a file keeps, each below its name."""
    _, *parts = re.split(r"^==== (.*) ====\n", path.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def main() -> int:
    schema = json.loads((ROOT / "docs/world.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []

    good = {"docs/example-world.json": (ROOT / "docs/example-world.json").read_text()}
    good |= {name: text for name, text in texts(OUTPUT).items() if name.startswith("snapshot")}
    for name, text in good.items():
        for error in validator.iter_errors(json.loads(text)):
            faults.append(f"{name}: {error.json_path}: {error.message}")

    # The error that the reader gives stands last.
    bad = {name: text[: text.rindex("\n---- ")] for name, text in texts(BAD).items()}
    for name, text in bad.items():
        if name not in NOT_JSON and validator.is_valid(json.loads(text)) != (name in BEYOND_SCHEMA):
            verb = "accepts" if name not in BEYOND_SCHEMA else "now refuses"
            faults.append(f"{name}: the schema {verb} it")

    for fault in faults:
        print(f"worlds: {fault}", file=sys.stderr)
    if len(good) < 3 or len(bad) < 20:
        print("worlds: files are missing", file=sys.stderr)
        return 1
    if not faults:
        print(f"worlds: {len(good)} valid files and {len(bad)} bad ones: the schema accepts the former and rejects the latter")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
