# SPDX-License-Identifier: MIT
"""Carries HCI packets between a virtio-serial port, behind which the virtual controller is, and /dev/vhci.

The port is a stream; /dev/vhci wants each packet in a write of its own. And the relay sets the pace, as a radio does:
the kernel would take any number of packets at once, and when the socket of bluetoothd is full, L2CAP's basic mode
knows no better than to throw them away.
"""

import contextlib
import os
import sys
import threading
import time

ACL, SCO, EVENT, ISO, VENDOR = 2, 3, 4, 5, 0xFF
# By the packet's type: how long the header is, with the type, and where in it the length of the rest is.
HEADERS = {ACL: (5, slice(3, 5)), SCO: (4, slice(3, 4)), EVENT: (3, slice(2, 3)), ISO: (5, slice(3, 5))}

ENOUGH = 48 * 1024
"""The bytes that may wait in a socket, which takes about four times as much."""

DAEMON = '/run/rig/bluetoothd.pid'

PATIENCE = 10
"""Seconds: a daemon that does not read at all must not stop the adapter for ever."""


def main():
    port = os.open(sys.argv[1], os.O_RDWR)
    vhci = os.open('/dev/vhci', os.O_RDWR)
    threading.Thread(target=to_controller, args=(vhci, port), daemon=True).start()
    to_kernel(port, vhci)


def to_controller(vhci, port):
    while packet := os.read(vhci, 4096):
        if packet[0] != VENDOR:  # which says that the adapter is made
            write_all(port, packet)


def write_all(file, data):
    while data:
        data = data[os.write(file, data) :]


def to_kernel(port, vhci):
    received = bytearray()
    count = 0
    while data := os.read(port, 65536):
        received += data
        while packet := take_packet(received):
            if packet[0] == ACL:
                count += 1
                if count % 8 == 0:
                    wait_for_daemon()
            os.write(vhci, packet)


def take_packet(received):
    """The first packet, taken from `received`, or nothing when it is not all there."""
    if len(received) < 2:
        return None
    if received[0] == VENDOR:
        end = 2
    else:
        header, length = HEADERS[received[0]]
        if len(received) < header:
            return None
        end = header + int.from_bytes(received[length], 'little')
    if len(received) < end:
        return None
    packet = bytes(received[:end])
    del received[:end]
    return packet


def wait_for_daemon():
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up and (full := full_sockets()) and full & sockets_of_daemon():
        time.sleep(0.003)


def full_sockets():
    """The inodes of the L2CAP sockets in which enough waits to be read."""
    with open('/proc/net/l2cap', encoding='ascii') as table:
        names = next(table).split()
        waiting, inode = names.index('Rmem'), names.index('Inode')
        return {row[inode] for row in map(str.split, table) if int(row[waiting]) > ENOUGH}


def sockets_of_daemon():
    """Channels of other programs have the flow control of L2CAP: one that is not read must not hold up the others."""
    inodes = set()
    with contextlib.suppress(OSError):
        with open(DAEMON, encoding='ascii') as file:
            folder = f'/proc/{file.read().strip()}/fd'
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                inodes.add(os.readlink(f'{folder}/{name}').removeprefix('socket:[').removesuffix(']'))
    return inodes


main()
