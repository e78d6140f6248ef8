# SPDX-License-Identifier: MIT
"""The logger of values that devices send over links.

A value has to be in a log if bluetoothd signalled it while the logger was subscribed to all characteristics of the
device: from the answer to the last StartNotify until the link ends, or the logger ends the subscription. When the bus is
killed, it takes with it the last values that it has not passed on yet.
"""

import collections
import re
import time

import judge
from logger import Record
from monitor import RETURN
from timeline import Timeline

DEVICES = [f'C0:FF:EE:00:00:0{number}' for number in range(1, 9)]
SHORT = ['ffe1', 'ffe4']
UUIDS = [f'0000{short}-0000-1000-8000-00805f9b34fb' for short in SHORT]
# The handles of the characteristics, as their paths have them.
HANDLES = dict(zip(['0011', '0021'], UUIDS))

CHARACTERISTIC = re.compile(r'^/org/bluez/(hci\d+)/dev_([0-9A-F_]{17})/service[0-9a-f]{4}/char([0-9a-f]{4})$')
LINE = re.compile(rb'^[0-9T:.Z-]+\t([0-9A-F:]{17})\t(\S+)\t([0-9a-f]*)$')
LINK = re.compile(r'([0-9A-F:]{17}) (connected|disconnected|reconnected)\b')
# A logger that has waited so long for an answer has given up; the default of --timeout is 20 s.
PATIENCE = 19


def peripheral(address):
    """A device with a service of two characteristics."""
    characteristics = [
        {'uuid': short, 'handle': int(handle, 16), 'properties': ['read', 'notify'], 'value': ''}
        for short, handle in zip(SHORT, HANDLES)
    ]
    service = {'uuid': 'ffe0', 'handle': 0x10, 'characteristics': characteristics}
    return {'address': address, 'name': f'Chaos {address[-1]}', 'services': [service]}


class Subscriptions(Timeline):
    """The subscriptions on the bus, and the values."""

    def __init__(self, note):
        super().__init__(note)
        self.established = set()
        # How often the logger has subscribed to something of each device.
        self.periods = {}

    def called(self, message):
        sender = message.sender
        if message.member in ('Connect', 'Disconnect', 'StartNotify', 'StopNotify', 'AcquireNotify'):
            self.note(f'{sender} calls {message.member} of {message.path}')
        if message.member in ('StartNotify', 'StopNotify'):
            self.established.discard((sender, message.path))
        if message.member == 'StartNotify':
            self.pending[sender, message.serial] = (message.path, time.monotonic())

    def answered(self, message):
        call = self.pending.pop((message.destination, message.reply_serial), None)
        if call and message.kind == RETURN and time.monotonic() - call[1] < PATIENCE:
            device = call[0].partition('/service')[0]
            self.periods[device] = self.periods.get(device, 0) + 1
            self.note(f'{message.destination} is subscribed to {call[0]}, as number {self.periods[device]}')
            self.established.add((message.destination, call[0]))

    def signalled(self, message):
        if message.member == 'PropertiesChanged':
            interface, changed, _ = message.body
            if interface == 'org.bluez.GattCharacteristic1' and 'Value' in changed:
                self.value(message.path, bytes(changed['Value']), message.serial)
            elif interface == 'org.bluez.Device1' and 'Connected' in changed:
                self.note(f'{message.path}: Connected is {changed["Connected"]}')
                if not changed['Connected']:
                    self.forget(lambda _, path: path.startswith(message.path + '/'))
        elif message.member == 'InterfacesRemoved':
            gone = message.body[0]
            self.forget(lambda _, path: path == gone or path.startswith(gone + '/'))

    def forget(self, is_gone):
        self.established = {item for item in self.established if not is_gone(*item)}

    def value(self, path, value, serial):
        found = CHARACTERISTIC.match(path)
        if not found or found[3] not in HANDLES:
            return
        device = path[: path.index('/service')]
        listening = {}
        for name, other in self.established:
            if name in self.names and other.startswith(device + '/'):
                listening.setdefault(name, set()).add(other)
        is_due = any(len(paths) == len(HANDLES) and path in paths for paths in listening.values())
        period = (device, self.periods.get(device)) if is_due else None
        self.add((found[2].replace('_', ':'), HANDLES[found[3]]), value, is_due, serial, period)

    def is_complete(self):
        """Whether the logger is subscribed to all characteristics of all devices."""
        with self.lock:
            paths = {path for name, path in self.established if name in self.names}
        streams = {(found[2], found[3]) for path in paths if (found := CHARACTERISTIC.match(path))}
        return len(streams) == len(DEVICES) * len(HANDLES)


class Subscribing:
    world = {'peripherals': [peripheral(address) for address in DEVICES]}
    devices, characteristics = DEVICES, SHORT
    streams = [(device, uuid) for device in DEVICES for uuid in UUIDS]
    arguments = ['subscribe', 'Chaos *', *SHORT, '--all', '--reconnect', '--reconnect-delay', '2s', '--pair']
    Timeline = Subscriptions
    # Records beside the values, which can be lost too; how many there may be besides those that stderr tells of.
    events = ('connected', 'disconnected', 'reconnected')
    untold = 0
    # The values of a database.
    query = (
        'SELECT value.id, address, uuid AS characteristic, value AS data FROM value JOIN characteristic ON characteristic.id = '
        'value.characteristic JOIN device ON device.id = characteristic.device WHERE value.id > ? ORDER BY value.id'
    )
    number = staticmethod(judge.number_of)
    continuous = staticmethod(judge.continuous)

    @staticmethod
    def printed(line):
        """The record of a line of the output, which has UUIDs in their short form."""
        found = LINE.match(line)
        assert found, line
        stream = (found[1].decode(), dict(zip(SHORT, UUIDS))[found[2].decode()])
        return Record('value', stream, bytes.fromhex(found[3].decode()), 0)

    @staticmethod
    def stream(entry):
        """The stream of a value in a log."""
        return (entry['address'], entry['characteristic'])

    @staticmethod
    def told(text):
        """How many of these records a line of stderr tells of."""
        return 1 if LINK.search(text) else 0

    @staticmethod
    def given_up(text):
        """The device for which the logger has said that it cannot go on; None in other lines."""
        if text.startswith('blectl: cannot') and (found := re.search('|'.join(DEVICES), text)):
            return found[0]
        return None

    @staticmethod
    def send(trouble):
        """Every value is sent once only: a stream numbers its values. Sometimes hundreds come at once."""
        chance, control = trouble.chance('values'), trouble.simulation.connect()
        numbers = collections.Counter()
        streams = [(device, short) for device in DEVICES for short in SHORT]
        while not trouble.over.is_set():
            count = chance.randint(200, 800) if chance.random() < 0.004 else 1
            device, short = chance.choice(streams)
            commands = []
            for _ in range(count):
                numbers[device, short] += 1
                value = numbers[device, short].to_bytes(4, 'little') + bytes(chance.randint(0, 16))
                command = {'do': 'set-value', 'device': device, 'characteristic': short, 'value': value.hex()}
                commands.append(command)
            for answer in control.all(commands):
                assert answer['ok'], answer
            trouble.over.wait(chance.expovariate(60))
