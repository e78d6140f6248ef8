# SPDX-License-Identifier: MIT
"""Looks at the BlueZ of the system bus from all sides, in the world of docs/world.md, and prints what it sees.

Run beside a real bluetoothd and beside the simulator, it prints two texts, which compare.py compares. Nothing in it
knows which of the two it looks at.
"""

import asyncio
import os
import subprocess
import sys

sys.dont_write_bytecode = True

from dbus_fast import Message, Variant  # noqa: E402

from transcript import (  # noqa: E402
    ADAPTER,
    BLUEZ,
    CHARACTERISTIC,
    DESCRIPTOR,
    DEVICE,
    HCI,
    INTROSPECTABLE,
    MANAGER,
    PATIENCE,
    PROPERTIES,
    SERVICE,
    Client,
    Transcript,
    described_reply,
    described_signal,
    lines_of_introspection,
    lines_of_objects,
    shown,
)

BENCH = f'{HCI}/dev_C2_B1_EC_00_00_01'
STRAP = f'{HCI}/dev_F0_F1_F2_F3_F4_F5'
BEACON = f'{HCI}/dev_C1_BE_AC_00_00_01'
PIANO = f'{HCI}/dev_D0_B5_C2_0A_0B_0C'
JUST_WORKS, PASSKEY_SHOWN, COMPARISON, COMPARISON_NO, REFUSES = (
    f'{HCI}/dev_C7_B0_4D_00_00_0{number}' for number in (1, 2, 4, 5, 6)
)
EVERYTHING = [BENCH, STRAP, BEACON, PIANO] + [
    f'{HCI}/dev_{address}'
    for address in (
        'C1_BE_AC_00_00_02',
        'C1_BE_AC_00_00_03',
        'C3_EE_11_00_00_01',
        'C4_BA_4E_00_00_01',
        'C5_EA_50_00_00_01',
        'C8_0F_10_01_02_03',
        'E4_C1_38_56_53_84',
        'E7_10_20_30_40_50',
    )
]
"""The devices that advertise."""
NOWHERE = f'{HCI}/dev_00_00_00_00_00_00'
AGENT = '/observer/agent'

USER = 8
"""The seconds that a user takes at most: less than the 30 s after which a pairing fails."""

HEARD = ('RSSI', 'TxPower', 'ManufacturerData', 'ServiceData', 'AdvertisingData', 'AdvertisingFlags')
"""Comes with each advertisement: when, differs from run to run."""

text = Transcript()


async def introspect(client, *paths):
    for path in paths:
        text.section(f'introspection of {path}')
        reply = await client.ask(path, INTROSPECTABLE, 'Introspect')
        for line in lines_of_introspection(reply.body[0]):
            text.line(line)


async def objects(client, title, prefix='/'):
    text.section(title)
    reply = await client.ask('/', MANAGER, 'GetManagedObjects')
    for line in lines_of_objects(reply.body[0], prefix):
        text.line(line)


async def try_calls(client, title, path, *calls, patience=PATIENCE):
    """Prints the reply to each call; gives the last one."""
    """Each call is (interface, member, signature, body…)."""
    text.section(title)
    for interface, member, signature, *body in calls:
        reply = await client.ask(path, interface, member, signature, body, patience)
        arguments = ', '.join(shown(value) for value in body)
        text.line(f'{interface.split(".")[-1]}.{member}({arguments}) {signature or "-"} → {described_reply(reply)}')
    return reply


async def watch(client, title, action, until=lambda: True, about='/', hidden=HEARD, ordered=True, patience=PATIENCE):
    """All that arrives from the beginning of an action until a condition holds, and the answers among it.

    `about` is what the paths begin with, or a tuple of paths. Where the kernel decides what comes first, `ordered` is false: the replies are listed last, one device at a time.
    """
    text.section(title)
    await client.settle()
    client.log.clear()
    original = client.log

    class Answers:
        async def ask(self, label, *arguments, **options):
            reply = await client.ask(*arguments, **options)
            original.append(f'reply to {label}: {described_reply(reply)}')
            return reply

    await action(Answers())
    happened = await client.until(until, patience)
    await client.settle()
    entries = list(client.log)
    # The battery is read beside everything else.
    entries.sort(key=tells_of_battery)
    if not ordered:
        entries.sort(key=lambda entry: (isinstance(entry, str), '' if isinstance(entry, str) else device_of(entry)))
    for entry in entries:
        if isinstance(entry, str):
            text.line(entry)
            continue
        path = entry.body[0] if entry.member in ('InterfacesAdded', 'InterfacesRemoved') else entry.path
        is_about = path in about if isinstance(about, tuple) else path.startswith(about)
        if entry.message_type.name == 'SIGNAL' and not is_about:
            continue
        line = described_signal(entry, hidden)
        if line:
            text.line(line)
    if not happened:
        text.line('(what was waited for did not happen)')


def tells_of_battery(entry):
    return not isinstance(entry, str) and entry.member == 'InterfacesAdded' and f'{BLUEZ}.Battery1' in entry.body[1]


def device_of(message):
    """The path of the device that a signal is about, or something that sorts behind it."""
    path = message.body[0] if message.member in ('InterfacesAdded', 'InterfacesRemoved') else message.path
    return '/'.join(path.split('/')[:5]) if '/dev_' in path else '~'


def getting(interface, name):
    return PROPERTIES, 'Get', 'ss', interface, name


def setting(interface, name, value):
    return PROPERTIES, 'Set', 'ssv', interface, name, value


def path_of(client, device, uuid, interface, number=0):
    found = sorted(
        path
        for path, interfaces in client.objects.items()
        if path.startswith(device + '/')
        and interface in interfaces
        and interfaces[interface]['UUID'].value == uuid
    )
    return found[number]


def bench(client, short, interface=CHARACTERISTIC):
    return path_of(client, BENCH, f'b1ec{short}-5c0e-4b1e-a5d2-6b2f0c7e91aa', interface)


# The adapter


async def adapter(client):
    await introspect(client, '/', '/org', '/org/bluez', HCI)
    await objects(client, 'objects at the beginning')
    await try_calls(
        client,
        'calls of the root object',
        '/',
        (MANAGER, 'GetManagedObjects', 's', 'x'),
        (PROPERTIES, 'GetAll', 's', MANAGER),
        (MANAGER, 'Nonsense', ''),
        ('org.freedesktop.DBus.Peer', 'Ping', ''),
    )
    await try_calls(
        client,
        'calls of objects that are not there',
        NOWHERE,
        (DEVICE, 'Connect', ''),
        (PROPERTIES, 'GetAll', 's', DEVICE),
        getting(DEVICE, 'Name'),
        (INTROSPECTABLE, 'Introspect', ''),
    )
    await try_calls(
        client,
        'calls of the adapter',
        HCI,
        (ADAPTER, 'StopDiscovery', ''),
        (ADAPTER, 'Nonsense', ''),
        (ADAPTER, 'StartDiscovery', 's', 'x'),
        ('org.bluez.Nonsense1', 'StartDiscovery', ''),
        (ADAPTER, 'GetDiscoveryFilters', ''),
        (ADAPTER, 'RemoveDevice', 'o', NOWHERE),
        (ADAPTER, 'RemoveDevice', 's', NOWHERE),
        (ADAPTER, 'ConnectDevice', 'a{sv}', {}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Nonsense': Variant('b', True)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'RSSI': Variant('i', -70)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'RSSI': Variant('n', -128)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'RSSI': Variant('n', 21)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Pathloss': Variant('q', 138)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Pathloss': Variant('q', 137)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'RSSI': Variant('n', -70), 'Pathloss': Variant('q', 20)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Transport': Variant('s', 'zigbee')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Transport': Variant('s', 'bredr')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Transport': Variant('s', 'auto')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['nonsense'])}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['180d'])}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('as', ['0x180d'])}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'UUIDs': Variant('s', '180d')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'DuplicateData': Variant('s', 'yes')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Discoverable': Variant('b', True)}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Pattern': Variant('s', '')}),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {}),
    )
    await try_calls(
        client,
        'properties of the adapter',
        HCI,
        getting(ADAPTER, 'Nonsense'),
        getting('org.bluez.Nonsense1', 'Powered'),
        getting(ADAPTER, 'ExperimentalFeatures'),
        getting(ADAPTER, 'PowerState'),
        (PROPERTIES, 'GetAll', 's', 'org.bluez.Nonsense1'),
        (PROPERTIES, 'GetAll', 's', PROPERTIES),
        (PROPERTIES, 'GetAll', 's', INTROSPECTABLE),
        (PROPERTIES, 'Nonsense', 's', ADAPTER),
        (PROPERTIES, 'Get', 's', ADAPTER),
        setting(ADAPTER, 'Nonsense', Variant('b', True)),
        setting('org.bluez.Nonsense1', 'Powered', Variant('b', True)),
        setting(ADAPTER, 'Address', Variant('s', '00:00:00:00:00:00')),
        setting(ADAPTER, 'Powered', Variant('s', 'on')),
        setting(ADAPTER, 'Powered', Variant('b', True)),
        setting(ADAPTER, 'Discovering', Variant('b', True)),
        setting(ADAPTER, 'DiscoverableTimeout', Variant('q', 3)),
        setting(ADAPTER, 'DiscoverableTimeout', Variant('u', 180)),
        setting(ADAPTER, 'PairableTimeout', Variant('u', 0)),
        setting(ADAPTER, 'Alias', Variant('u', 3)),
    )
    for name, value in (
        ('Alias', Variant('s', 'Another name')),
        ('Alias', Variant('s', '')),
        ('Discoverable', Variant('b', True)),
        ('Discoverable', Variant('b', False)),
        ('Pairable', Variant('b', True)),
        ('Pairable', Variant('b', False)),
        ('DiscoverableTimeout', Variant('u', 7)),
        ('PairableTimeout', Variant('u', 7)),
        ('DiscoverableTimeout', Variant('u', 180)),
        ('PairableTimeout', Variant('u', 0)),
    ):

        async def change(answers, name=name, value=value):
            await answers.ask('Set', HCI, PROPERTIES, 'Set', 'ssv', [ADAPTER, name, value])
            await asyncio.sleep(0.3)

        await watch(client, f'setting {name} to {value.value!r}', change, ordered=False)


async def managers(client):
    agents = f'{BLUEZ}.AgentManager1'

    async def register(answers):
        await answers.ask('RegisterAgent', '/org/bluez', agents, 'RegisterAgent', 'os', [AGENT, 'NoInputNoOutput'])
        await asyncio.sleep(0.2)
        await answers.ask('UnregisterAgent', '/org/bluez', agents, 'UnregisterAgent', 'o', [AGENT])
        await asyncio.sleep(0.2)

    await watch(client, 'an agent comes and goes', register, ordered=False)
    await try_calls(
        client,
        'calls of AgentManager1',
        '/org/bluez',
        (agents, 'RequestDefaultAgent', 'o', AGENT),
        (agents, 'UnregisterAgent', 'o', AGENT),
        (agents, 'RegisterAgent', 'os', AGENT, 'Nonsense'),
        (agents, 'RegisterAgent', 'os', AGENT, ''),
        (agents, 'RegisterAgent', 'os', AGENT, 'Nonsense'),
        (agents, 'RegisterAgent', 'os', AGENT + '2', 'DisplayOnly'),
        (agents, 'RequestDefaultAgent', 'o', AGENT + '2'),
        (agents, 'RequestDefaultAgent', 'o', AGENT),
        (agents, 'RequestDefaultAgent', 'o', AGENT),
        (agents, 'UnregisterAgent', 'o', AGENT + '2'),
        (agents, 'UnregisterAgent', 'o', AGENT),
        (agents, 'Nonsense', ''),
    )
    profiles = f'{BLUEZ}.ProfileManager1'
    health = f'{BLUEZ}.HealthManager1'
    await try_calls(
        client,
        'calls of ProfileManager1 and HealthManager1',
        '/org/bluez',
        (profiles, 'UnregisterProfile', 'o', '/observer/profile'),
        (profiles, 'RegisterProfile', 'osa{sv}', '/observer/profile', 'nonsense', {}),
        (
            profiles,
            'RegisterProfile',
            'osa{sv}',
            '/observer/profile',
            'b1ec9999-5c0e-4b1e-a5d2-6b2f0c7e91aa',
            {},
        ),
        (
            profiles,
            'RegisterProfile',
            'osa{sv}',
            '/observer/profile',
            'b1ec9999-5c0e-4b1e-a5d2-6b2f0c7e91aa',
            {},
        ),
        (profiles, 'UnregisterProfile', 'o', '/observer/profile'),
        (health, 'DestroyApplication', 'o', '/observer/application'),
    )
    gatt, adverts = f'{BLUEZ}.GattManager1', f'{BLUEZ}.LEAdvertisingManager1'
    media, battery = f'{BLUEZ}.Media1', f'{BLUEZ}.BatteryProviderManager1'
    monitors, network = f'{BLUEZ}.AdvertisementMonitorManager1', f'{BLUEZ}.NetworkServer1'
    await try_calls(
        client,
        'calls of the managers of the adapter',
        HCI,
        (gatt, 'RegisterApplication', 'oa{sv}', '/observer/nothing', {}),
        (gatt, 'UnregisterApplication', 'o', '/observer/nothing'),
        (adverts, 'UnregisterAdvertisement', 'o', '/observer/nothing'),
        getting(adverts, 'SupportedInstances'),
        getting(adverts, 'SupportedSecondaryChannels'),
        setting(adverts, 'ActiveInstances', Variant('y', 3)),
        (media, 'UnregisterEndpoint', 'o', '/observer/nothing'),
        (media, 'UnregisterPlayer', 'o', '/observer/nothing'),
        (media, 'UnregisterApplication', 'o', '/observer/nothing'),
        (monitors, 'UnregisterMonitor', 'o', '/observer/nothing'),
        (battery, 'UnregisterBatteryProvider', 'o', '/observer/nothing'),
        (network, 'Unregister', 's', 'nap'),
    )
    client.serve('GetManagedObjects', lambda _message: ('a{oa{sa{sv}}}', [application()]))
    client.serve('GetAll', lambda _message: ('a{sv}', [{'Type': Variant('s', 'peripheral')}]))
    client.serve('Release', lambda _message: ('', []))

    async def publish(answers):
        for method, signature, *body in (
            ('RegisterApplication', 'oa{sv}', '/observer/app', {}),
            ('RegisterApplication', 'oa{sv}', '/observer/app', {}),
            ('UnregisterApplication', 'o', '/observer/app'),
            ('UnregisterApplication', 'o', '/observer/app'),
        ):
            await answers.ask(method, HCI, gatt, method, signature, body)
            await asyncio.sleep(0.3)

    await watch(client, 'a GATT application is registered', publish)

    async def advertise(answers):
        for method, signature, *body in (
            ('RegisterAdvertisement', 'oa{sv}', '/observer/advert', {}),
            ('RegisterAdvertisement', 'oa{sv}', '/observer/advert', {}),
            ('UnregisterAdvertisement', 'o', '/observer/advert'),
            ('UnregisterAdvertisement', 'o', '/observer/advert'),
        ):
            await answers.ask(method, HCI, adverts, method, signature, body)
            await asyncio.sleep(0.3)

    await watch(client, 'an advertisement is registered', advertise)


def application():
    service = '/observer/app/service0'
    return {
        service: {
            SERVICE: {
                'UUID': Variant('s', 'b1ec9001-5c0e-4b1e-a5d2-6b2f0c7e91aa'),
                'Primary': Variant('b', True),
            }
        },
        service
        + '/char0': {
            CHARACTERISTIC: {
                'UUID': Variant('s', 'b1ec9002-5c0e-4b1e-a5d2-6b2f0c7e91aa'),
                'Service': Variant('o', service),
                'Flags': Variant('as', ['read']),
            }
        },
    }


# Scanning


async def scanning(client, other):
    def is_heard():
        return client.value(BENCH, DEVICE, 'Name') and client.value(BENCH, DEVICE, 'UUIDs')

    async def begin(answers):
        await answers.ask(
            'SetDiscoveryFilter',
            HCI,
            ADAPTER,
            'SetDiscoveryFilter',
            'a{sv}',
            [{'Transport': Variant('s', 'le'), 'Pattern': Variant('s', 'C2:B1:EC:00:00:01')}],
        )
        await client.ask(HCI, ADAPTER, 'StartDiscovery')  # the reply may come before or after Discovering

    await watch(
        client, 'a scan for one device begins', begin, is_heard, about=(HCI, BENCH), hidden=HEARD + ('UUIDs',)
    )
    await client.until(lambda: PIANO in client.objects, 3)
    await objects(client, 'a device that the scan is not for', PIANO)
    await try_calls(client, 'StartDiscovery again', HCI, (ADAPTER, 'StartDiscovery', ''))
    await try_calls(
        other,
        'discovery of a second client',
        HCI,
        (ADAPTER, 'StopDiscovery', ''),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {'Pattern': Variant('s', 'C2:B1:EC:00:00:01')}),
        (ADAPTER, 'StartDiscovery', ''),
        (ADAPTER, 'StartDiscovery', ''),
        (ADAPTER, 'StopDiscovery', ''),
        (ADAPTER, 'StopDiscovery', ''),
        getting(ADAPTER, 'Discovering'),
    )
    await objects(client, 'a device that was heard', BENCH)

    async def end(answers):
        await answers.ask('StopDiscovery', HCI, ADAPTER, 'StopDiscovery')

    await watch(
        client,
        'the scan ends',
        end,
        lambda: not client.value(HCI, ADAPTER, 'Discovering') and client.value(BENCH, DEVICE, 'RSSI') is None,
        # BlueZ 5.82 also shows each device that the scan is not for, whenever it is first heard.
        about=(HCI, BENCH),
        hidden=HEARD[1:],
        ordered=False,
    )
    third = await Client('third').open()

    async def leave(_answers):
        await third.ask(HCI, ADAPTER, 'SetDiscoveryFilter', 'a{sv}', [{'Pattern': Variant('s', 'X')}])
        await third.ask(HCI, ADAPTER, 'StartDiscovery')
        await client.until(lambda: client.value(HCI, ADAPTER, 'Discovering'))
        third.close()

    await watch(
        client, 'a client that scans leaves the bus', leave, lambda: not client.value(HCI, ADAPTER, 'Discovering')
    )
    await client.ask(HCI, ADAPTER, 'SetDiscoveryFilter', 'a{sv}', [{'Transport': Variant('s', 'le')}])
    await client.ask(HCI, ADAPTER, 'StartDiscovery')
    await client.until(
        lambda: all(client.value(path, DEVICE, 'RSSI') for path in EVERYTHING)
        # These come with the scan response.
        and client.value(STRAP, DEVICE, 'Name')
        and client.value(BENCH, DEVICE, 'UUIDs')
    )
    await objects(client, 'all devices, while scanning')
    await client.ask(HCI, ADAPTER, 'StopDiscovery')
    await client.until(lambda: not client.value(HCI, ADAPTER, 'Discovering'))
    await objects(client, 'all devices, after the scan')


async def unconnected(client):
    await introspect(client, BENCH)
    await try_calls(
        client,
        'calls of a device without a link',
        BENCH,
        (DEVICE, 'Disconnect', ''),
        (DEVICE, 'CancelPairing', ''),
        (DEVICE, 'ConnectProfile', 's', 'nonsense'),
        (DEVICE, 'DisconnectProfile', 's', 'nonsense'),
        (DEVICE, 'DisconnectProfile', 's', 'b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa'),
        (DEVICE, 'Connect', 's', 'x'),
        (DEVICE, 'Nonsense', ''),
        getting(DEVICE, 'Class'),
        getting(DEVICE, 'Appearance'),
        getting(DEVICE, 'WakeAllowed'),
        getting(DEVICE, 'AdvertisingFlags'),
        getting(DEVICE, 'AdvertisingData'),
        getting(DEVICE, 'RSSI'),
        setting(DEVICE, 'RSSI', Variant('n', 3)),
        setting(DEVICE, 'WakeAllowed', Variant('b', True)),
        setting(DEVICE, 'Trusted', Variant('s', 'yes')),
        setting(DEVICE, 'Name', Variant('s', 'x')),
        setting(DEVICE, 'Connected', Variant('b', True)),
        (f'{BLUEZ}.Battery1', 'Nonsense', ''),
        getting(f'{BLUEZ}.Battery1', 'Percentage'),
    )
    for name, value in (
        ('Alias', Variant('s', 'My bench')),
        ('Alias', Variant('s', '')),
        ('Trusted', Variant('b', True)),
        ('Trusted', Variant('b', False)),
        ('Trusted', Variant('b', False)),
        ('Blocked', Variant('b', True)),
    ):

        async def change(answers, name=name, value=value):
            await answers.ask('Set', BENCH, PROPERTIES, 'Set', 'ssv', [DEVICE, name, value])
            await asyncio.sleep(0.3)

        await watch(client, f'setting {name} of a device to {value.value!r}', change, about=BENCH, ordered=False)

    async def unblock(answers):
        await answers.ask('Set', BENCH, PROPERTIES, 'Set', 'ssv', [DEVICE, 'Blocked', Variant('b', False)])
        await asyncio.sleep(0.3)

    await watch(client, 'setting Blocked of a device to False', unblock, about=BENCH, ordered=False)


# A link


def link_state(client, path, wanted):
    def holds():
        held = client.objects.get(path, {}).get(DEVICE, {})
        return 'Connected' in held and held['Connected'].value == wanted and held['ServicesResolved'].value == wanted

    return holds


async def connecting(client, title, path):
    async def connect(answers):
        await answers.ask('Connect', path, DEVICE, 'Connect')

    def is_complete():
        has_battery = f'{BLUEZ}.Battery1' in client.objects.get(path, {})
        return link_state(client, path, True)() and (has_battery or path != STRAP)

    await watch(client, title, connect, is_complete, about=path)


async def disconnecting(client, title, path):
    async def disconnect(_answers):
        # The reply comes before or after the link's end, as the radio is fast.
        reply = await client.ask(path, DEVICE, 'Disconnect')
        await client.until(link_state(client, path, False))
        client.log.append(f'reply to Disconnect: {described_reply(reply)}')

    await watch(client, title, disconnect, about=path)


async def link(client, other):
    await connecting(client, 'the first connection', BENCH)
    await objects(client, 'a connected device', BENCH)
    await introspect(
        client,
        bench(client, '0001', SERVICE),
        bench(client, '0107'),
        bench(client, '0201', DESCRIPTOR),
    )
    await try_calls(
        client,
        'calls of a connected device',
        BENCH,
        (DEVICE, 'Connect', ''),
        (DEVICE, 'ConnectProfile', 's', 'b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa'),
        (DEVICE, 'CancelPairing', ''),
    )
    await try_calls(
        client,
        'calls of a service',
        bench(client, '0001', SERVICE),
        (SERVICE, 'Nonsense', ''),
        getting(SERVICE, 'Handle'),
        setting(SERVICE, 'UUID', Variant('s', 'x')),
    )
    blob, nothing = bench(client, '0101'), {}
    request = {'type': Variant('s', 'request')}
    await try_calls(
        client,
        'reading and writing a characteristic',
        blob,
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {'offset': Variant('q', 500)}),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {'offset': Variant('q', 512)}),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {'offset': Variant('q', 513)}),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {'offset': Variant('u', 1)}),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {'nonsense': Variant('u', 1)}),
        (CHARACTERISTIC, 'ReadValue', ''),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\1\2', nothing),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', nothing),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\3', request),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\3', {'type': Variant('s', 'nonsense')}),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\3', {'type': Variant('u', 1)}),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\3', {'offset': Variant('s', 'x')}),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\4', {'type': Variant('s', 'command')}),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\4' * 600, {'type': Variant('s', 'command')}),
        (
            CHARACTERISTIC,
            'WriteValue',
            'aya{sv}',
            b'\4',
            {'type': Variant('s', 'command'), 'offset': Variant('q', 1)},
        ),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'', nothing),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', nothing),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\5' * 512, nothing),
        (CHARACTERISTIC, 'StartNotify', ''),
        (CHARACTERISTIC, 'StopNotify', ''),
        (CHARACTERISTIC, 'AcquireNotify', 'a{sv}', nothing),
        (CHARACTERISTIC, 'AcquireWrite', 'a{sv}', nothing),
        (CHARACTERISTIC, 'Nonsense', ''),
        setting(CHARACTERISTIC, 'Value', Variant('ay', b'\1')),
        getting(CHARACTERISTIC, 'Handle'),
        getting(CHARACTERISTIC, 'Notifying'),
        getting(CHARACTERISTIC, 'MTU'),
    )
    for short, what in (('0102', 'refuses all'), ('0103', 'can only be written'), ('0104', 'can only be read')):
        await try_calls(
            client,
            f'calls of a characteristic that {what}',
            bench(client, short),
            (CHARACTERISTIC, 'ReadValue', 'a{sv}', nothing),
            (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\1', nothing),
            (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\1', request),
            (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\1', {'type': Variant('s', 'command')}),
        )
    await try_calls(
        client,
        'calls of descriptors',
        bench(client, '0201', DESCRIPTOR),
        (DESCRIPTOR, 'ReadValue', 'a{sv}', nothing),
        (DESCRIPTOR, 'WriteValue', 'aya{sv}', b'\1\2\3', nothing),
        (DESCRIPTOR, 'ReadValue', 'a{sv}', nothing),
        (DESCRIPTOR, 'WriteValue', 'aya{sv}', b'\xca\xfe', {'type': Variant('s', 'command')}),
        (DESCRIPTOR, 'ReadValue', 'a{sv}', {'offset': Variant('s', 'x')}),
        (DESCRIPTOR, 'Nonsense', ''),
        getting(DESCRIPTOR, 'Flags'),
        getting(DESCRIPTOR, 'Handle'),
    )
    described = path_of(client, BENCH, '00002901-0000-1000-8000-00805f9b34fb', DESCRIPTOR)
    await try_calls(
        client,
        'calls of a descriptor that can only be read',
        described,
        (DESCRIPTOR, 'ReadValue', 'a{sv}', nothing),
        (DESCRIPTOR, 'WriteValue', 'aya{sv}', b'\1', nothing),
    )
    configuration = path_of(client, bench(client, '0107'), '00002902-0000-1000-8000-00805f9b34fb', DESCRIPTOR)
    await try_calls(
        client,
        'calls of a client configuration',
        configuration,
        (DESCRIPTOR, 'ReadValue', 'a{sv}', nothing),
        (DESCRIPTOR, 'WriteValue', 'aya{sv}', b'\1\0', nothing),
    )
    await notifying(client, other)


async def notifying(client, other):
    echo_in, echo_out = bench(client, '0106'), bench(client, '0107')

    async def read(answers):
        await answers.ask('ReadValue', echo_out, CHARACTERISTIC, 'ReadValue', 'a{sv}', [{}])

    await watch(client, 'a read signals the value', read, about=BENCH, hidden=())

    async def start(answers):
        await answers.ask('StartNotify', echo_out, CHARACTERISTIC, 'StartNotify')

    await watch(client, 'StartNotify', start, about=BENCH, hidden=())

    def is_echoed():
        return client.value(echo_out, CHARACTERISTIC, 'Value') == b'echo'

    async def echo(_answers):
        # When the reply comes is up to the radio.
        await client.ask(echo_in, CHARACTERISTIC, 'WriteValue', 'aya{sv}', [b'echo', {}])

    await watch(client, 'a notification', echo, is_echoed, about=BENCH, hidden=())
    await try_calls(
        client,
        'calls of a characteristic that notifies',
        echo_out,
        (CHARACTERISTIC, 'StartNotify', ''),
        (CHARACTERISTIC, 'AcquireNotify', 'a{sv}', {}),
    )
    await try_calls(
        other,
        'a second subscriber',
        echo_out,
        (CHARACTERISTIC, 'StopNotify', ''),
        (CHARACTERISTIC, 'StartNotify', ''),
        getting(CHARACTERISTIC, 'Notifying'),
        (CHARACTERISTIC, 'StopNotify', ''),
        getting(CHARACTERISTIC, 'Notifying'),
    )

    async def stop(answers):
        await answers.ask('StopNotify', echo_out, CHARACTERISTIC, 'StopNotify')

    await watch(client, 'StopNotify', stop, about=BENCH, hidden=())
    await try_calls(client, 'StopNotify again', echo_out, (CHARACTERISTIC, 'StopNotify', ''))

    async def acquire(answers):
        reply = await client.ask(echo_out, CHARACTERISTIC, 'AcquireNotify', 'a{sv}', [{}])
        client.log.append(f'reply to AcquireNotify: {reply.signature} mtu {reply.body[1]}')
        descriptor = reply.unix_fds[0]
        for label, member, signature, *body in (
            ('AcquireNotify', 'AcquireNotify', 'a{sv}', {}),
            ('StartNotify', 'StartNotify', ''),
            ('ReadValue', 'ReadValue', 'a{sv}', {}),
        ):
            await answers.ask(label, echo_out, CHARACTERISTIC, member, signature, body)
        os.close(descriptor)
        await client.until(lambda: not client.value(echo_out, CHARACTERISTIC, 'NotifyAcquired'))

    await watch(client, 'AcquireNotify', acquire, about=BENCH, hidden=())

    async def acquire_write(answers):
        reply = await client.ask(echo_in, CHARACTERISTIC, 'AcquireWrite', 'a{sv}', [{}])
        client.log.append(f'reply to AcquireWrite: {reply.signature} mtu {reply.body[1]}')
        descriptor = reply.unix_fds[0]
        await answers.ask('AcquireWrite', echo_in, CHARACTERISTIC, 'AcquireWrite', 'a{sv}', [{}])
        await answers.ask('WriteValue', echo_in, CHARACTERISTIC, 'WriteValue', 'aya{sv}', [b'x', {}])
        os.close(descriptor)
        await client.until(lambda: not client.value(echo_in, CHARACTERISTIC, 'WriteAcquired'))

    await watch(client, 'AcquireWrite', acquire_write, about=BENCH, hidden=())

    async def indicate(_answers):
        await client.ask(bench(client, '010a'), CHARACTERISTIC, 'StartNotify')
        await client.ask(bench(client, '010b'), CHARACTERISTIC, 'WriteValue', 'aya{sv}', [b'hello', {}])

    await watch(
        client,
        'an indication',
        indicate,
        lambda: client.value(bench(client, '010a'), CHARACTERISTIC, 'Value') == b'hello',
        about=BENCH,
        hidden=(),
    )


async def endings(client, other):
    await disconnecting(client, 'Disconnect', BENCH)
    await objects(client, 'a device after its link', BENCH)
    await try_calls(
        client,
        'calls of a characteristic without a link',
        bench(client, '0106'),
        (CHARACTERISTIC, 'ReadValue', 'a{sv}', {}),
        (CHARACTERISTIC, 'WriteValue', 'aya{sv}', b'\1', {}),
        (CHARACTERISTIC, 'AcquireWrite', 'a{sv}', {}),
        (CHARACTERISTIC, 'StartNotify', ''),
    )
    await try_calls(
        client,
        'calls of a notifying characteristic without a link',
        bench(client, '0107'),
        (CHARACTERISTIC, 'AcquireNotify', 'a{sv}', {}),
        (CHARACTERISTIC, 'StartNotify', ''),
        (CHARACTERISTIC, 'StopNotify', ''),
        (CHARACTERISTIC, 'StopNotify', ''),
    )
    await try_calls(
        client,
        'calls of a descriptor without a link',
        bench(client, '0201', DESCRIPTOR),
        (DESCRIPTOR, 'ReadValue', 'a{sv}', {}),
        (DESCRIPTOR, 'WriteValue', 'aya{sv}', b'\1', {}),
    )
    await connecting(client, 'the second connection', BENCH)
    hang_up = bench(client, '010c')
    gone = link_state(client, BENCH, False)

    async def drop(_answers):
        await client.ask(hang_up, CHARACTERISTIC, 'WriteValue', 'aya{sv}', [b'\1', {}])

    await watch(client, 'the peripheral closes the link', drop, gone, about=BENCH)

    await client.ask(HCI, ADAPTER, 'SetDiscoveryFilter', 'a{sv}', [{'Transport': Variant('s', 'le')}])
    await client.ask(HCI, ADAPTER, 'StartDiscovery')
    await client.until(lambda: client.value(PIANO, DEVICE, 'RSSI') and client.value(STRAP, DEVICE, 'RSSI'))
    await client.ask(HCI, ADAPTER, 'StopDiscovery')
    await client.until(lambda: not client.value(HCI, ADAPTER, 'Discovering'))
    await connecting(client, 'a device with a battery', STRAP)
    await introspect(client, STRAP)
    await objects(client, 'a connected device with a battery', STRAP)
    await disconnecting(client, 'Disconnect of a device with a battery', STRAP)

    async def remove(answers):
        await answers.ask('RemoveDevice', HCI, ADAPTER, 'RemoveDevice', 'o', [STRAP])

    await watch(client, 'RemoveDevice', remove, lambda: STRAP not in client.objects, about=STRAP)
    await connecting(client, 'a device that is removed while connected', PIANO)

    async def remove_connected(answers):
        await answers.ask('RemoveDevice', HCI, ADAPTER, 'RemoveDevice', 'o', [PIANO])

    await watch(
        client, 'RemoveDevice of a connected device', remove_connected, lambda: PIANO not in client.objects, about=PIANO,
        ordered=False,
    )


# Pairing


async def heard(client, path):
    if path in client.objects:
        return
    await client.ask(HCI, ADAPTER, 'SetDiscoveryFilter', 'a{sv}', [{'Transport': Variant('s', 'le')}])
    await client.ask(HCI, ADAPTER, 'StartDiscovery')
    await client.until(lambda: client.value(path, DEVICE, 'RSSI'))
    await client.ask(HCI, ADAPTER, 'StopDiscovery')
    await client.until(lambda: not client.value(HCI, ADAPTER, 'Discovering'))


async def pairing(client, other):
    agents = f'{BLUEZ}.AgentManager1'

    await heard(client, PIANO)

    async def pair(answers):
        await answers.ask('Pair', PIANO, DEVICE, 'Pair')
        await asyncio.sleep(1)

    await watch(client, 'Pair without an agent', pair, about=PIANO)
    await disconnecting(client, 'Disconnect after Pair without an agent', PIANO)
    await objects(client, 'a device after Pair without an agent', PIANO)
    await client.ask(HCI, ADAPTER, 'RemoveDevice', 'o', [PIANO])
    await heard(client, PIANO)
    for member in ('Release', 'RequestConfirmation', 'RequestAuthorization', 'DisplayPasskey', 'Cancel'):
        client.serve(member, lambda _message: ('', []))
    await client.ask('/org/bluez', agents, 'RegisterAgent', 'os', [AGENT, 'NoInputNoOutput'])
    await client.ask('/org/bluez', agents, 'RequestDefaultAgent', 'o', [AGENT])
    await watch(client, 'Pair with an agent', pair, about=PIANO)
    await objects(client, 'a paired device', PIANO)
    await try_calls(
        client,
        'calls of a paired device',
        PIANO,
        (DEVICE, 'Connect', ''),
    )
    await disconnecting(client, 'Disconnect of a paired device', PIANO)
    await connecting(client, 'a paired device is connected', PIANO)
    again = await try_calls(client, 'a paired device is paired again', PIANO, (DEVICE, 'Pair', ''), patience=3)
    if again is None:
        await try_calls(client, 'the second pairing is cancelled', PIANO, (DEVICE, 'CancelPairing', ''))

    async def remove(answers):
        await answers.ask('RemoveDevice', HCI, ADAPTER, 'RemoveDevice', 'o', [PIANO])

    await watch(
        client, 'RemoveDevice of a paired device', remove, lambda: PIANO not in client.objects, about=PIANO, ordered=False
    )
    await client.ask('/org/bluez', agents, 'UnregisterAgent', 'o', [AGENT])


async def pairing_with_users(client):
    """The pairings of docs/pairing-world.md, with an agent that has a display and a keyboard."""
    agents = f'{BLUEZ}.AgentManager1'
    agree = lambda _message: ('', [])  # noqa: E731

    def reject(message):
        return Message.new_error(message, f'{BLUEZ}.Error.Rejected', 'no')

    def type_passkey(passkey):
        return lambda _message: ('u', [passkey])

    async def attempt(title, device, capability, *, after=(), **answers):
        address = device[-17:].replace('_', ':')

        # A user takes longer than the discovery of services: neither overtakes the other by chance. Depending on its
        # version, BlueZ discovers them only after the pairing.
        def is_discovered():
            return after != stays or client.value(device, DEVICE, 'ServicesResolved')

        for member in ('RequestPasskey', 'RequestConfirmation', 'RequestAuthorization', 'DisplayPasskey', 'Cancel'):
            client.serve(member, answers.get(member, agree), is_discovered, USER)
        await client.ask('/org/bluez', agents, 'RegisterAgent', 'os', [AGENT, capability])
        run('show', address)
        await heard(client, device)

        async def pair(answers):
            await answers.ask('Pair', device, DEVICE, 'Pair')

        def is_settled():
            state = {name: client.value(device, DEVICE, name) for name in ('Connected', 'ServicesResolved', 'Paired')}
            return all(state[name] == value for name, value in after)

        await watch(client, title, pair, is_settled, about=device, ordered=False, patience=USER)
        await client.ask(HCI, ADAPTER, 'RemoveDevice', 'o', [device])
        await client.until(lambda: device not in client.objects)
        run('reset', address)
        await client.ask('/org/bluez', agents, 'UnregisterAgent', 'o', [AGENT])

    stays, ends = (('ServicesResolved', True),), (('Connected', False),)
    await attempt(
        'the device shows a passkey', PASSKEY_SHOWN, 'KeyboardDisplay', after=stays, RequestPasskey=type_passkey(42017)
    )
    await attempt(
        'the agent gives no passkey', PASSKEY_SHOWN, 'KeyboardDisplay', after=stays, RequestPasskey=reject
    )
    await attempt('both compare a number', COMPARISON, 'DisplayYesNo', after=stays)
    await attempt('the agent refuses the number', COMPARISON, 'DisplayYesNo', after=stays, RequestConfirmation=reject)
    await attempt(
        'the device refuses the number', COMPARISON_NO, 'DisplayYesNo', after=ends, RequestConfirmation=lambda _: None
    )
    await attempt('the device refuses to pair', REFUSES, 'NoInputNoOutput', after=ends)


async def pairing_for_an_attribute(client):
    agents = f'{BLUEZ}.AgentManager1'
    address = JUST_WORKS[-17:].replace('_', ':')
    run('show', address)
    await heard(client, JUST_WORKS)
    await client.ask(JUST_WORKS, DEVICE, 'Connect')
    await client.until(lambda: client.value(JUST_WORKS, DEVICE, 'ServicesResolved'))
    await client.settle()
    encrypted = path_of(client, JUST_WORKS, 'b1ec0302-5c0e-4b1e-a5d2-6b2f0c7e91aa', CHARACTERISTIC)
    await client.ask('/org/bluez', agents, 'RegisterAgent', 'os', [AGENT, 'NoInputNoOutput'])
    client.serve('RequestAuthorization', lambda _message: ('', []))

    async def read(answers):
        call = encrypted, CHARACTERISTIC, 'ReadValue', 'a{sv}', [{}]
        reply = await client.ask(*call)
        if '0x0e' in described_reply(reply):
            # bluetoothd repeats the request when the link is being encrypted, and gives up if the kernel is not ready for it.
            await answers.ask('ReadValue', *call)
        else:
            client.log.append(f'reply to ReadValue: {described_reply(reply)}')

    await watch(client, 'an attribute needs encryption', read, about=JUST_WORKS, ordered=False)
    await client.ask(HCI, ADAPTER, 'RemoveDevice', 'o', [JUST_WORKS])
    await client.until(lambda: JUST_WORKS not in client.objects)
    await client.ask('/org/bluez', agents, 'UnregisterAgent', 'o', [AGENT])
    run('reset', address)


async def unreachable(client, other):
    await heard(client, PIANO)
    run('hide', 'D0:B5:C2:0A:0B:0C')

    async def cancel(answers):
        call = asyncio.create_task(client.ask(PIANO, DEVICE, 'Connect'))
        await asyncio.sleep(1)
        await answers.ask('Connect', PIANO, DEVICE, 'Connect')
        await answers.ask('Disconnect', PIANO, DEVICE, 'Disconnect')
        client.log.append(f'reply to Connect: {described_reply(await call)}')

    await watch(client, 'Disconnect ends an attempt to connect', cancel, about=PIANO)

    async def cancel_pairing(answers):
        call = asyncio.create_task(client.ask(PIANO, DEVICE, 'Pair'))
        await asyncio.sleep(1)
        await answers.ask('Pair', PIANO, DEVICE, 'Pair')
        await answers.ask('CancelPairing', PIANO, DEVICE, 'CancelPairing')
        client.log.append(f'reply to Pair: {described_reply(await call)}')

    # BlueZ forgets the device when the kernel has reported that the attempt has ended.
    await watch(
        client, 'CancelPairing ends an attempt to pair', cancel_pairing, lambda: PIANO not in client.objects, about=PIANO,
        ordered=False,
    )
    run('show', 'D0:B5:C2:0A:0B:0C')


async def power(client):
    # BlueZ drops the services of a device some time after its link, which may be now.
    if BENCH in client.objects:
        await client.ask(HCI, ADAPTER, 'RemoveDevice', 'o', [BENCH])
        await client.until(lambda: BENCH not in client.objects)
    await heard(client, BENCH)
    await heard(client, STRAP)
    await heard(client, PIANO)
    await connecting(client, 'a link before the adapter is off', STRAP)

    async def off(answers):
        await answers.ask('Set', HCI, PROPERTIES, 'Set', 'ssv', [ADAPTER, 'Powered', Variant('b', False)])

    await watch(
        client, 'the adapter is switched off', off, lambda: client.value(HCI, ADAPTER, 'Powered') is False, about=HCI,
        ordered=False,
    )
    await objects(client, 'an adapter that is off', HCI + '/x')
    await try_calls(
        client,
        'calls of an adapter that is off',
        HCI,
        (ADAPTER, 'StartDiscovery', ''),
        (ADAPTER, 'StopDiscovery', ''),
        (ADAPTER, 'SetDiscoveryFilter', 'a{sv}', {}),
        (ADAPTER, 'RemoveDevice', 'o', STRAP),
        (ADAPTER, 'RemoveDevice', 'o', NOWHERE),
        setting(ADAPTER, 'Discoverable', Variant('b', True)),
        setting(ADAPTER, 'Pairable', Variant('b', True)),
        setting(ADAPTER, 'Pairable', Variant('b', False)),
        setting(ADAPTER, 'Powered', Variant('b', False)),
    )
    await try_calls(
        client,
        'calls of a device of an adapter that is off',
        STRAP,
        (DEVICE, 'Connect', ''),
        (DEVICE, 'Pair', ''),
        (DEVICE, 'Disconnect', ''),
    )

    async def on(answers):
        await answers.ask('Set', HCI, PROPERTIES, 'Set', 'ssv', [ADAPTER, 'Powered', Variant('b', True)])

    await watch(
        client, 'the adapter is switched on', on, lambda: client.value(HCI, ADAPTER, 'Powered') is True, about=HCI,
        ordered=False,
    )


def run(*words):
    """Changes the world: through the pipes of contract-world, or by the rig's command."""
    if pipes := os.environ.get('CONTRACT_WORLD'):
        output, answers = (int(number) for number in pipes.split(','))
        os.write(output, ' '.join(words).encode() + b'\n')
        answer = os.read(answers, 4096)
        assert answer == b'ok\n', answer
    else:
        subprocess.run(['rig-world', *words], check=True)


async def main():
    client, other = await Client('first').open(), await Client('second').open()
    await adapter(client)
    await managers(client)
    await scanning(client, other)
    await unconnected(client)
    await heard(client, BENCH)
    await link(client, other)
    await endings(client, other)
    await pairing(client, other)
    await pairing_with_users(client)
    await pairing_for_an_attribute(client)
    await unreachable(client, other)
    await power(client)
    text.section('end')


asyncio.run(main())
