# SPDX-License-Identifier: MIT
"""Counts so many notifications with bleak; over a socket with `--socket`."""

import asyncio
import sys

from bleak import BleakClient
from known import known


async def main(address: str, uuid: str, count: int, way: str) -> None:
    values = size = total = 0
    done = asyncio.Event()

    def received(_: object, value: bytearray) -> None:
        nonlocal values, size, total
        if values == count:
            return
        values += 1
        size += len(value)
        total += sum(value)
        if values == count:
            done.set()

    async with BleakClient(known(address)) as client:
        await client.start_notify(uuid, received, bluez={"use_start_notify": way != "--socket"})
        await done.wait()
    print(values, size, total)


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), (sys.argv[4:] or [""])[0]))
