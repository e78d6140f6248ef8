#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what is in a built program, and what it needs: a notice for people, or a bill of materials in SPDX 2.3.

Usage: bill.py notice SCRATCH PROGRAM SWIFT                              prints the licences of what is linked in
       bill.py spdx SCRATCH PROGRAM SWIFT VERSION REPOSITORY FILE…       prints the bill of FILE…, the packages with the program

SCRATCH is the folder in which SwiftPM built PROGRAM, SWIFT the version of the compiler. The date is $SOURCE_DATE_EPOCH.
"""

import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

SWIFT = "Apache-2.0 WITH Swift-exception"
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
#: The libraries that a program loads at its start, by the beginning of their names: package, licence.
NEEDED = {
    "libdbus-1": ("libdbus", "AFL-2.1 OR GPL-2.0-or-later"),
    "libc": ("glibc", "LGPL-2.1-or-later"),
    "libm": ("glibc", "LGPL-2.1-or-later"),
    "ld-linux": ("glibc", "LGPL-2.1-or-later"),
}
#: Those that it loads when a command needs them: the names that the sources have, package, licence.
LOADED = {
    "libcrypto.so.3": ("openssl", "Apache-2.0"),
    "libedit.so.2": ("libedit", "BSD-3-Clause"),
    "libmosquitto.so.1": ("mosquitto", "EPL-2.0 OR BSD-3-Clause"),
    "libsqlite3.so.0": ("sqlite", "blessing"),
}


@dataclasses.dataclass
class Package:
    """A package whose code the program contains."""

    name: str
    version: str
    licence: str
    location: str = ""
    purl: str = ""
    licence_text: str = ""
    notice: str = ""


def linked(scratch: pathlib.Path, program: pathlib.Path) -> list[Package]:
    """The packages of the manifest of which a target was compiled for the program."""
    state = json.loads((scratch / "workspace-state.json").read_text(encoding="utf-8"))
    packages = []
    for dependency in state["object"]["dependencies"]:
        checkout = scratch / "checkouts" / dependency["subpath"]
        targets = {path.name for path in checkout.glob("Sources/*")}
        if not any(any((program.parent / f"{target}.build").rglob("*.o")) for target in targets):
            continue
        pin = dependency["state"]["checkoutState"]
        location = dependency["packageRef"]["location"].removesuffix(".git")
        text = (checkout / "LICENSE.txt").read_text(encoding="utf-8")
        if "Apache License" not in text:
            sys.exit(f"bill: {checkout}/LICENSE.txt is not the Apache License")
        notice = checkout / "NOTICE.txt"
        packages.append(Package(
            dependency["packageRef"]["identity"], pin["version"],
            SWIFT if "Runtime Library Exception" in text else "Apache-2.0",
            f"git+{location}@{pin['revision']}", f"pkg:swift/{location.removeprefix('https://')}@{pin['version']}",
            text, notice.read_text(encoding="utf-8") if notice.exists() else ""))
    return sorted(packages, key=lambda package: package.name)


def runtimes(program: pathlib.Path, swift: str) -> list[Package]:
    """The libraries of the compilers that are linked in."""
    comment = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True, check=True).stdout
    gcc = re.search(r"GCC: \(.*\) ([\d.]+)", comment)
    found = [Package("swift", swift, SWIFT, "git+https://github.com/swiftlang/swift", f"pkg:github/swiftlang/swift@{swift}")]
    if gcc:
        found.append(Package("libstdc++ and libgcc", gcc[1], GCC, "https://gcc.gnu.org"))
    return found


def needed(program: pathlib.Path) -> dict[str, tuple[str, list[str]]]:
    """Package, licence and file names of the libraries that the loader looks for."""
    headers = subprocess.run(["readelf", "--dynamic", "--wide", program], capture_output=True, text=True, check=True).stdout
    packages: dict[str, tuple[str, list[str]]] = {}
    for file in re.findall(r"\(NEEDED\).*\[(.*)\]", headers):
        name, licence = NEEDED[re.split(r"\.so|-x86|-aarch64", file)[0]]
        packages.setdefault(name, (licence, []))[1].append(file)
    return packages


def check_loaded() -> None:
    """Fails if the sources load another library than the list names."""
    sources = pathlib.Path(__file__).resolve().parents[2] / "Sources"
    found = {file for path in sources.glob("*/C*/*.c")
             for file in re.findall(r'dynamic_load\("([^"]+)"', path.read_text(encoding="utf-8"))}
    if found != set(LOADED):
        sys.exit(f"bill: the sources load {sorted(found)}, and LOADED has {sorted(LOADED)}")


def notice(packages: list[Package]) -> str:
    """The text that accompanies the program: whose code it contains, on which terms."""
    lines = ["blectl contains code of these projects:", ""]
    lines += [f"  {package.name} {package.version}: {package.licence}" for package in packages]
    lines += ["", "swift and the libraries of GCC are parts of the compilers. Their exceptions allow programs that contain them",
              "under any terms."]
    for package in packages:
        if package.notice:
            lines += ["", "-" * 78, f"The notice of {package.name}:", "", package.notice.strip()]
    # Most have the same text.
    texts: dict[str, list[str]] = {}
    for package in packages:
        if package.licence_text:
            texts.setdefault(package.licence_text.strip(), []).append(package.name)
    for text, names in texts.items():
        lines += ["", "-" * 78, f"The licence of {', '.join(names)}:", "", text]
    return "\n".join(lines) + "\n"


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def entry(name: str, licence: str, version: str = "", location: str = "", comment: str = "", purl: str = "") -> dict[str, object]:
    """A package of the bill."""
    fields: dict[str, object] = {"SPDXID": identifier(name), "name": name}
    if version:
        fields["versionInfo"] = version
    fields |= {
        "downloadLocation": location or "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
        "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }
    if comment:
        fields["comment"] = comment
    if purl:
        fields["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    return fields


def bill(program: pathlib.Path, packages: list[Package], swift: str, version: str, repository: str,
         files: list[pathlib.Path]) -> dict[str, object]:
    """The document."""
    check_loaded()
    entries, relationships = [], []

    def relate(first: str, kind: str, second: str) -> None:
        relationships.append({"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second})

    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    for name, digest in sums.items():
        package = entry(name, "MIT", version, f"{repository}/releases/download/v{version}/{name}")
        package |= {"packageFileName": name, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
                    "supplier": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}
        entries.append(package)
        relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name))
        for part in packages:
            relate(identifier(name), "STATIC_LINK", identifier(part.name))
        for library in needed(program):
            relate(identifier(name), "DYNAMIC_LINK", identifier(library))
        for library, _ in LOADED.values():
            relate(identifier(library), "OPTIONAL_DEPENDENCY_OF", identifier(name))
    entries += [entry(part.name, part.licence, part.version, part.location, purl=part.purl) for part in packages]
    entries += [entry(name, licence, comment=f"Loaded at the start: {', '.join(names)}")
                for name, (licence, names) in needed(program).items()]
    entries += [entry(name, licence, comment=f"Loaded by the commands that need it: {file}")
                for file, (name, licence) in LOADED.items()]
    date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    # The same for the same files, and another for others.
    name = f"blectl-{version}"
    digest = hashlib.sha256("".join(sorted(sums.values())).encode()).hexdigest()[:32]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"{repository}/spdx/{name}-{digest}",
        "creationInfo": {"created": f"{date:%Y-%m-%dT%H:%M:%SZ}", "creators": [f"Tool: blectl-bill-{version}"],
                         "comment": f"Built with Swift {swift}."},
        "packages": entries, "relationships": relationships,
    }


def main() -> None:
    kind, scratch, program, swift = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve(), sys.argv[4]
    packages = linked(scratch, program) + runtimes(program, swift)
    if kind == "notice":
        print(notice(packages), end="")
    else:
        version, repository, *files = sys.argv[5:]
        print(json.dumps(bill(program, packages, swift, version, repository, [pathlib.Path(file) for file in files]), indent=1))


main()
