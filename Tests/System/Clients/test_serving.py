# SPDX-License-Identifier: MIT
"""The peripheral's side: bleak as the central of `blectl serve`, and peripherals of others that blectl reads.

Runs beside `blectl simulate --adapters 2`: hci0 is the peripheral, hci1 the central.
"""

import asyncio
import contextlib
import json
import os
import subprocess

import pytest
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.descriptor import descriptor
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus

BLECTL = os.environ.get('BLECTL', '.build/debug/blectl')
SERVICE = 'b1e50000-5c0e-4b1e-a5d2-6b2f0c7e91aa'
LEVEL = 'b1e50001-5c0e-4b1e-a5d2-6b2f0c7e91aa'
LABEL = 'b1e50002-5c0e-4b1e-a5d2-6b2f0c7e91aa'
REFUSED = 'b1e50003-5c0e-4b1e-a5d2-6b2f0c7e91aa'
ADDRESS = '00:1A:7D:DA:71:13'  # hci0
PAGE = bytes(range(250)) + bytes(range(250))

WORLD = {
    'peripherals': [
        {
            'address': 'C0:00:00:00:00:01',
            'name': 'Served',
            'advertisement': {'services': [SERVICE]},
            'services': [
                {
                    'uuid': SERVICE,
                    'characteristics': [
                        {'uuid': LEVEL, 'properties': ['read', 'write', 'notify'], 'value': '2a'},
                        {
                            'uuid': LABEL,
                            'properties': ['read', 'write'],
                            'value': PAGE.hex(),
                            'descriptors': [{'uuid': '2901', 'value': 'utf8:a page'}],
                        },
                        {'uuid': REFUSED, 'properties': ['read'], 'on_read': {'error': '0x85'}},
                    ],
                }
            ],
        }
    ]
}


@pytest.fixture(autouse=True)
def strangers():
    """The central knows nothing of the last peripheral: BlueZ keeps its name and its services."""
    subprocess.run([BLECTL, 'unpair', ADDRESS, '-i', 'hci1', '-q'], stderr=subprocess.DEVNULL, check=False)


class Served:
    """`blectl serve` on hci0."""

    def __init__(self, process):
        self.process = process
        self.records = []

    async def seen(self, wanted):
        """Waits for a record."""
        while not any(wanted(record) for record in self.records):
            line = await asyncio.wait_for(self.process.stdout.readline(), 20)
            assert line, 'serve has ended'
            self.records.append(json.loads(line))

    def say(self, line):
        self.process.stdin.write(line.encode() + b'\n')


@contextlib.asynccontextmanager
async def serving(path):
    path.write_text(json.dumps(WORLD))
    process = await asyncio.create_subprocess_exec(
        BLECTL, 'serve', str(path), '-i', 'hci0', '--json', '-q', stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    served = Served(process)
    try:
        await served.seen(lambda record: record['event'] == 'advertising')
        yield served
    finally:
        process.terminate()
        await process.wait()


@contextlib.asynccontextmanager
async def connected(name):
    device = await BleakScanner.find_device_by_name(name, timeout=10, bluez={'adapter': 'hci1'})
    assert device is not None
    async with BleakClient(device, bluez={'adapter': 'hci1'}) as client:
        yield client


def test_bleak_is_the_central_of_serve(tmp_path):
    async def run():
        async with serving(tmp_path / 'world.json') as served, connected('Served') as client:
            service = client.services.get_service(SERVICE)
            level, label, refused = sorted(service.characteristics, key=lambda one: one.handle)
            assert [one.uuid for one in (level, label, refused)] == [LEVEL, LABEL, REFUSED]
            assert set(level.properties) == {'read', 'write', 'notify'}
            assert await client.read_gatt_char(LEVEL) == b'\x2a'
            assert await client.read_gatt_char(LABEL) == PAGE  # a long value, in parts
            assert await client.read_gatt_descriptor(label.descriptors[0].handle) == b'a page'
            with pytest.raises(BleakError, match='0x85'):
                await client.read_gatt_char(REFUSED)
            await client.write_gatt_char(LEVEL, b'\x07', response=True)
            assert await client.read_gatt_char(LEVEL) == b'\x07'
            long = bytes(reversed(PAGE))
            await client.write_gatt_char(LABEL, long, response=True)
            assert await client.read_gatt_char(LABEL) == long

            values = asyncio.Queue()
            await client.start_notify(LEVEL, lambda _, value: values.put_nowait(bytes(value)))
            await served.seen(lambda record: record['event'] == 'subscribed')
            for number in range(3):
                served.say(f'{LEVEL} u8:{number}')
            assert [await asyncio.wait_for(values.get(), 10) for _ in range(3)] == [b'\0', b'\1', b'\2']
            await client.stop_notify(LEVEL)
            await served.seen(lambda record: record['event'] == 'unsubscribed')
            written = [record for record in served.records if record['event'] == 'written']
            assert [record['value'] for record in written] == ['07', long.hex()]
            refused = [record for record in served.records if record['event'] == 'refused']
            assert [record['att_error'] for record in refused] == [0x85]

    asyncio.run(run())


async def blectl(*arguments):
    """The output of blectl as the central."""
    process = await asyncio.create_subprocess_exec(
        BLECTL, *arguments, '-i', 'hci1', stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, errors.decode()
    return output.decode().splitlines()


async def values_of(subscription, change):
    """The values of a subscription, during which `change` goes on."""
    changing = asyncio.ensure_future(change())
    lines = await subscription
    changing.cancel()
    return [line.split('\t')[-1] for line in lines]


def test_blectl_reads_a_peripheral_of_bless():
    async def run():
        written = asyncio.Queue()
        server = BlessServer(name='Blessed', adapter='hci0')

        def write(one, value, **_):
            one.value = value
            written.put_nowait(bytes(value))

        server.read_request_func = lambda one, **_: one.value
        server.write_request_func = write
        await server.add_new_service(SERVICE)
        await server.add_new_characteristic(
            SERVICE,
            LEVEL,
            GATTCharacteristicProperties.read
            | GATTCharacteristicProperties.write
            | GATTCharacteristicProperties.notify,
            bytearray(b'\x11\x22'),
            GATTAttributePermissions.readable | GATTAttributePermissions.writeable,
        )
        await server.start()
        try:
            tree = json.loads((await blectl('services', 'Blessed', '--json'))[0])
            service = next(one for one in tree['services'] if one['uuid'] == SERVICE)
            assert service['primary'] is True
            assert set(service['characteristics'][0]['properties']) == {'read', 'write', 'notify'}
            assert await blectl('read', 'Blessed', LEVEL) == ['1122']
            await blectl('write', 'Blessed', LEVEL, '334455', '-q')
            assert await asyncio.wait_for(written.get(), 10) == b'\x33\x44\x55'
            assert await blectl('read', 'Blessed', LEVEL) == ['334455']

            async def count():
                for number in range(100, 200):
                    server.get_characteristic(LEVEL).value = bytearray([number])
                    server.update_value(SERVICE, LEVEL)
                    await asyncio.sleep(0.1)

            values = await values_of(blectl('subscribe', 'Blessed', LEVEL, '--count', '3'), count)
            first = int(values[0], 16)
            assert values == [f'{first + step:02x}' for step in range(3)]
        finally:
            await server.stop()

    asyncio.run(run())


class Thermostat(Service):
    """A service as the documentation of bluez-peripheral shows it."""

    def __init__(self):
        self.written = b'\x15'
        super().__init__(SERVICE, True)

    @characteristic(LEVEL, CharacteristicFlags.READ | CharacteristicFlags.WRITE)
    def target(self, options):
        return self.written

    @target.setter
    def target(self, value, options):
        self.written = bytes(value)

    @descriptor('2901', target)
    def label(self, options):
        return b'target'

    @characteristic(LABEL, CharacteristicFlags.NOTIFY)
    def temperature(self, options):
        pass


def test_blectl_reads_a_peripheral_of_bluez_peripheral():
    async def run():
        bus = await get_message_bus()
        adapter = await Adapter.get_first(bus)
        assert await adapter.get_address() == ADDRESS
        service = Thermostat()
        await service.register(bus, '/thermostat', adapter)
        await Advertisement('Thermostat', [SERVICE], 0x0300, 0).register(bus, adapter)
        assert await blectl('read', 'Thermostat', LEVEL) == ['15']
        assert await blectl('read', 'Thermostat', LEVEL, '--descriptor', '2901', '--as', 'utf8') == ['target']
        await blectl('write', 'Thermostat', LEVEL, 'u8:22', '-q')
        assert service.written == b'\x16'

        async def warm():
            for number in range(100):
                service.temperature.changed(bytes([number]))
                await asyncio.sleep(0.1)

        values = await values_of(blectl('subscribe', 'Thermostat', LABEL, '--count', '3'), warm)
        first = int(values[0], 16)
        assert values == [f'{first + step:02x}' for step in range(3)]
        await service.unregister()
        bus.disconnect()

    asyncio.run(run())


def test_blectl_reads_a_peripheral_of_bluetoothctl(bluetoothctl):
    async def run():
        bluetoothctl(f'select {ADDRESS}')
        bluetoothctl('menu gatt', 'export  [^\r\n]*')
        bluetoothctl(f'register-service {SERVICE}', r'Primary \(yes/no\)')
        bluetoothctl('yes')
        bluetoothctl(f'register-characteristic {LEVEL} read,write', 'Enter value')
        bluetoothctl('0x0a 0x0b')
        bluetoothctl('register-application', 'Application registered')
        bluetoothctl('back')
        bluetoothctl('menu advertise', 'clear [^\r\n]*')
        bluetoothctl(f'uuids {SERVICE}')
        bluetoothctl('name Shell')
        bluetoothctl('manufacturer 0x0157 0x01 0x02')
        bluetoothctl('back')
        bluetoothctl('advertise on', 'Advertising object registered')
        found = [json.loads(line) for line in await blectl('scan', '--name', 'Shell', '--count', '1', '--json')]
        assert found[0]['services'] == [SERVICE]
        assert found[0]['manufacturer_data'] == {'0157': '0102'}
        assert await blectl('read', 'Shell', LEVEL) == ['0a0b']
        await blectl('write', 'Shell', LEVEL, '0c0d', '-q')
        assert await blectl('read', 'Shell', LEVEL) == ['0c0d']
        bluetoothctl('advertise off', 'Advertising object unregistered|Agent unregistered')

    asyncio.run(run())
