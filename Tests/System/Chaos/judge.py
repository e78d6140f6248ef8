# SPDX-License-Identifier: MIT
"""Compares what crossed the bus with what was written."""

import collections
import itertools
import time


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


def runs_of(items):
    """Neighbours that are equal, with their number."""
    return [(key, list(group)) for key, group in itertools.groupby(items, key=lambda item: item[0])]


def number_of(value):
    """The number of a value of the test, which it begins with; None for other values."""
    return int.from_bytes(value[:4], 'little') if len(value) >= 4 else None


def passed_unseen(signals, number):
    """The numbers that a killed bus may have passed on to the logger, and no longer to the monitor."""
    numbered = [signal for signal in signals if number(signal.value) is not None]
    unseen = []
    for signal, following in zip(numbered, numbered[1:]):
        if following.bus > signal.bus:
            unseen.append(range(number(signal.value) + 1, number(following.value)))
    if numbered and numbered[-1].is_last:
        unseen.append(range(number(numbered[-1].value) + 1, 1 << 32))
    return unseen


def compare(signals, written, safe, number=number_of):
    """Compares the values of one stream in one run of the logger.

    signals are those of the bus, written the values of the log, both in order. Returns (holes, tail, optional): the
    due signals that are missing before the last one that was written, or up to the number `safe`; those missing behind
    it; the number of missing ones that were not due, or were the last ones of a killed bus. Raises AssertionError for what was
    doubled, invented or out of order. `number` returns the number of a value.
    """
    expected = runs_of([(signal.value, signal) for signal in signals])
    found = collections.deque((value, len(copies)) for value, copies in runs_of([(value, None) for value in written]))
    holes, tail, optional = [], [], 0
    unseen = passed_unseen(signals, number)
    position = 0
    missing = []  # since the last value that was found
    while found:
        value, copies = found.popleft()
        if all(key != value for key, _ in expected[position:]):
            if any(number(value) in numbers for numbers in unseen):
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
