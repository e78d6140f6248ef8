# SPDX-License-Identifier: MIT
"""bluetoothctl, from Debian's package bluez."""

import re

STRAP, BAND = 'F0:F1:F2:F3:F4:F5', 'C8:0F:10:01:02:03'
LINE_END = r'\r?\n'


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_it_lists_and_shows_the_adapter(bluetoothctl):
    assert 'Controller 00:1A:7D:DA:71:13 BlueZ 5.66 [default]' in bluetoothctl('list', r'\[default\]')
    shown = lines(bluetoothctl('show', 'SupportedMonitorTypes: or_patterns'))
    assert 'Controller 00:1A:7D:DA:71:13 (public)' in shown
    for expected in (
        'Powered: yes',
        'Discoverable: no',
        'DiscoverableTimeout: 0x000000b4',
        'Pairable: yes',  # its own agent makes it so
        'UUID: Generic Attribute Profile (00001801-0000-1000-8000-00805f9b34fb)',
        'Modalias: usb:v1D6Bp0246d0542',
        'Discovering: no',
        'Roles: central',
        'SupportedInstances: 0x05 (5)',
        'SupportedIncludes: local-name',
    ):
        assert expected in shown


def test_it_scans_and_lists_devices(bluetoothctl):
    bluetoothctl('scan on', 'Discovery started', 'C1-BE-AC-00-00-03')
    bluetoothctl('scan off', 'Discovering: no', 'Discovery stopped')
    devices = bluetoothctl('devices', f'Device {STRAP} Heart Strap', 'Thermometer')
    assert f'Device {BAND} MI Band 2' in devices
    assert 'Device D0:B5:C2:0A:0B:0C Piano' in devices
    assert 'C1:BE:AC' not in devices  # beacons are forgotten when the scan ends
    info = lines(bluetoothctl(f'info {STRAP}', 'Battery Service [^\r\n]*'))
    assert f'Device {STRAP} (random)' in info
    for expected in ('Name: Heart Strap', 'Paired: no', 'Bonded: no', 'Connected: no', 'LegacyPairing: no'):
        assert expected in info
    assert 'UUID: Heart Rate                (0000180d-0000-1000-8000-00805f9b34fb)' in info


def known(bluetoothctl, address):
    bluetoothctl('scan on', 'Discovery started', address)
    bluetoothctl('scan off', 'Discovery stopped')


def test_it_connects_and_uses_attributes(bluetoothctl):
    known(bluetoothctl, BAND)
    known(bluetoothctl, STRAP)
    bluetoothctl(f'connect {STRAP}', 'Connected: yes', 'Connection successful', 'ServicesResolved: yes')
    bluetoothctl('menu gatt', 'export  [^\r\n]*')
    listed = lines(bluetoothctl(f'list-attributes {STRAP}', 'Model Number String'))
    device = '/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5'
    assert [line for line in listed if line.startswith(device)] == [
        f'{device}/{path}'
        for path in (
            'service0006',
            'service0006/char0007',
            'service0006/char0007/desc0009',
            'service0006/char000a',
            'service0006/char000c',
            'service000e',
            'service000e/char000f',
            'service000e/char000f/desc0011',
            'service0012',
            'service0012/char0013',
            'service0012/char0015',
        )
    ]
    assert '00002a37-0000-1000-8000-00805f9b34fb' in listed and 'Heart Rate Measurement' in listed
    bluetoothctl(f'select-attribute {device}/service0012/char0015', 'char0015')
    assert '48 53 2d 31' in bluetoothctl('read', 'Attempting to read', '48 53 2d 31  [^\r\n]*HS-1')
    bluetoothctl('write 0x01', 'org.bluez.Error.NotSupported')  # it can only be read
    bluetoothctl(f'select-attribute {device}/service0006/char0007', 'char0007')
    assert 'Notifying: no' in bluetoothctl('attribute-info', 'Notifying: no', 'Flags: notify', 'MTU: 0x0205')
    bluetoothctl('read', 'org.bluez.Error.NotPermitted')
    notified = bluetoothctl('notify on', 'Notify started', '00 3c', '00 3d')
    assert 'Attribute' in notified and 'Value:' in notified
    bluetoothctl('notify off', 'Notify stopped')
    bluetoothctl('back', 'export  [^\r\n]*')
    assert 'Percentage: 0x57 (87)' in bluetoothctl(f'info {STRAP}', r'Battery Percentage: [^\r\n]*').replace(
        'Battery Percentage', 'Percentage'
    )
    bluetoothctl(f'disconnect {STRAP}', 'Attempting to disconnect', 'Successful disconnected')


def test_it_writes(bluetoothctl):
    known(bluetoothctl, BAND)
    bluetoothctl(f'connect {BAND}', 'Connection successful', 'ServicesResolved: yes')
    bluetoothctl('menu gatt', 'export  [^\r\n]*')
    bluetoothctl('select-attribute 0000fed3-0000-1000-8000-00805f9b34fb', r'char[0-9a-f]{4}\S*#')
    bluetoothctl('write "0x68 0x65 0x6c 0x6c 0x6f"', 'Attempting to write')
    assert 'hello' in bluetoothctl('read', '68 65 6c 6c 6f  [^\r\n]*')
    bluetoothctl('back', 'export  [^\r\n]*')
    bluetoothctl(f'disconnect {BAND}', 'Successful disconnected')


def test_it_pairs_and_removes(bluetoothctl):
    known(bluetoothctl, STRAP)
    paired = bluetoothctl(f'pair {STRAP}', 'Attempting to pair', 'Pairing successful')
    assert re.search(r'Bonded: yes', paired)
    bluetoothctl(f'disconnect {STRAP}', 'Successful disconnected')
    info = lines(bluetoothctl(f'info {STRAP}', 'LegacyPairing'))
    assert 'Paired: yes' in info and 'Bonded: yes' in info and 'Connected: no' in info
    bluetoothctl(f'pair {STRAP}', 'org.bluez.Error.AlreadyExists')
    bluetoothctl(f'remove {STRAP}', 'Device has been removed')
    bluetoothctl(f'info {STRAP}', f'Device {STRAP} not available')


def test_a_key_outlives_the_daemon(world, bluetoothctl):
    bench = 'C2:B1:EC:00:00:01'
    known(bluetoothctl, bench)
    bluetoothctl(f'pair {bench}', 'Bonded: yes', 'Pairing successful')
    world.tell('restart')
    # It may find the adapter on already, and then reports no change.
    bluetoothctl.expect_all('Agent registered')
    bluetoothctl('show', 'Powered: yes')
    info = lines(bluetoothctl(f'info {bench}', 'LegacyPairing'))
    assert 'Paired: yes' in info and 'Bonded: yes' in info and 'Connected: no' in info
    bluetoothctl(f'connect {bench}', 'Connection successful', 'ServicesResolved: yes')


SHOWN, TYPED, COMPARED = 'C7:B0:4D:00:00:02', 'C7:B0:4D:00:00:03', 'C7:B0:4D:00:00:04'
REFUSING, PLAIN = 'C7:B0:4D:00:00:06', 'C7:B0:4D:00:00:01'


def shown(world, bluetoothctl, address):
    world.tell('show', address)
    known(bluetoothctl, address)


# The prompt of a question appears when something is typed.


def test_it_types_the_passkey_that_a_device_shows(world, bluetoothctl):
    shown(world, bluetoothctl, SHOWN)
    bluetoothctl(f'pair {SHOWN}', 'Attempting to pair', 'Request passkey')
    [passkey] = world.tell('passkey', SHOWN)
    assert passkey == '042017'
    bluetoothctl(passkey, 'Enter passkey', 'Paired: yes', 'Pairing successful')
    assert world.tell('bonds', SHOWN) == ['1']


def test_it_types_a_wrong_passkey(world, bluetoothctl):
    shown(world, bluetoothctl, SHOWN)
    bluetoothctl(f'pair {SHOWN}', 'Request passkey')
    bluetoothctl('42018', 'Failed to pair: org.bluez.Error.AuthenticationFailed')
    assert world.tell('bonds', SHOWN) == ['0']


def test_it_shows_a_passkey_that_is_typed_into_a_device(world, bluetoothctl):
    shown(world, bluetoothctl, TYPED)
    passkey = bluetoothctl(f'pair {TYPED}', 'Passkey: [^\r\n]*')
    world.tell('type', TYPED, re.search(r'Passkey: (\d{6})', passkey)[1])
    bluetoothctl.expect('Paired: yes', 'Pairing successful')


def test_it_compares_a_number(world, bluetoothctl):
    shown(world, bluetoothctl, COMPARED)
    bluetoothctl(f'pair {COMPARED}', 'Request confirmation')
    [number] = world.tell('passkey', COMPARED)
    bluetoothctl('no', rf'Confirm passkey {number} \(yes/no\)', 'Failed to pair: org.bluez.Error.AuthenticationFailed')
    bluetoothctl(f'pair {COMPARED}', 'Request confirmation')
    bluetoothctl('yes', 'Pairing successful')


def test_a_device_refuses_to_pair(world, bluetoothctl):
    shown(world, bluetoothctl, REFUSING)
    bluetoothctl(f'pair {REFUSING}', 'Failed to pair: org.bluez.Error.AuthenticationFailed')


def test_it_is_asked_when_an_attribute_needs_a_bond(world, bluetoothctl):
    shown(world, bluetoothctl, PLAIN)
    bluetoothctl('default-agent', 'Default agent request successful')
    bluetoothctl(f'connect {PLAIN}', 'Connection successful', 'ServicesResolved: yes')
    bluetoothctl('menu gatt', 'export  [^\r\n]*')
    bluetoothctl('select-attribute b1ec0302-5c0e-4b1e-a5d2-6b2f0c7e91aa', r'char[0-9a-f]{4}\S*#')
    bluetoothctl('read', 'Request authorization')
    bluetoothctl('yes', 'Accept pairing', 'Paired: yes', '65 6e 63 72 79 70 74 65 64')


def test_a_blocked_device_is_kept_out(world, bluetoothctl):
    shown(world, bluetoothctl, PLAIN)
    bluetoothctl(f'connect {PLAIN}', 'Connection successful')
    bluetoothctl(f'block {PLAIN}', 'Blocked: yes', 'Connected: no')
    bluetoothctl(f'unblock {PLAIN}', 'Blocked: no')
    bluetoothctl(f'connect {PLAIN}', 'Connection successful')
