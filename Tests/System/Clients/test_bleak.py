# SPDX-License-Identifier: MIT
"""bleak, from PyPI: it speaks D-Bus by itself."""

import asyncio
import contextlib

import pytest
from bleak import BleakClient, BleakScanner
from bleak.assigned_numbers import AdvertisementDataType
from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakDBusError,
    BleakDeviceNotFoundError,
    BleakError,
)
from dbus_fast import BusType, Message
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

STRAP, BAND, PIANO = 'F0:F1:F2:F3:F4:F5', 'C8:0F:10:01:02:03', 'D0:B5:C2:0A:0B:0C'
THERMOMETER, BEACON, BENCH = 'E7:10:20:30:40:50', 'C1:BE:AC:00:00:01', 'C2:B1:EC:00:00:01'


def bench(short):
    return f'b1ec{short}-5c0e-4b1e-a5d2-6b2f0c7e91aa'


def long(short):
    return f'0000{short}-0000-1000-8000-00805f9b34fb'


async def heard(*addresses, **options):
    """The advertisements of the devices, once all of them were heard; and those of other devices."""
    seen, complete = {}, asyncio.Event()

    def on_detection(device, advertisement):
        seen[device.address] = (device, advertisement)
        if seen.keys() >= set(addresses):
            complete.set()

    async with BleakScanner(on_detection, **options):
        await asyncio.wait_for(complete.wait(), 10)
        await asyncio.sleep(0.3)
    return seen


@contextlib.asynccontextmanager
async def connected(address, **options):
    device = await BleakScanner.find_device_by_address(address, timeout=10)
    assert device is not None
    async with BleakClient(device, **options) as client:
        yield client


def test_scan_with_callback():
    async def run():
        seen = await heard(STRAP, BAND, BEACON, THERMOMETER)
        device, advertisement = seen[BAND]
        assert device.name == advertisement.local_name == 'MI Band 2'
        assert advertisement.manufacturer_data == {0x0157: bytes.fromhex('0100c80f10010203')}
        assert advertisement.service_uuids == [long('fee0')]
        assert -100 < advertisement.rssi < -20
        assert seen[THERMOMETER][1].tx_power == 4
        beacon = seen[BEACON][1]
        assert beacon.local_name is None
        assert beacon.manufacturer_data[0x004C].hex() == '0215e2c56db5dffb48d2b060d0f5a71096e000010002c5'

    asyncio.run(run())


def test_scan_with_service_filter():
    async def run():
        seen = await heard(STRAP, service_uuids=[long('180d')])
        assert set(seen) == {STRAP}

    asyncio.run(run())


def test_passive_scan():
    async def run():
        pattern = (0, AdvertisementDataType.MANUFACTURER_SPECIFIC_DATA, b'\x4c\x00\x02\x15')
        seen = await heard(BEACON, scanning_mode='passive', bluez={'or_patterns': [pattern]})
        assert set(seen) == {BEACON}

    asyncio.run(run())


def test_services():
    async def run():
        async with connected(STRAP) as client:
            assert client.name == 'Heart Strap'
            tree = sorted(
                (s.handle, s.uuid, sorted((c.handle, c.uuid) for c in s.characteristics)) for s in client.services
            )
            assert tree == [
                (6, long('180d'), [(7, long('2a37')), (10, long('2a38')), (12, long('2a39'))]),
                (14, long('180f'), [(15, long('2a19'))]),
                (18, long('180a'), [(19, long('2a29')), (21, long('2a24'))]),
            ]
            rate = client.services.get_characteristic('2a37')
            assert rate.properties == ['notify']
            assert [(d.handle, d.uuid) for d in rate.descriptors] == [(9, long('2902'))]
            assert client.services.get_characteristic('2a19').properties == ['read', 'notify']
            await client._backend._acquire_mtu()  # as its documentation says
            assert client.mtu_size == 517

    asyncio.run(run())


def test_read_and_write():
    async def run():
        async with connected(BAND) as client:
            assert await client.read_gatt_char('2a28') == b'V1.0.1.81'
            await client.write_gatt_char('fed3', b'hello', response=True)
            assert await client.read_gatt_char('fed3') == b'hello'

    asyncio.run(run())


@pytest.mark.parametrize('use_start_notify', [True, False])
def test_notify(use_start_notify):
    async def run():
        values = asyncio.Queue()
        async with connected(STRAP) as client:
            await client.start_notify(
                '2a37', lambda _, value: values.put_nowait(bytes(value)), bluez={'use_start_notify': use_start_notify}
            )
            assert [await asyncio.wait_for(values.get(), 5) for _ in range(3)] == [b'\0\x3c', b'\0\x3d', b'\0\x3e']
            await client.stop_notify('2a37')
            while not values.empty():
                values.get_nowait()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(values.get(), 0.8)

    asyncio.run(run())


def test_indicate():
    async def run():
        values = asyncio.Queue()
        async with connected(THERMOMETER) as client:
            await client.start_notify('2a1c', lambda _, value: values.put_nowait(bytes(value)))
            assert await asyncio.wait_for(values.get(), 5) == bytes.fromhex('006e0100ff')

    asyncio.run(run())


def test_the_contract_bench(world):
    """Writes of both kinds, descriptors, refusals, and the echo of a write."""

    async def run():
        async with connected(BENCH) as client:
            values = asyncio.Queue()
            await client.start_notify(bench('0107'), lambda _, value: values.put_nowait(bytes(value)))
            for response in (True, False):
                await client.write_gatt_char(bench('0106'), b'echo', response=response)
                assert await asyncio.wait_for(values.get(), 5) == b'echo'
            blob = bytes(i % 256 for i in range(512))
            assert await client.read_gatt_char(bench('0101')) == blob
            await client.write_gatt_char(bench('0101'), blob[::-1], response=True)
            assert await client.read_gatt_char(bench('0101')) == blob[::-1]
            described = client.services.get_characteristic(bench('0110'))
            description, own = sorted(described.descriptors, key=lambda descriptor: descriptor.handle)
            assert await client.read_gatt_descriptor(description.handle) == b'A described value'
            await client.write_gatt_descriptor(own.handle, b'\1\2')
            assert await client.read_gatt_descriptor(own.handle) == b'\1\2'
            for short, text in (('0103', 'Read Not Permitted'), ('0102', '0x85')):
                with pytest.raises(BleakError, match=text):
                    await client.read_gatt_char(bench(short))
            with pytest.raises(BleakError, match='Write Not Permitted'):
                await client.write_gatt_char(bench('0104'), b'x', response=True)

    asyncio.run(run())


def test_disconnecting():
    async def run():
        gone = asyncio.Event()
        async with connected(PIANO, disconnected_callback=lambda _: gone.set()) as client:
            assert client.is_connected
            await client.disconnect()
            await asyncio.wait_for(gone.wait(), 5)
            assert not client.is_connected

    asyncio.run(run())


def test_the_peripheral_drops_the_link(world):
    async def run():
        gone = asyncio.Event()
        async with connected(BENCH, disconnected_callback=lambda _: gone.set()) as client:
            world.tell('drop', BENCH)
            await asyncio.wait_for(gone.wait(), 5)
            assert not client.is_connected

    asyncio.run(run())


def test_a_device_that_nobody_has():
    async def run():
        assert await BleakScanner.find_device_by_address('C0:00:00:00:00:01', timeout=0.5) is None
        with pytest.raises(BleakDeviceNotFoundError):
            async with BleakClient('C0:00:00:00:00:01', timeout=0.5):
                pass

    asyncio.run(run())


def test_two_clients_at_once():
    async def run():
        async with connected(STRAP) as strap, connected(BAND) as band:
            assert await strap.read_gatt_char('2a24') == b'HS-1'
            assert await band.read_gatt_char('2a25') == b'0123456789ab'

    asyncio.run(run())


def test_pairing(world):
    async def run():
        device = await BleakScanner.find_device_by_address(BENCH, timeout=10)
        async with BleakClient(device) as client:
            # It brings no agent of its own.
            with pytest.raises(BleakDBusError) as refusal:
                await client.pair()
            assert refusal.value.dbus_error == 'org.bluez.Error.AuthenticationFailed'

    asyncio.run(run())


JUST_WORKS, SHOWN = 'C7:B0:4D:00:00:01', 'C7:B0:4D:00:00:02'


class Agent(ServiceInterface):
    """A pairing agent, as a desktop has one: bleak leaves pairing to it."""

    def __init__(self, passkey):
        super().__init__('org.bluez.Agent1')
        self.passkey = passkey
        self.asked = []

    @method()
    def RequestPasskey(self, device: 'o') -> 'u':  # noqa: F821, N802
        self.asked.append('RequestPasskey')
        return self.passkey

    @method()
    def RequestAuthorization(self, device: 'o'):  # noqa: F821, N802
        self.asked.append('RequestAuthorization')

    @method()
    def Cancel(self):  # noqa: N802
        self.asked.append('Cancel')


@contextlib.asynccontextmanager
async def agent(capability, passkey=0):
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    served = Agent(passkey)
    bus.export('/desktop/agent', served)
    for member, signature, body in (
        ('RegisterAgent', 'os', ['/desktop/agent', capability]),
        ('RequestDefaultAgent', 'o', ['/desktop/agent']),
    ):
        await bus.call(
            Message(
                destination='org.bluez',
                path='/org/bluez',
                interface='org.bluez.AgentManager1',
                member=member,
                signature=signature,
                body=body,
            )
        )
    yield served
    bus.disconnect()


def test_pairing_with_a_passkey(world):
    async def run():
        world.tell('show', SHOWN)
        async with agent('KeyboardDisplay', 42017) as asked:
            async with connected(SHOWN) as client:
                await client.pair()
                assert asked.asked == ['RequestPasskey']
                assert await client.read_gatt_char(bench('0304')) == b'secure'
            async with connected(SHOWN) as client:
                assert await client.read_gatt_char(bench('0304')) == b'secure'
            assert asked.asked == ['RequestPasskey']

    asyncio.run(run())


def test_pairing_with_a_wrong_passkey(world):
    async def run():
        world.tell('show', SHOWN)
        async with agent('KeyboardDisplay', 42018):
            async with connected(SHOWN) as client:
                with pytest.raises(BleakDBusError) as refusal:
                    await client.pair()
                assert refusal.value.dbus_error == 'org.bluez.Error.AuthenticationFailed'
        assert world.tell('bonds', SHOWN) == ['0']

    asyncio.run(run())


def test_an_attribute_needs_a_bond(world):
    async def run():
        world.tell('show', JUST_WORKS)
        async with agent('NoInputNoOutput') as asked, connected(JUST_WORKS) as client:
            assert await client.read_gatt_char(bench('0302')) == b'encrypted'
            assert asked.asked == ['RequestAuthorization']

    asyncio.run(run())


def test_the_daemon_restarts(world):
    async def run():
        gone = asyncio.Event()
        async with connected(BENCH, disconnected_callback=lambda _: gone.set()):
            world.tell('restart')
            await asyncio.wait_for(gone.wait(), 5)
        while True:
            try:
                await BleakScanner.discover(timeout=0.2)
                break
            except BleakBluetoothNotAvailableError:  # the adapter is switched on a little later
                await asyncio.sleep(0.01)
        async with connected(BENCH) as client:
            assert await client.read_gatt_char(bench('0104')) == b'fixed'

    asyncio.run(run())
