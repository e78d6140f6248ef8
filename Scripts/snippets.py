#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles all Swift code of the documentation: README, pages, DocC catalogs and documentation comments.

Usage: Scripts/snippets.py [FLAG…]      flags of the compiler, with which it finds the built modules

A snippet becomes the body of a function; what it uses and does not declare is in the context of its group. It is
compiled, not only checked: some code that is correct makes the compiler crash.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/**/*.md", "Examples/**/*.md", "Sources/**/*.md", "Sources/**/*.swift"]
FENCE = re.compile(r"^(?P<margin>[ ]*(?:///? ?)?)```swift\n(?P<code>.*?)^(?P=margin)```", re.S | re.M)
IMPORT = re.compile(r"^import \w+\n", re.M)
#: Makes Swift 6.3.1 crash as soon as the body interpolates the error, which readers will do.
CONDITIONAL_CATCH = re.compile(r"\bcatch\b[^{\n]*\bwhere\b")

CENTRAL = """
import BLECentral
import BLEFormats
import BLEPeripheral
import Testing

var central: CentralManager { fatalError() }
var manager: PeripheralManager { fatalError() }
var peripheral: BLECentral.Peripheral { get { fatalError() } set {} }
var found: PeripheralInfo { fatalError() }
var characteristic: GATTCharacteristic { fatalError() }
var level: GATTCharacteristic { fatalError() }
var temperature: GATTCharacteristic { fatalError() }
var notifications: Notifications { fatalError() }
var count: Int { get { 0 } set {} }
var advertised: AdvertisedData { fatalError() }
var address: BluetoothAddress { fatalError() }
func work(with peripheral: BLECentral.Peripheral) async throws {}
func store(_ value: ReceivedValue) {}
func readLine(prompt: String) async -> String? { nil }
func ask(_ question: String) async -> Passkey? { nil }
"""
PERIPHERAL = """
import BLEFormats
import BLEPeripheral

final class Sensor: Sendable {
  let bytes: [UInt8] = []
  func set(_ bytes: [UInt8]) {}
}
var manager: PeripheralManager { fatalError() }
var characteristic: PublishedCharacteristic { fatalError() }
var samples: [[UInt8]] { [] }
var uuid: BluetoothUUID { fatalError() }
var temperature: Sensor { fatalError() }
var target: Sensor { fatalError() }
func secret(for central: Central) -> [UInt8] { [] }
"""
FORMATS = """
import BLEFormats

var imu: BluetoothUUID { fatalError() }
var profile: Profile { fatalError() }
var bytes: [UInt8] { [] }
"""
JSON = """
import BLEFormats
import JSON

var rssi: Int? { nil }
var bytes: [UInt8] { [] }
var uuids: [String] { [] }
"""
UPDATE = """
import BLEUpdate

var bytes: [UInt8] { [] }
"""
# The module that a path belongs to, and what its snippets use; the first that matches.
GROUPS = [
    ("Sources/Apple/CoreBluetooth/", "import CoreBluetooth\n"),
    ("Sources/Lab/BLETesting/", "import BLECentral\nimport BLETesting\nimport Testing\n"),
    ("Sources/Bluetooth/BLEPeripheral/", PERIPHERAL),
    ("Sources/Bluetooth/BLEUpdate/", CENTRAL + UPDATE),
    ("Sources/Bluetooth/BLEFormats/", FORMATS),
    ("Sources/Ground/JSON/", JSON),
    ("", CENTRAL),
]
MANIFEST = "import PackageDescription\n"


def snippets():
    """The code of each snippet, its page and its first line."""
    for path in sorted({path for page in PAGES for path in ROOT.glob(page)}):
        if any(part.startswith(".build") for part in path.relative_to(ROOT).parts):
            continue  # pages of packages, which the examples have built
        if path.name == "testing.md":
            continue  # its examples are the files of a package, which Tests/System/Testing/run.sh builds
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            margin = match["margin"].rstrip()
            lines = [line.removeprefix(match["margin"]).removeprefix(margin) for line in match["code"].splitlines()]
            line = text.count("\n", 0, match.start()) + 2
            yield str(path.relative_to(ROOT)), line, "\n".join(lines) + "\n"


def wrapped(number: int, path: str, line: int, code: str) -> tuple[str, str]:
    """The context that a snippet needs, and its code in a declaration."""
    end = "#sourceLocation()\n"
    body = IMPORT.sub("\n", code)
    if MANIFEST in code or re.match(r"(//.*\n)*(dependencies: |\.product)", code):
        # A directive cannot stand within an expression: its beginning is the line before.
        opening, closing = ("", "") if "Package(" in code else ('_ = Package(name: "Snippet",', ")\n")
        if code.startswith(".product"):
            opening, closing = "let _: Target.Dependency =", ""
        place = f'#sourceLocation(file: "{path}", line: {line - 1})\n{opening}\n'
        return MANIFEST, f"func manifest{number}() {{\n{place}{body}{closing}}}\n{end}"
    place = f'#sourceLocation(file: "{path}", line: {line})\n'
    context = next(context for prefix, context in GROUPS if path.startswith(prefix))
    if "@Test " in code:
        return context, f"{place}{body}{end}"
    effects = "throws" if "RunLoop" in code else "async throws"
    return context, f"func snippet{number}() {effects} {{\n{place}{body.replace('@main', '')}}}\n{end}"


def main() -> int:
    parts: dict[str, list[str]] = {}
    count = 0
    for count, (path, line, code) in enumerate(snippets(), 1):
        if CONDITIONAL_CATCH.search(code):
            sys.exit(f"snippets: {path}:{line}: catch with a condition; put the condition into its body")
        context, part = wrapped(count, path, line, code)
        parts.setdefault(context, []).append(part)
    tools = pathlib.Path(subprocess.check_output(["which", "swiftc"], text=True).strip()).resolve().parent.parent
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (context, codes) in enumerate(parts.items()):
            file = pathlib.Path(folder, f"Snippets{number}.swift")
            file.write_text(context + "".join(codes), encoding="utf-8")
            flags = sys.argv[1:]
            if context == MANIFEST:
                flags = ["-I", str(tools / "lib/swift/pm/ManifestAPI"), "-package-description-version", "6.2.0"]
            done = subprocess.run(
                ["swiftc", "-c", "-parse-as-library", "-swift-version", "6", "-package-name", ROOT.name.lower(),
                 "-suppress-warnings", "-plugin-path", str(tools / "lib/swift/host/plugins/testing"),
                 "-o", f"{file}.o", *flags, str(file)], cwd=ROOT)
            status = status or done.returncode
    if count == 0:
        sys.exit("snippets: the documentation has none")
    print(f"snippets: {count} of the documentation {'compiled' if status == 0 else 'do not compile'}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
