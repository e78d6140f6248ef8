# SPDX-License-Identifier: MIT
"""The device that BlueZ is connected to, for bleak: an address alone it looks for by scanning."""

from bleak.backends.device import BLEDevice


def known(address: str) -> BLEDevice:
    adapter = "/org/bluez/hci0"
    path = f"{adapter}/dev_{address.replace(':', '_')}"
    return BLEDevice(address, None, {"path": path, "props": {"Adapter": adapter}})
