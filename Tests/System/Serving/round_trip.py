#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records each built-in device, serves the record from hci0, and records that from hci1: the same but for what belongs to
the adapter (docs/serving.md).

    blectl simulate --adapters 2 -- Tests/System/Serving/round_trip.py
    Tests/System/Rig/run.sh --adapters 2 -- Tests/System/Serving/round_trip.py
"""

import json
import os
import subprocess
import sys
import tempfile

BLECTL = os.environ.get("BLECTL", ".build/debug/blectl")
DEVICES = ["Heart Strap", "MI Band 2", "Piano", "Thermometer"]
BEACONS = ["C1:BE:AC:00:00:01", "C1:BE:AC:00:00:02", "C1:BE:AC:00:00:03", "C5:EA:50:00:00:01", "E4:C1:38:56:53:84"]
# The PnP ID of BlueZ, without its version.
BLUEZ = "026b1d4602"


def blectl(*arguments, check=True):
    """Its output as the central."""
    done = subprocess.run([BLECTL, *arguments, "-i", "hci1"], capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"round trip: {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def snapshot(device, *options):
    text = blectl("snapshot", device, "-q", *options)
    # BlueZ would report the services of the server as the advertised ones.
    blectl("unpair", device, "-q", check=False)
    return json.loads(text)


def data(record):
    return record.get("manufacturer_data", {}), list(record.get("service_data", {}).values())


def address_of(record, own):
    """The address of the copy: that of the adapter, or the random one of a beacon with the same data."""
    advertisement = record.get("advertisement", {})
    if advertisement.get("connectable", True):
        return own
    command = [BLECTL, "scan", "--duration", "60s", "--json", "-i", "hci1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scan:
        try:
            for line in scan.stdout:
                found = json.loads(line)
                if found["address"] != record["address"] and data(found) == data(advertisement):
                    return found["address"]
        finally:
            scan.terminate()
    sys.exit(f"round trip: the copy of {record['address']} is not heard")


def normal(world):
    """A record without what belongs to the adapter."""
    device = json.loads(json.dumps(world["peripherals"][0]))
    for key in ("address", "address_type"):
        device.pop(key, None)
    device.get("advertisement", {}).pop("tx_power", None)
    services = [service for service in device.get("services", []) if not is_bluez(service)]
    for service in services:
        service.pop("handle")
        for characteristic in service.get("characteristics", []):
            characteristic.pop("handle")
            for descriptor in characteristic.get("descriptors", []):
                descriptor.pop("handle")
    device["services"] = services
    return device


def is_bluez(service):
    characteristics = service.get("characteristics", [])
    return service["uuid"] == "1801" or (
        service["uuid"] == "180a"
        and len(characteristics) == 1
        and characteristics[0].get("value", "").startswith(BLUEZ)
    )


def round_trip(name, own, *options):
    first = snapshot(name, *options)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(first, file)
        file.flush()
        command = [BLECTL, "serve", file.name, "-i", "hci0", "--json", "-q"]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if "advertising" not in server.stdout.readline():
            sys.exit(f"round trip: {name} is not served")
        try:
            second = snapshot(address_of(first["peripherals"][0], own), *options)
        finally:
            server.terminate()
            server.communicate()
    if normal(first) != normal(second):
        print(json.dumps(normal(first)), json.dumps(normal(second)), sep="\n", file=sys.stderr)
        sys.exit(f"round trip: {name} is not the same")
    print(f"round trip: {name} is the same", flush=True)


def main():
    adapters = records(subprocess.check_output([BLECTL, "adapter", "--json"], text=True))
    own = next(adapter["address"] for adapter in adapters if adapter["adapter"] == "hci0")
    for name in DEVICES:
        round_trip(name, own)
    for address in BEACONS:
        round_trip(address, own, "--beacon")


if __name__ == "__main__":
    main()
