# SPDX-License-Identifier: MIT
import asyncio
from bleak import BleakClient, BleakScanner

async def main():
    strap = await BleakScanner.find_device_by_name("Heart Strap")
    async with BleakClient(strap) as client:
        print("battery:", (await client.read_gatt_char("2a19"))[0], "%")
        beats = asyncio.Queue()
        await client.start_notify("2a37", lambda _, value: beats.put_nowait(value[1]))
        for _ in range(3):
            print(await beats.get(), "beats per minute")

asyncio.run(main())
