# SPDX-License-Identifier: MIT
"""`Contract Bench`: every behaviour of a characteristic that the contract suite needs."""

import struct

from bumble import att

from . import channels
from .peripheral import (
    Kept,
    Peripheral,
    characteristic,
    complete_name,
    descriptor,
    flags,
    refuse,
    service,
    services128,
)

def bench(short):
    return f'B1EC{short}-5C0E-4B1E-A5D2-6B2F0C7E91AA'


class ContractBench(Peripheral):
    name = 'Contract Bench'
    address = 'C2:B1:EC:00:00:01'
    rssi = -42
    # An advertisement takes 31 bytes: not both the name and a long UUID.
    scan_response = services128(bench('0001'))

    def advertisement(self):
        return flags() + complete_name(self.name)

    def services(self):
        self.echoed = Kept(b'\0')
        self.echo_out = characteristic(bench('0107'), 0x12, self.echoed)
        self.stream = characteristic(bench('0109'), 0x10)
        self.indicated = characteristic(bench('010A'), 0x20)
        return [
            service(
                bench('0001'),
                characteristic(bench('0101'), 0x0A, bytes(i % 256 for i in range(512))),
                characteristic(bench('0102'), 0x0A, read=refuse(0x85), write=refuse(0x85)),
                characteristic(bench('0103'), 0x08),
                characteristic(bench('0104'), 0x02, b'fixed'),
                characteristic(bench('0105'), 0x02, b''),
                characteristic(bench('0106'), 0x0C, write=self.echo),
                self.echo_out,
                characteristic(bench('0108'), 0x08, write=self.burst),
                self.stream,
                self.indicated,
                characteristic(
                    bench('010B'), 0x08, write=lambda value: self.send(self.indicated, value)
                ),
                characteristic(bench('010C'), 0x08, write=self.hang_up),
                characteristic(bench('010D'), 0x02, read=self.stall),
                characteristic(bench('010E'), 0x02, read=self.answer_slowly),
                characteristic(bench('010F'), 0x02, b'\1'),
                characteristic(bench('010F'), 0x02, b'\2'),
                characteristic(
                    bench('0110'),
                    0x02,
                    b'\x2a',
                    descriptors=[
                        descriptor('2901', 0x02, b'A described value'),
                        descriptor(bench('0201'), 0x0A, bytes.fromhex('cafe')),
                    ],
                ),
            ),
            service(bench('0002'), characteristic(bench('010F'), 0x02, b'\3')),
        ]

    async def start(self):
        await super().start()
        channels.offer(self.device, self.spawn)

    def echo(self, value):
        self.echoed.set(value)
        self.send(self.echo_out, value)

    def burst(self, value):
        if len(value) != 2:
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        for number in range(struct.unpack('<H', value)[0]):
            self.send(self.stream, struct.pack('<I', number) + b'\xa5' * 16)

    def hang_up(self, _value):
        self.spawn(self._hang_up())

    async def _hang_up(self):
        await self.linger(0.1)  # for the write to be answered
        while self.controller.is_sending():
            await self.linger(0.01)
        await self.drop()

    async def stall(self):
        await self.linger(60)
        return b''

    async def answer_slowly(self):
        await self.linger(1)
        return b'slow'


class Bare(Peripheral):
    """Has nothing but Generic Access, which BlueZ keeps to itself."""

    name = 'Bare'
    address = 'C4:BA:4E:00:00:01'
    rssi = -66

    def advertisement(self):
        return flags() + complete_name(self.name)

    def services(self):
        return []
