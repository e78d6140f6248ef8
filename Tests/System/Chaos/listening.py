# SPDX-License-Identifier: MIT
"""The logger of values that devices advertise.

A value has to be in a log if bluetoothd signalled it while the logger scanned: from the answer to StartDiscovery until the
adapter's discovery ends. What bluetoothd signals again is no new value.
"""

import re

import subscribing
from logger import Record
from monitor import RETURN
from timeline import Timeline

DEVICES = subscribing.DEVICES
SERVICE = '0000fcd2-0000-1000-8000-00805f9b34fb'
DEVICE = re.compile(r'^(/org/bluez/hci\d+)/dev_([0-9A-F_]{17})$')
LINE = re.compile(rb'^[0-9T:.Z-]+\t([0-9A-F:]{17})\t[^\t]*\tbthome\tpacket \d+, (-?\d+\.\d\d) \xc2\xb0C, RSSI -?\d+ dBm$')
# A value counts from there to there in hundredths of a degree, which takes an hour and a half.
FIRST, LAST = -30000, 30000


def peripheral(address):
    """A device of the other test, which advertises a value that counts besides."""
    celsius = {'counter': {'from': FIRST / 100, 'to': LAST / 100, 'step': 0.01}}
    beacon = {'bthome': {'packet_id': {'counter': {}}, 'temperature': celsius}, 'every': '100ms'}
    return subscribing.peripheral(address) | {'advertisement': {'beacons': [beacon]}}


def number(value):
    """How many values came before it."""
    return int.from_bytes(value[4:6], 'little', signed=True) - FIRST


class Discoveries(Timeline):
    """The discoveries on the bus, and what was heard in them."""

    def __init__(self, note):
        super().__init__(note)
        self.running = set()

    def called(self, message):
        if message.member == 'StartDiscovery':
            self.pending[message.sender, message.serial] = message.path
        elif message.member == 'StopDiscovery':
            self.stop(message.sender, message.path)

    def answered(self, message):
        path = self.pending.pop((message.destination, message.reply_serial), None)
        if path and message.kind == RETURN:
            self.note(f'{message.destination} scans with {path}')
            self.running.add((message.destination, path))

    def signalled(self, message):
        if message.member == 'PropertiesChanged':
            interface, changed, _ = message.body
            if interface == 'org.bluez.Adapter1' and changed.get('Discovering') is False:
                self.stop(None, message.path)
            elif interface == 'org.bluez.Device1':
                self.heard(message.path, changed, message.serial)
        elif message.member == 'InterfacesAdded':
            path, interfaces = message.body
            self.heard(path, interfaces.get('org.bluez.Device1', {}), message.serial)
        elif message.member == 'InterfacesRemoved':
            self.stop(None, message.body[0])

    def stop(self, sender, path):
        """A discovery of one program, or of all, has ended."""
        ended = {item for item in self.running if item[1] == path and sender in (None, item[0])}
        for name, _ in ended:
            self.note(f'the scan of {name} with {path} ends')
        self.running -= ended

    def forget(self, is_gone):
        self.running = {item for item in self.running if not is_gone(*item)}

    def heard(self, path, properties, serial):
        found = DEVICE.match(path)
        data = dict(properties.get('ServiceData', {})).get(SERVICE)
        if not found or data is None:
            return
        stream, value = found[2].replace('_', ':'), bytes(data)
        is_due = any(name in self.names and adapter == found[1] for name, adapter in self.running)
        before = self.signals.get(stream, [])[-1:]
        is_repeat = any(last.run == self.run and last.is_due and last.value == value for last in before)
        self.add(stream, value, is_due and not is_repeat, serial)

    def is_complete(self):
        """Whether the logger has heard all devices."""
        return self.has_heard(DEVICES, 0)


class Listening:
    world = {'peripherals': [peripheral(address) for address in DEVICES]}
    devices, characteristics = DEVICES, subscribing.SHORT
    streams = DEVICES
    arguments = ['listen', '--type', 'bthome']
    Timeline = Discoveries
    # Records beside the values, which can be lost too; stderr does not tell of the first one, nor of an outage that lasts.
    events = ('started', 'interrupted', 'resumed')
    untold = 2
    query = (
        'SELECT advertisement.id, address, data FROM advertisement JOIN device ON device.id = advertisement.device '
        'WHERE advertisement.id > ? ORDER BY advertisement.id'
    )
    number = staticmethod(number)

    @staticmethod
    def continuous(signals):
        """The air loses packets: it says nothing if some are missing on the bus."""

    @staticmethod
    def printed(line):
        found = LINE.match(line)
        assert found, line
        hundredths = round(float(found[2]) * 100)
        value = bytes([0x40, 0x00, (hundredths - FIRST) % 256, 0x02]) + hundredths.to_bytes(2, 'little', signed=True)
        return Record('value', found[1].decode(), value, 0)

    @staticmethod
    def stream(entry):
        return entry['address']

    @staticmethod
    def told(text):
        """The records of an outage, which a line of stderr tells of at its end."""
        return 2 if text.startswith('listening again') else 0

    @staticmethod
    def given_up(text):
        """It never gives up."""
        return None

    # The devices send by themselves.
    send = None
