# SPDX-License-Identifier: MIT
"""Sends so many numbered values with bless to the first central that subscribes, and ends when it has unsubscribed.

bless limits nothing: after some 200 values in a row, the bus accepts no more for a moment, and dbus-fast, below it, drops the
connection; update_value returns all the same, and raises nothing. So a round trip follows 32 values, as in the baseline.
"""

import asyncio
import sys

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from dbus_fast import Message

SERVICE = "0000180d-0000-1000-8000-00805f9b34fb"
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"

WINDOW = 32


async def main(count: int) -> None:
    server = BlessServer(name="Bench", adapter="hci0")
    server.read_request_func = lambda one, **_: one.value
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(
        SERVICE, MEASUREMENT, GATTCharacteristicProperties.notify, bytearray(20), GATTAttributePermissions.readable)
    await server.start()
    while not await server.is_connected():
        await asyncio.sleep(0.001)
    for number in range(count):
        server.get_characteristic(MEASUREMENT).value = bytearray(number.to_bytes(4, "little") + b"\xa5" * 16)
        server.update_value(SERVICE, MEASUREMENT)
        if number % WINDOW == WINDOW - 1:
            await server.bus.call(
                Message(destination="org.bluez", path="/", interface="org.freedesktop.DBus.Peer", member="Ping"))
    while await server.is_connected():
        await asyncio.sleep(0.001)
    await server.stop()


asyncio.run(main(int(sys.argv[1])))
