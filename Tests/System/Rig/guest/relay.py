# SPDX-License-Identifier: MIT
"""Carries HCI packets between a virtio-serial port, behind which the virtual controller is, and /dev/vhci.

The port is a stream; /dev/vhci wants each packet in a write of its own. And the relay sets the pace, as a radio does:
the kernel would take any number of packets at once, and when the socket of bluetoothd is full, L2CAP's basic mode
knows no better than to throw them away.
"""

import os
import sys
import threading
import time

ACL, SCO, EVENT, ISO, VENDOR = 2, 3, 4, 5, 0xFF
# By the packet's type: how long the header is, with the type, and where in it the length of the rest is.
HEADERS = {ACL: (5, slice(3, 5)), SCO: (4, slice(3, 4)), EVENT: (3, slice(2, 3)), ISO: (5, slice(3, 5))}

ENOUGH = 48 * 1024
"""The bytes that may wait in a socket, which takes about four times as much."""

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
                    wait_for_readers()
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


def wait_for_readers():
    give_up = time.monotonic() + PATIENCE
    while most_waiting() > ENOUGH and time.monotonic() < give_up:
        time.sleep(0.003)


def most_waiting():
    """The most that waits to be read in any L2CAP socket."""
    with open('/proc/net/l2cap', encoding='ascii') as table:
        column = next(table).split().index('Rmem')
        return max((int(line.split()[column]) for line in table), default=0)


main()
