# SPDX-License-Identifier: MIT
"""The channels of the guest's kernel for all controllers, without libbluetooth."""

import ctypes
import os
import socket
import struct

AF_BLUETOOTH, BTPROTO_HCI = 31, 1
NO_DEVICE = 0xFFFF
MONITOR, CONTROL = 2, 3


def open_channel(channel):
    """A socket of a channel; its packets begin with an opcode, the number of a controller and a length."""
    opened = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)
    # Python's bind knows no channels.
    address = struct.pack('<HHH', AF_BLUETOOTH, NO_DEVICE, channel)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(opened.fileno(), address, len(address)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return opened
