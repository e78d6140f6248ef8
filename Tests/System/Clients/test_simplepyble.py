# SPDX-License-Identifier: MIT
"""simplepyble, the Python binding of SimpleBLE, from PyPI: it takes the bus from libdbus."""

import queue

import pytest
import simplepyble

STRAP, BAND, THERMOMETER = 'F0:F1:F2:F3:F4:F5', 'C8:0F:10:01:02:03', 'E7:10:20:30:40:50'


def long(short):
    return f'0000{short}-0000-1000-8000-00805f9b34fb'


@pytest.fixture(scope='module')
def adapter():
    (adapter,) = simplepyble.Adapter.get_adapters()
    return adapter


@pytest.fixture(scope='module')
def found(adapter):
    adapter.scan_for(1500)
    return {peripheral.address(): peripheral for peripheral in adapter.scan_get_results()}


def test_adapter_and_scan(adapter, found):
    assert simplepyble.Adapter.bluetooth_enabled()
    assert (adapter.identifier(), adapter.address()) == ('hci0', '00:1A:7D:DA:71:13')
    assert found[STRAP].identifier() == 'Heart Strap'
    assert found[STRAP].is_connectable()
    assert -90 < found[STRAP].rssi() < -50
    assert found[BAND].manufacturer_data() == {0x0157: bytes.fromhex('0100c80f10010203')}
    assert found[THERMOMETER].tx_power() == 4
    assert {service.uuid() for service in found[STRAP].services()} == {long('180d'), long('180f')}


def test_connect_services_and_values(found):
    band = found[BAND]
    events = queue.Queue()
    band.set_callback_on_connected(lambda: events.put('connected'))
    band.set_callback_on_disconnected(lambda: events.put('disconnected'))
    band.connect()
    assert events.get(timeout=10) == 'connected'
    assert band.is_connected() and not band.is_paired()
    assert band.mtu() > 23
    tree = {service.uuid(): [c.uuid() for c in service.characteristics()] for service in band.services()}
    assert long('2a28') in tree[long('180a')]
    assert long('fed3') in tree[long('fee1')]
    assert band.read(long('180a'), long('2a28')) == b'V1.0.1.81'
    band.write_request(long('fee1'), long('fed3'), b'hello')
    assert band.read(long('fee1'), long('fed3')) == b'hello'
    with pytest.raises(Exception):
        band.read(long('180d'), long('2a37'))  # it can only notify
    band.disconnect()
    assert events.get(timeout=10) == 'disconnected'
    assert not band.is_connected()


def test_notify(found):
    strap = found[STRAP]
    strap.connect()
    values = queue.Queue()
    strap.notify(long('180d'), long('2a37'), values.put)
    assert [values.get(timeout=10) for _ in range(2)] == [b'\x00\x3c', b'\x00\x3d']
    strap.unsubscribe(long('180d'), long('2a37'))
    strap.disconnect()
