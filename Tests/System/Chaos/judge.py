# SPDX-License-Identifier: MIT
"""Compares what crossed the bus with what was written.

A value has to be in a log if bluetoothd signalled it while the logger was subscribed to all characteristics of the
device: from the answer to the last StartNotify until the link ends, or the logger ends the subscription. When the bus is
killed, it takes with it the last values that it has not passed on yet.
"""

import collections
import itertools
import re
import threading
import time

from monitor import CALL, ERROR, RETURN, SIGNAL

CHARACTERISTIC = re.compile(r'^/org/bluez/(hci\d+)/dev_([0-9A-F_]{17})/service[0-9a-f]{4}/char([0-9a-f]{4})$')
# A logger that has waited so long for an answer has given up; the default of --timeout is 20 s.
PATIENCE = 19
# The longest that a value waits in the bus for a logger that reads.
BACKLOG = 10


class Signal:
    """A value that bluetoothd has signalled."""

    __slots__ = ('value', 'run', 'is_due', 'number', 'period', 'time', 'bus', 'is_last', 'serial')

    def __init__(self, value, run, is_due, number, period, bus=0, serial=0):
        self.value, self.run, self.is_due, self.number, self.period = value, run, is_due, number, period
        self.time = time.time()
        # How many buses there have been before, and whether this one was killed soon afterwards.
        self.bus, self.is_last = bus, False
        # The number of its message: where two of them are missing between two values, the monitor missed a message.
        self.serial = serial


class Timeline:
    """The events on the bus: subscriptions and values."""

    def __init__(self, handles, note):
        # The UUIDs by the handles of the characteristics.
        self.handles, self.note = handles, note
        self.lock = threading.Lock()
        self.run = 0
        self.loggers = {}
        self.names = set()
        self.pending = {}
        self.established = set()
        self.ending = False
        self.signals = {}
        # How often the logger has subscribed to something of each device.
        self.periods = {}
        self.serials = {}
        self.count = 0
        self.bus = 0
        # The runs of which something was seen.
        self.seen = set()

    def take(self, message):
        with self.lock:
            self.numbered(message)
            if message.kind == CALL:
                self.called(message)
            elif message.kind in (RETURN, ERROR):
                self.answered(message)
            elif message.kind == SIGNAL:
                self.signalled(message)

    def numbered(self, message):
        """Notes a hole in the serials of a connection: messages that were sent, and did not reach the monitor.

        The bus itself numbers its messages for each receiver.
        """
        if message.sender == 'org.freedesktop.DBus':
            return
        last = self.serials.get(message.sender)
        if last is not None and message.serial > last + 1:
            self.note(f'{message.sender} has sent {message.serial} after {last}')
        self.serials[message.sender] = message.serial

    def called(self, message):
        sender = message.sender
        if message.member in ('Connect', 'Disconnect', 'StartNotify', 'StopNotify', 'AcquireNotify'):
            self.note(f'{sender} calls {message.member} of {message.path}')
        if message.member == 'GetManagedObjects' and sender not in self.loggers:
            self.loggers[sender] = self.run
            self.seen.add(self.run)
            self.names.add(sender)
        elif message.member == 'StartNotify':
            self.established.discard((sender, message.path))
            self.pending[sender, message.serial] = (message.path, time.monotonic())
        elif message.member == 'StopNotify':
            self.established.discard((sender, message.path))

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
                    self.forget(lambda path: path.startswith(message.path + '/'))
        elif message.member == 'InterfacesRemoved':
            gone = message.body[0]
            self.forget(lambda path: path == gone or path.startswith(gone + '/'))
        elif message.member == 'NameOwnerChanged':
            name, _, owner = message.body
            if name == 'org.bluez' and not owner:
                self.forget(lambda path: True)
            if name in self.loggers and not owner:
                self.names.discard(name)
                self.established = {item for item in self.established if item[0] != name}

    def lose_bus(self):
        """The bus was killed: the next one begins with the same names."""
        with self.lock:
            self.note('the bus is lost')
            self.bus += 1
            self.loggers, self.names, self.pending, self.established = {}, set(), {}, set()
            now = time.time()
            for signals in self.signals.values():
                for signal in reversed(signals):
                    if now - signal.time > BACKLOG:
                        break
                    signal.is_last = True

    def forget(self, is_gone):
        self.established = {item for item in self.established if not is_gone(item[1])}

    def value(self, path, value, serial):
        found = CHARACTERISTIC.match(path)
        if not found or found[3] not in self.handles:
            return
        device = path[: path.index('/service')]
        listening = {}
        for name, other in self.established:
            if name in self.names and other.startswith(device + '/'):
                listening.setdefault(name, set()).add(other)
        due = [name for name, paths in listening.items() if len(paths) == len(self.handles) and path in paths]
        stream = (found[2].replace('_', ':'), self.handles[found[3]])
        self.count += 1
        period = (device, self.periods.get(device)) if due else None
        is_due = bool(due) and not self.ending
        self.signals.setdefault(stream, []).append(Signal(value, self.run, is_due, self.count, period, self.bus, serial))

    def begin(self):
        """A new run of the logger begins."""
        with self.lock:
            self.run += 1
            self.ending = False
            return self.run

    def end(self):
        """The logger is about to be asked to end: what comes from now on need not be written."""
        with self.lock:
            self.ending = True

    def moment(self):
        """The number of the last signal so far, and the last due one of each stream of this run."""
        with self.lock:
            last = {}
            for stream, signals in self.signals.items():
                for signal in reversed(signals):
                    if signal.run != self.run:
                        break
                    if signal.is_due and not signal.is_last:
                        last[stream] = signal
                        break
            return self.count, last

    def of(self, run):
        """The signals of a run."""
        with self.lock:
            return {
                stream: [item for item in items if item.run == run] for stream, items in self.signals.items()
            }

    def has_heard(self, devices, uuids, moment):
        """Whether a value of each stream was signalled to the logger since then."""
        with self.lock:
            return all(
                any(item.number > moment and item.is_due for item in self.signals.get((device, uuid), [])[-50:])
                for device in devices
                for uuid in uuids
            )

    def subscribed(self, devices):
        """Whether the logger is subscribed to all characteristics of all devices."""
        with self.lock:
            paths = {path for name, path in self.established if name in self.names}
        streams = {(found[2], found[3]) for path in paths if (found := CHARACTERISTIC.match(path))}
        return len(streams) == len(devices) * len(self.handles)


def runs_of(items):
    """Neighbours that are equal, with their number."""
    return [(key, list(group)) for key, group in itertools.groupby(items, key=lambda item: item[0])]


def number_of(value):
    """The number of a value of the test; None for other values."""
    return int.from_bytes(value[:4], 'little') if len(value) >= 4 else None


def passed_unseen(signals):
    """The numbers that a killed bus may have passed on to the logger, and no longer to the monitor."""
    numbered = [signal for signal in signals if number_of(signal.value) is not None]
    unseen = []
    for signal, following in zip(numbered, numbered[1:]):
        if following.bus > signal.bus:
            unseen.append(range(number_of(signal.value) + 1, number_of(following.value)))
    if numbered and numbered[-1].is_last:
        unseen.append(range(number_of(numbered[-1].value) + 1, 1 << 32))
    return unseen


def compare(signals, written, safe):
    """Compares the values of one stream in one run of the logger.

    signals are those of the bus, written the values of the log, both in order. Returns (holes, tail, optional): the
    due signals that are missing before the last one that was written, or up to the number `safe`; those missing behind
    it; the number of missing ones that were not due, or were the last ones of a killed bus. Raises AssertionError for what was doubled, invented or out of
    order.
    """
    expected = runs_of([(signal.value, signal) for signal in signals])
    found = collections.deque((value, len(copies)) for value, copies in runs_of([(value, None) for value in written]))
    holes, tail, optional = [], [], 0
    unseen = passed_unseen(signals)
    position = 0
    missing = []  # since the last value that was found
    while found:
        value, copies = found.popleft()
        if all(key != value for key, _ in expected[position:]):
            if any(number_of(value) in numbers for numbers in unseen):
                continue
        while position < len(expected) and expected[position][0] != value:
            missing += [signal for _, signal in expected[position][1]]
            position += 1
        assert position < len(expected), f'{value.hex()} was written, and the bus does not explain it'
        group = [signal for _, signal in expected[position][1]]
        if copies > len(group):
            # Values between may be missing, and the device's last value may be signalled again behind them.
            rest = copies - len(group)
            more = sum(len(later) for key, later in expected[position + 1 :] if key == value)
            assert rest <= more, f'{value.hex()} was written {copies} times, signalled {len(group) + more} times'
            found.appendleft((value, rest))
            copies = len(group)
        due = [signal for signal in group if signal.is_due]
        # The values that an earlier bus did not pass on were its last: all behind them are missing, too.
        lost = [signal for signal in missing if signal.is_due and not (signal.is_last and signal.bus < group[0].bus)]
        holes += lost
        optional += len(missing) - len(lost) + len(group) - max(len(due), copies)
        # The same value may have been signalled again, and that be missing.
        missing = due[copies:]
        position += 1
    missing += [signal for _, group in expected[position:] for _, signal in group]
    for signal in missing:
        if not signal.is_due or signal.is_last:
            optional += 1
        elif signal.number <= safe:
            holes.append(signal)
        else:
            tail.append(signal)
    return holes, tail, optional


def continuous(signals):
    """Checks that the device's values crossed the bus without a hole while the logger was subscribed.

    A fault makes bluetoothd signal the value again that it got last, perhaps over an earlier link, or in an earlier run:
    then it says nothing about the values behind it.
    """
    last = latest = None
    for signal in signals:
        number = number_of(signal.value)
        if number is None:
            last = None
            continue
        if latest in (None, number) and (last is None or signal.period != last[1]):
            latest = number
            continue
        if last and signal.period is not None and signal.period == last[1]:
            assert number - last[0] in (0, 1), (
                f'bluetoothd has signalled {number} at {signal.time:.3f} (serial {signal.serial}) after {last[0]} at '
                f'{last[2]:.3f} (serial {last[3]}), in the subscription {signal.period}'
            )
        last, latest = (number, signal.period, signal.time, signal.serial), number
