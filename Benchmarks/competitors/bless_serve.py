# SPDX-License-Identifier: MIT
"""Sends so many values with bless to the central that subscribes to 2A37, and ends when it has unsubscribed.

bless has no back-pressure: the loop gets a turn after every 32 values, or its connection is lost.
"""

import asyncio
import sys

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties

SERVICE = "0000180d-0000-1000-8000-00805f9b34fb"
STREAM = "00002a37-0000-1000-8000-00805f9b34fb"


async def main(count: int) -> None:
    server = BlessServer(name="Bench", adapter="hci0")
    server.read_request_func = lambda one, **_: one.value
    server.write_request_func = lambda *_, **__: None
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(
        SERVICE, STREAM, GATTCharacteristicProperties.notify, bytearray(20), GATTAttributePermissions.readable)
    await server.start()
    while not await server.is_connected():
        await asyncio.sleep(0.005)
    stream = server.get_characteristic(STREAM)
    for number in range(count):
        stream.value = bytearray(number.to_bytes(4, "little") + b"\xa5" * 16)
        server.update_value(SERVICE, STREAM)
        if number % 32 == 31:
            await asyncio.sleep(0)
    while await server.is_connected():
        await asyncio.sleep(0.005)
    await server.stop()


asyncio.run(main(int(sys.argv[1])))
