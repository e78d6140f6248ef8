# SPDX-License-Identifier: MIT
"""What crossed the bus, as a monitor saw it: the values that bluetoothd signalled, and whether the logger was due each of them."""

import threading
import time

from judge import Signal
from monitor import CALL, ERROR, RETURN, SIGNAL

# The longest that a value waits in the bus for a logger that reads.
BACKLOG = 10


class Timeline:
    """The values on the bus, by their streams; a role says what a value is, and when the logger has to hear it."""

    def __init__(self, note):
        self.note = note
        self.lock = threading.Lock()
        self.run = 0
        self.loggers = {}
        self.names = set()
        # Calls without an answer so far, by the caller and the number of the message.
        self.pending = {}
        self.ending = False
        self.signals = {}
        self.serials = {}
        self.count = 0
        self.bus = 0
        # The runs of which something was seen.
        self.seen = set()

    def take(self, message):
        with self.lock:
            self.numbered(message)
            if message.kind == CALL:
                if message.member == 'GetManagedObjects' and message.sender not in self.loggers:
                    self.loggers[message.sender] = self.run
                    self.seen.add(self.run)
                    self.names.add(message.sender)
                self.called(message)
            elif message.kind in (RETURN, ERROR):
                self.answered(message)
            elif message.kind == SIGNAL:
                if message.member == 'NameOwnerChanged':
                    self.owned(*message.body)
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

    def owned(self, name, _, owner):
        if name == 'org.bluez' and not owner:
            self.forget(lambda listener, path: True)
        if name in self.loggers and not owner:
            self.names.discard(name)
            self.forget(lambda listener, path: listener == name)

    # Of a role: calls, their answers, and signals; what the logger listens to no more, by its name and an object's path.

    def called(self, message):
        raise NotImplementedError

    def answered(self, message):
        raise NotImplementedError

    def signalled(self, message):
        raise NotImplementedError

    def forget(self, is_gone):
        raise NotImplementedError

    def add(self, stream, value, is_due, serial, period=None):
        self.count += 1
        signal = Signal(value, self.run, is_due and not self.ending, self.count, period, self.bus, serial)
        self.signals.setdefault(stream, []).append(signal)

    def lose_bus(self):
        """The bus was killed: the next one begins with the same names."""
        with self.lock:
            self.note('the bus is lost')
            self.bus += 1
            self.loggers, self.names, self.pending = {}, set(), {}
            self.forget(lambda listener, path: True)
            now = time.time()
            for signals in self.signals.values():
                for signal in reversed(signals):
                    if now - signal.time > BACKLOG:
                        break
                    signal.is_last = True

    # A run of the logger.

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

    def has_heard(self, streams, moment):
        """Whether a value of each stream was signalled to the logger since then."""
        with self.lock:
            return all(
                any(item.number > moment and item.is_due for item in self.signals.get(stream, [])[-50:])
                for stream in streams
            )
