# SPDX-License-Identifier: MIT
"""Checks, inside the rig and through the real bluetoothd, that the world is what docs/built-in-world.md and
docs/pairing-world.md say.

    Tests/System/Rig/run.sh -- sh -c '$RIG_PYTHON Tests/System/Rig/selftest.py'

Prints a line for each check. The names of checks to run may be given as arguments.
"""

import asyncio
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # Tests/System/Rig may be on the host's disk

from checks import document  # noqa: E402
from checks import pairing as pairing_checks  # noqa: E402
from checks.bluez import ADAPTER, NAMES, BlueZ, Refused  # noqa: E402

FLAGS = {
    'broadcast': 0x01,
    'read': 0x02,
    'write-without-response': 0x04,
    'write': 0x08,
    'notify': 0x10,
    'indicate': 0x20,
}
CCC = document.long_uuid('2902')
STRAP, BENCH = 'F0:F1:F2:F3:F4:F5', 'C2:B1:EC:00:00:01'
BAND, PIANO, THERMOMETER = 'C8:0F:10:01:02:03', 'D0:B5:C2:0A:0B:0C', 'E7:10:20:30:40:50'

failures = 0


def check(what, true, otherwise=''):
    global failures
    if true:
        print(f'ok    {what}', flush=True)
    else:
        failures += 1
        print(f'FAIL  {what}: {otherwise}' if otherwise != '' else f'FAIL  {what}', flush=True)


def equal(what, got, expected):
    check(what, got == expected, f'expected {expected!r}, got {got!r}')


async def refused(what, call, name, text):
    try:
        result = await call
    except Refused as error:
        equal(f'{what}: {name}, {text!r}', (error.name, error.text), (name, text))
    else:
        check(what, False, f'was not refused but gave {result!r}')


def run(*command):
    subprocess.run(command, check=True)


async def advertisements(bluez):
    everybody = document.advertised()
    started = time.monotonic()
    await bluez.scan(until=lambda: all(bluez.device(e.address) for e in everybody))
    print(f'      all seen after {time.monotonic() - started:.2f} s')
    await asyncio.sleep(1)
    for expected in everybody:
        device = bluez.device(expected.address)
        label = f'{expected.name!r} {expected.address}'
        equal(f'{label}: name', device.get('Name'), expected.name)
        equal(f'{label}: alias', device.get('Alias'), expected.name or expected.address.replace(':', '-'))
        equal(f'{label}: address type', device.get('AddressType'), 'random')
        equal(f'{label}: services', [u.upper() for u in device.get('UUIDs', [])], expected.services)
        equal(
            f'{label}: manufacturer data',
            {k: bytes(v) for k, v in device.get('ManufacturerData', {}).items()},
            expected.manufacturer,
        )
        equal(
            f'{label}: service data',
            {k.upper(): bytes(v) for k, v in device.get('ServiceData', {}).items()},
            expected.service_data,
        )
        equal(f'{label}: TX power', device.get('TxPower'), expected.tx_power)
        check(f'{label}: RSSI', -100 < device.get('RSSI', 0) < -30, device.get('RSSI'))
    bluez.removed.clear()
    await bluez.stop_scan()
    await asyncio.sleep(1)
    # Only what cannot be connected is forgotten at once.
    equal(
        'gone with the scan is what is not connectable',
        {p for p in bluez.removed if p.startswith(ADAPTER)},
        {bluez.path_of(e.address) for e in everybody if not e.connectable},
    )


async def trees(bluez):
    for device in document.advertised():
        if device.connectable:
            await tree(bluez, device.name, device.address)


async def tree(bluez, name, address):
    await bluez.connect(address)
    expected = document.tree(name)
    root = bluez.path_of(address)
    services = bluez.children(root, 'Service')
    equal(f'{name}: services', [bluez.uuid(s, 'Service') for s in services], [s for s, _ in expected])
    for service, (uuid, characteristics) in zip(services, expected):
        found = bluez.children(service, 'Characteristic')
        equal(
            f'{name}: characteristics of {uuid[:8]}',
            [
                (bluez.uuid(c, 'Characteristic'), sum(FLAGS[f] for f in bluez.objects[c][NAMES['Characteristic']]['Flags']))
                for c in found
            ],
            [(u, p) for u, p, _ in characteristics],
        )
        for path, (uuid, properties, value) in zip(found, characteristics):
            descriptors = [bluez.uuid(d, 'Descriptor') for d in bluez.children(path, 'Descriptor')]
            described = '0110-' in uuid
            equal(
                f'{name}: descriptors of {uuid[:8]}',
                descriptors,
                [CCC] if properties & 0x30 else [document.long_uuid('2901'), uuid.replace('0110', '0201')] if described else [],
            )
            special = name == 'Contract Bench' and uuid[4:8] in ('0101', '0102', '0105', '010D')
            if properties & 0x02 and not special:
                equal(f'{name}: value of {uuid[:8]}', await bluez.read(path), b'\0' if value is None else value)
    await bluez.disconnect(address)


def only(bluez, address, short):
    """The one characteristic of the device with this 16-bit (or, of the bench, 16 bits of the) UUID."""
    found = [
        path
        for path in bluez.children(bluez.path_of(address), 'Characteristic')
        if bluez.uuid(path, 'Characteristic')[4:8] == short
    ]
    assert len(found) == 1, (short, found)
    return found[0]


async def sensors(bluez):
    for name, address in ('MI Band 2', BAND), ('Heart Strap', STRAP):
        await bluez.connect(address)
        rate = only(bluez, address, '2A37')
        await bluez.notify(rate)
        started = time.monotonic()
        values = await bluez.next_values(rate, 4)
        equal(f'{name}: heart rates', values, [bytes([0, 60 + i]) for i in range(4)])
        check(f'{name}: twice a second', 1.5 < time.monotonic() - started < 3)
        await bluez.stop_notify(rate)
        if address == BAND:
            control, setting = only(bluez, address, '2A39'), only(bluez, address, '2A04')
            await bluez.write(control, b'\x15\x02\x01')
            equal(f'{name}: keeps what is written', await bluez.read(control), b'\x15\x02\x01')
            await bluez.write(setting, b'\x0a\x0b', kind='command')
            equal(f'{name}: keeps what is written without response', await bluez.read(setting), b'\x0a\x0b')
        else:
            equal(f'{name}: Battery1', await battery(bluez, address), 87)
        await bluez.disconnect(address)
    await bluez.connect(THERMOMETER)
    measurement, temperature = (only(bluez, THERMOMETER, short) for short in ('2A1C', '2A6E'))
    await bluez.notify(measurement)
    await bluez.notify(temperature)
    equal('Thermometer: indications', await bluez.next_values(measurement, 3), [bytes.fromhex('006e0100ff')] * 3)
    equal('Thermometer: notifications', await bluez.next_values(temperature, 3), [bytes.fromhex('6608')] * 3)
    await bluez.disconnect(THERMOMETER)


async def battery(bluez, address):
    root = bluez.path_of(address)
    await bluez.until(lambda: 'org.bluez.Battery1' in bluez.objects[root])
    return bluez.objects[root].get('org.bluez.Battery1', {}).get('Percentage')


async def piano(bluez):
    await bluez.connect(PIANO)
    keys, lamps = only(bluez, PIANO, 'FFE2'), only(bluez, PIANO, 'FFE3')
    await bluez.notify(keys)
    started = time.monotonic()
    for number in range(115):
        await bluez.write(lamps, bytes([0xF0, 0x3D, 0x3D, number, 0x02, 0xF7]))
    values = await bluez.next_values(keys, 115, patience=3)
    took = time.monotonic() - started
    equal(f'Piano: 115 writes and answers ({took:.1f} s)', values, [bytes([0x9F, 0x54, n]) for n in range(115)])
    await bluez.disconnect(PIANO)


async def bench(bluez):
    await bluez.connect(BENCH)

    def at(short):
        return only(bluez, BENCH, short)

    pattern = bytes(i % 256 for i in range(512))
    equal('blob: 512 bytes', await bluez.read(at('0101')), pattern)
    await bluez.write(at('0101'), pattern[::-1])
    equal('blob: keeps 512 bytes', await bluez.read(at('0101')), pattern[::-1])
    await bluez.write(at('0101'), b'')
    equal('blob: keeps no bytes', await bluez.read(at('0101')), b'')
    for size in 513, 600:
        await refused(
            f'blob: {size} bytes', bluez.write(at('0101'), bytes(size)), 'InvalidArguments', 'Invalid Length'
        )
    error = 'Operation failed with ATT error: 0x85'
    await refused('refused: read', bluez.read(at('0102')), 'Failed', error)
    await refused('refused: write', bluez.write(at('0102'), b'x'), 'Failed', error)
    await bluez.write(at('0103'), b'secret')
    await refused('write only: read', bluez.read(at('0103')), 'NotPermitted', 'Read not permitted')
    await refused('read only: write', bluez.write(at('0104'), b'x'), 'NotPermitted', 'Write not permitted')
    equal('empty', await bluez.read(at('0105')), b'')

    await bluez.notify(at('0107'))
    sent = [bytes([n]) * (n + 1) for n in range(20)]
    for n, value in enumerate(sent):
        await bluez.write(at('0106'), value, kind='command' if n % 2 else 'request')
    equal('echo: requests and commands, in order', await bluez.next_values(at('0107'), 20, 3), sent)
    equal('echo: is read', await bluez.read(at('0107')), sent[-1])
    await bluez.stop_notify(at('0107'))

    await bluez.notify(at('010A'))
    await bluez.write(at('010B'), b'first')
    await bluez.write(at('010B'), b'second')
    equal('indicated', await bluez.next_values(at('010A'), 2), [b'first', b'second'])
    await bluez.stop_notify(at('010A'))

    started = time.monotonic()
    equal('slow', await bluez.read(at('010E')), b'slow')
    check('slow: 1 s', 0.9 < time.monotonic() - started < 2.5)

    twins = [
        path
        for path in bluez.children(bluez.path_of(BENCH), 'Characteristic')
        if bluez.uuid(path, 'Characteristic')[4:8] == '010F'
    ]
    equal('twins', [await bluez.read(path) for path in twins], [b'\1', b'\2', b'\3'])

    text, own = bluez.children(at('0110'), 'Descriptor')
    equal('described: 2901', await bluez.read(text, 'Descriptor'), b'A described value')
    equal('described: 0201', await bluez.read(own, 'Descriptor'), b'\xca\xfe')
    await bluez.write(own, b'new', kind=None, interface='Descriptor')
    equal('described: 0201 keeps', await bluez.read(own, 'Descriptor'), b'new')
    await refused(
        'described: 2901 is read-only',
        bluez.write(text, b'x', kind=None, interface='Descriptor'),
        'NotPermitted',
        'Write not permitted',
    )
    run('rig-world', 'reset')
    equal('rig-world reset', await bluez.read(own, 'Descriptor'), b'\xca\xfe')
    equal('rig-world reset: blob', await bluez.read(at('0101')), pattern)
    await bluez.disconnect(BENCH)


async def burst(bluez):
    await bluez.connect(BENCH)
    stream = only(bluez, BENCH, '0109')
    await bluez.notify(stream)
    for count in 10, 500, 5000:
        started = time.monotonic()
        await bluez.write(only(bluez, BENCH, '0108'), struct.pack('<H', count))
        values = await bluez.next_values(stream, count, patience=5)
        took = time.monotonic() - started
        check(
            f'burst of {count}: all and in order ({took:.1f} s)',
            values == [struct.pack('<I', n) + b'\xa5' * 16 for n in range(count)],
            f'{len(values)} came',
        )
    await bluez.disconnect(BENCH)


async def hang_up(bluez):
    await bluez.connect(BENCH)
    await bluez.write(only(bluez, BENCH, '010C'), b'\1')
    check('hang up: the write succeeds', True)
    check('hang up: the link is closed', await bluez.until(lambda: not bluez.device(BENCH).get('Connected'), 5))
    await asyncio.sleep(0.5)
    await bluez.connect(BENCH)
    check('hang up: can be connected again', bluez.device(BENCH).get('ServicesResolved'))
    await bluez.disconnect(BENCH)


async def stall(bluez):
    await bluez.connect(BENCH)
    await bluez.connect(STRAP)
    echo_out = only(bluez, BENCH, '0107')
    await bluez.notify(echo_out)
    started = time.monotonic()
    reading = asyncio.create_task(bluez.read(only(bluez, BENCH, '010D')))
    await asyncio.sleep(1)
    await bluez.write(only(bluez, BENCH, '0106'), b'still here', kind='command')
    equal('stall: commands and notifications go on', await bluez.next_values(echo_out, 1, 5), [b'still here'])
    equal('stall: other devices go on', await bluez.read(only(bluez, STRAP, '2A38')), b'\1')
    check('stall: not answered', not reading.done())
    await refused('stall: given up', reading, 'Failed', 'Operation failed with ATT error: 0x0e')
    check('stall: after 30 s', 28 < time.monotonic() - started < 34, time.monotonic() - started)
    check('stall: the link ends', await bluez.until(lambda: not bluez.device(BENCH).get('Connected'), 10))
    await bluez.disconnect(STRAP)
    await bluez.connect(BENCH)
    equal('stall: all well on the next connection', await bluez.read(only(bluez, BENCH, '0104')), b'fixed')
    await bluez.disconnect(BENCH)


async def pairing(bluez):
    await pairing_checks.run(bluez, equal)


async def guest_commands(bluez):
    run('rig-world', 'hide', 'Piano')
    if bluez.device(PIANO):
        await bluez.call(ADAPTER, 'Adapter1', 'RemoveDevice', 'o', [bluez.path_of(PIANO)])
    await bluez.scan(seconds=2)
    check('rig-world hide', not bluez.device(PIANO))
    run('rig-world', 'show', 'Piano')
    check('rig-world show', await bluez.until(lambda: bluez.device(PIANO), 5))
    await bluez.stop_scan()
    for verb in 'drop', 'lose':
        await bluez.connect(STRAP)
        run('rig-world', verb, STRAP)
        check(f'rig-world {verb}', await bluez.until(lambda: not bluez.device(STRAP).get('Connected'), 5))
    run('rig-world', 'show')

    run('rig-bluetoothd', 'freeze')
    try:
        await bluez.call('/', 'org.freedesktop.DBus.Peer', 'Ping', patience=1)
        check('rig-bluetoothd freeze', False, 'it answered')
    except asyncio.TimeoutError:
        check('rig-bluetoothd freeze', True)
    run('rig-bluetoothd', 'thaw')
    await bluez.call('/', 'org.freedesktop.DBus.Peer', 'Ping', patience=5)
    check('rig-bluetoothd thaw', True)
    for verb in 'kill', 'stop':
        run('rig-bluetoothd', verb)
        try:
            await bluez.reload()
            check(f'rig-bluetoothd {verb}', False, 'it answered')
        except Refused as error:
            check(f'rig-bluetoothd {verb} ({error})', True)
        run('rig-bluetoothd', 'start')
        await bluez.reload()
        check('rig-bluetoothd start', bluez.objects[ADAPTER][NAMES['Adapter1']]['Powered'])
        await bluez.connect(STRAP)
        await bluez.disconnect(STRAP)
        check('… and devices can be connected', True)


async def main():
    bluez = await BlueZ().open()
    wanted = sys.argv[1:]
    for checks in advertisements, trees, sensors, piano, bench, burst, hang_up, stall, pairing, guest_commands:
        if wanted and checks.__name__ not in wanted:
            continue
        print(f'---   {checks.__name__}', flush=True)
        try:
            await checks(bluez)
        except Exception as error:  # the others are still worth a run
            check(checks.__name__, False, f'{type(error).__name__} {error}')
    print('selftest: all is well' if not failures else f'selftest: {failures} checks failed')
    return 1 if failures else 0


sys.exit(asyncio.run(main()))
