# SPDX-License-Identifier: MIT
"""Plays the worlds of docs/built-in-world.md and docs/pairing-world.md, and the controllers that the guest's kernel drives.

run.sh starts this beside QEMU, with sockets: those of $RIG_HCI, separated by colons, take and give the HCI packets of hci0,
hci1 …; $RIG_CONTROL takes the commands of `rig-world`. When $RIG_SNOOP is set, the HCI packets of hci0 are recorded in that
file. A world of another kind is a program like this one, given with --world.
"""

import asyncio
import logging
import os

from bumble.snoop import BtSnooper
from bumble.transport.common import SnoopingTransport
from bumble.transport.unix import open_unix_client_transport

from peripherals import control
from peripherals.beacons import (
    AtcThermometer,
    BTHomeSensor,
    Eddystone,
    HostileName,
    IBeacon,
    RuuviTag,
)
from peripherals.bench import Bare, ContractBench
from peripherals.central import Central
from peripherals.pairing import PAIRING_DEVICES
from peripherals.piano import Piano
from peripherals.radio import Air, ScanningController
from peripherals.sensors import HeartStrap, Thermometer
from peripherals.wristband import Wristband

DEVICES = [
    Wristband,
    Piano,
    HeartStrap,
    Thermometer,
    IBeacon,
    Eddystone,
    RuuviTag,
    BTHomeSensor,
    AtcThermometer,
    ContractBench,
    HostileName,
    Bare,
    *PAIRING_DEVICES,
]

MAKE_ADAPTER = b'\xff\x00'
"""The first bytes that /dev/vhci expects; they pass through the relay unchanged."""


class Recorder(BtSnooper):
    """Bumble supposes to be the host of a transport; here it is the controller."""

    def snoop(self, hci_packet, direction):
        super().snoop(hci_packet, self.Direction(1 - direction))


async def patiently(connect, path):
    """QEMU makes the socket, in its own time."""
    while True:
        try:
            return await connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            await asyncio.sleep(0.05)


async def main():
    logging.basicConfig(
        level=os.environ.get('BUMBLE_LOGLEVEL', 'WARNING').upper(),
        format='%(asctime)s %(name)s: %(message)s',
    )
    air = Air()
    devices = [make(air) for make in DEVICES]
    central = Central(air)
    for device in [*devices, central]:
        await device.start()
    for index, path in enumerate(os.environ['RIG_HCI'].split(':')):
        hci = await patiently(open_unix_client_transport, path)
        hci.sink.on_packet(MAKE_ADAPTER)
        if index == 0 and (record := os.environ.get('RIG_SNOOP')):
            # Unbuffered, for the rig ends the world without a warning.
            hci = SnoopingTransport(hci, Recorder(open(record, 'wb', buffering=0)))
        ScanningController(
            f'hci{index}',
            host_source=hci.source,
            host_sink=hci.sink,
            link=air,
            public_address=f'C0:11:22:33:44:{index + 1:02}/P',
            rssi=-50,
        )
    reader, writer = await patiently(asyncio.open_unix_connection, os.environ['RIG_CONTROL'])
    await control.serve(reader, writer, devices, air, central)


asyncio.run(main())
