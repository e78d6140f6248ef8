#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the published schema of world files against what another implementation of JSON Schema makes of it.

Every example and every recorded snapshot must be valid, and no bad world that a schema can reject.
Run with Debian's Python, for which Scripts/setup.sh installs the package python3-jsonschema.
"""

import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
BAD = ROOT / "Tests/BlueZSimulatorTests/WorldFiles/BadWorlds"

# Bad worlds that are wrong in a way that no schema sees: references, sums, logs, one of two keys, and what is no JSON at all.
BEYOND_SCHEMA = {
    "bad-uuid", "broken-log", "deaf-echo-target", "event-for-nobody",
    "event-waits-for-nobody", "event-without-time", "handles-backwards", "long-value", "missing-log", "no-echo-target",
    "no-included-service", "notifies-without-property", "open-answer", "sine-out-of-format", "twice-a-key",
    "twin-addresses", "writes-without-property",
}  # fmt: skip
NOT_JSON = {"not-json", "unfinished"}


def main() -> int:
    schema = json.loads((ROOT / "docs/world.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []

    good = [ROOT / "docs/example-world.json", *(ROOT / "Tests/EndToEndTests/Snapshots").glob("output-snapshot*.txt")]
    for path in good:
        for error in validator.iter_errors(json.loads(path.read_text())):
            faults.append(f"{path.relative_to(ROOT)}: {error.json_path}: {error.message}")

    bad = sorted(BAD.glob("*.json"))
    for path in bad:
        if path.stem in NOT_JSON:
            continue
        if validator.is_valid(json.loads(path.read_text())) != (path.stem in BEYOND_SCHEMA):
            verb = "accepts" if path.stem not in BEYOND_SCHEMA else "now refuses"
            faults.append(f"{path.relative_to(ROOT)}: the schema {verb} it")

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
