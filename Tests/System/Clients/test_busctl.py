# SPDX-License-Identifier: MIT
"""busctl, from Debian's package systemd."""

import contextlib
import os
import subprocess
import time

ADAPTER = '/org/bluez/hci0'


def busctl(*arguments):
    command = ['busctl', f'--address={os.environ["DBUS_SYSTEM_BUS_ADDRESS"]}', '--no-pager', *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout


def call(path, interface, member, *arguments):
    return busctl('call', 'org.bluez', path, interface, member, *arguments).strip()


def test_tree():
    assert busctl('tree', '--list', 'org.bluez').splitlines()[:3] == ['/', '/org', '/org/bluez']
    assert '/org/bluez/hci0' in busctl('tree', '--list', 'org.bluez').splitlines()


def test_introspect():
    text = busctl('introspect', 'org.bluez', ADAPTER, 'org.bluez.Adapter1')
    rows = [line.split() for line in text.splitlines()[1:]]
    members = {row[0]: row[1:] for row in rows}
    assert members['.StartDiscovery'] == ['method', '-', '-', '-']
    assert members['.SetDiscoveryFilter'] == ['method', 'a{sv}', '-', '-']
    assert members['.GetDiscoveryFilters'] == ['method', '-', 'as', '-']
    assert members['.Address'] == ['property', 's', '"00:1A:7D:DA:71:13"', 'emits-change']
    assert members['.Powered'] == ['property', 'b', 'true', 'emits-change', 'writable']
    assert members['.DiscoverableTimeout'] == ['property', 'u', '180', 'emits-change', 'writable']
    assert members['.Roles'] == ['property', 'as', '2', '"central"', '"peripheral"', 'emits-change']
    interfaces = [line.split()[0] for line in busctl('introspect', 'org.bluez', ADAPTER).splitlines()]
    for interface in ('Adapter1', 'GattManager1', 'LEAdvertisingManager1', 'Media1', 'AdvertisementMonitorManager1'):
        assert f'org.bluez.{interface}' in interfaces


def test_properties():
    assert busctl('get-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Powered') == 'b true\n'
    busctl('set-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Alias', 's', 'Bench')
    assert busctl('get-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Alias', 'Name') == (
        's "Bench"\ns "BlueZ 5.66"\n'
    )
    busctl('set-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Alias', 's', '')
    refused = subprocess.run(
        [
            'busctl',
            f'--address={os.environ["DBUS_SYSTEM_BUS_ADDRESS"]}',
            *('set-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Address', 's', 'x'),
        ],
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 1
    assert "Property 'Address' is not writable" in refused.stderr


def test_calls_and_monitor():
    assert call(ADAPTER, 'org.bluez.Adapter1', 'GetDiscoveryFilters') == (
        'as 7 "UUIDs" "RSSI" "Pathloss" "Transport" "DuplicateData" "Discoverable" "Pattern"'
    )
    monitor = subprocess.Popen(
        [
            *('busctl', f'--address={os.environ["DBUS_SYSTEM_BUS_ADDRESS"]}', '--json=short', 'monitor', 'org.bluez'),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        # A monitor does not report when it has begun: a property is changed until it shows.
        os.set_blocking(monitor.stdout.fileno(), False)
        seen, end = '', time.monotonic() + 15
        while '"Alias":{"type":"s","data":"Seen"}' not in seen and time.monotonic() < end:
            for alias in ('Seen', ''):
                busctl('set-property', 'org.bluez', ADAPTER, 'org.bluez.Adapter1', 'Alias', 's', alias)
            with contextlib.suppress(BlockingIOError):
                seen += os.read(monitor.stdout.fileno(), 1 << 20).decode()
        assert '"Alias":{"type":"s","data":"Seen"}' in seen
        assert '"member":"PropertiesChanged"' in seen
    finally:
        monitor.terminate()
        monitor.wait()
