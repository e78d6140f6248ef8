# SPDX-License-Identifier: MIT
"""`blectl read ADDRESS UUID` with bleak."""

import asyncio
import sys

from bleak import BleakClient
from known import known


async def main(address: str, uuid: str) -> None:
    async with BleakClient(known(address)) as client:
        print((await client.read_gatt_char(uuid)).hex())


asyncio.run(main(*sys.argv[1:]))
