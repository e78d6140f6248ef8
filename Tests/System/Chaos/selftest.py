# SPDX-License-Identifier: MIT
"""Tests that the judge notices losses, and that the faults are all of those of docs/faults.md."""

import pathlib
import random
import tempfile
import types
import unittest

from faults import Storm, listed
from judge import Signal, compare, continuous
from listening import SERVICE, Discoveries, Listening
from logger import TextLog
from monitor import CALL, RETURN, SIGNAL
from subscribing import Subscribing
from verdict import Figures, judge


def signals(text):
    """A signal for each letter: a capital one is due."""
    return [Signal(letter.lower().encode(), 1, letter.isupper(), n, None) for n, letter in enumerate(text, 1)]


def compared(text, written, safe=0):
    holes, tail, optional = compare(signals(text), [letter.encode() for letter in written], safe)
    return ''.join(s.value.decode() for s in holes), ''.join(s.value.decode() for s in tail), optional


class Judge(unittest.TestCase):
    def test_what_is_complete(self):
        self.assertEqual(compared('ABC', 'abc'), ('', '', 0))

    def test_a_hole(self):
        self.assertEqual(compared('ABC', 'ac'), ('b', '', 0))

    def test_what_a_kill_may_lose(self):
        self.assertEqual(compared('ABC', 'a'), ('', 'bc', 0))

    def test_what_a_kill_may_not_lose(self):
        self.assertEqual(compared('ABC', 'a', safe=2), ('b', 'c', 0))

    def test_what_was_not_due(self):
        self.assertEqual(compared('aBcD', 'bd'), ('', '', 2))
        self.assertEqual(compared('aBcD', 'abcd'), ('', '', 0))

    def test_a_value_that_was_signalled_twice(self):
        self.assertEqual(compared('AAB', 'aab'), ('', '', 0))
        self.assertEqual(compared('AAB', 'ab'), ('a', '', 0))
        self.assertEqual(compared('AA', 'a'), ('', 'a', 0))
        self.assertEqual(compared('aAB', 'ab'), ('', '', 1))

    def test_equal_values_that_a_loss_has_made_neighbours(self):
        self.assertEqual(compared('ABA', 'aa'), ('b', '', 0))
        self.assertEqual(compared('AbA', 'aa'), ('', '', 1))
        with self.assertRaises(AssertionError):
            compared('ABA', 'aab')

    def test_what_a_killed_bus_may_lose(self):
        def compared(bus, is_last, written):
            before = signals('ABCD')
            for number, signal in enumerate(before):
                signal.bus, signal.is_last = int(bus[number]), is_last[number] == '1'
            return tuple(len(part) if isinstance(part, list) else part for part in compare(before, written, 4))

        # C was the last one of the first bus.
        self.assertEqual(compared('0001', '0110', [b'a', b'b', b'd']), (0, 0, 1))
        self.assertEqual(compared('0001', '0110', [b'a', b'd']), (0, 0, 2))
        # The values behind B were passed on.
        self.assertEqual(compared('0001', '0110', [b'a', b'c', b'd']), (1, 0, 0))
        # A came long before.
        self.assertEqual(compared('0001', '0110', [b'd']), (1, 0, 2))
        # The bus was not there again.
        self.assertEqual(compared('0000', '0011', [b'a', b'b']), (0, 0, 2))

    def test_doubled_invented_and_out_of_order(self):
        for written in ('aab', 'xab', 'ba', 'aba'):
            with self.assertRaises(AssertionError, msg=written):
                compared('AB', written)

    def test_what_a_killed_bus_has_passed_on_to_the_logger_only(self):
        def value(number):
            return number.to_bytes(4, 'little')

        def written(numbers, buses, is_last=False):
            before = [Signal(value(n), 1, True, n, None, bus) for n, bus in buses]
            before[-1].is_last = is_last
            return compare(before, [value(n) for n in numbers], 0)

        self.assertEqual(written([1, 2, 3], [(1, 0), (3, 1)]), ([], [], 0))
        self.assertEqual(written([1, 2], [(1, 0)], is_last=True), ([], [], 0))
        for buses in ([(1, 0), (3, 0)], [(1, 0)], [(1, 0), (2, 1)]):
            with self.assertRaises(AssertionError):
                written([1, 9], buses)
        with self.assertRaises(AssertionError):
            written([1, 2, 3], [(1, 0), (3, 0)])

    def test_a_hole_on_the_bus(self):
        def numbered(*numbers, period=1):
            return [Signal(n.to_bytes(4, 'little'), 1, True, n, ('device', period)) for n in numbers]

        continuous(numbered(1, 2, 3, 3, 4))
        # The last value is signalled again when the next subscription begins, or that of an earlier run.
        continuous(numbered(1, 2) + numbered(2, 5, 6, period=2))
        continuous(numbered(1, 3, 4))
        for holes in (numbered(1, 2, 4), numbered(1, 2) + numbered(2, 5, 7, period=2)):
            with self.assertRaises(AssertionError):
                continuous(holes)


class Verdict(unittest.TestCase):
    def judged(self, written, lost, uncertain):
        """Judges a run that heard A, B, C and D, and wrote some of them to a log."""
        stream = Subscribing.streams[0]
        records = [types.SimpleNamespace(event='value', stream=stream, value=letter.encode()) for letter in written]
        run = types.SimpleNamespace(events=0, lost={'log': lost}, uncertain={'log': uncertain})
        judge(Subscribing, run, 1, {stream: signals('ABCD')}, {'log': records}, 4, False, Figures(), lambda _: None)

    def test_what_is_counted(self):
        self.judged('abcd', 0, 0)
        self.judged('a', 3, 0)

    def test_what_is_not_counted(self):
        with self.assertRaises(AssertionError):
            self.judged('a', 2, 0)

    def test_what_is_counted_but_was_written(self):
        with self.assertRaises(AssertionError):
            self.judged('abc', 2, 0)

    def test_what_may_be_lost(self):
        self.judged('a', 1, 2)
        self.judged('abc', 1, 2)
        with self.assertRaises(AssertionError):
            self.judged('a', 0, 2)


class Broadcasts(unittest.TestCase):
    ADAPTER, PATH, STREAM = '/org/bluez/hci0', '/org/bluez/hci0/dev_C0_FF_EE_00_00_01', Listening.streams[0]

    def setUp(self):
        self.timeline = Discoveries(lambda _: None)
        self.timeline.begin()
        self.serial = 0

    def take(self, kind, member='', path='', **fields):
        self.serial += 1
        message = types.SimpleNamespace(kind=kind, member=member, path=path, serial=self.serial, sender=':1.5')
        vars(message).update(fields)
        self.timeline.take(message)

    def scan(self):
        self.take(CALL, 'GetManagedObjects', '/')
        self.take(CALL, 'StartDiscovery', self.ADAPTER)
        self.take(RETURN, destination=':1.5', reply_serial=self.serial)

    def changed(self, interface, path, **properties):
        self.take(SIGNAL, 'PropertiesChanged', path, body=[interface, properties, []])

    def hear(self, value):
        self.changed('org.bluez.Device1', self.PATH, ServiceData={SERVICE: bytes([value])})

    def due(self):
        return [(signal.value[0], signal.is_due) for signal in self.timeline.of(1)[self.STREAM]]

    def test_what_was_heard_while_it_scanned_is_due(self):
        self.hear(1)
        self.scan()
        self.hear(2)
        self.changed('org.bluez.Adapter1', self.ADAPTER, Discovering=False)
        self.hear(3)
        self.assertEqual(self.due(), [(1, False), (2, True), (3, False)])

    def test_what_is_signalled_again_is_no_new_value(self):
        self.hear(1)
        self.scan()
        for value in (1, 1, 2):
            self.hear(value)
        self.assertEqual(self.due(), [(1, False), (1, True), (1, False), (2, True)])

    def test_a_line_says_which_bytes_were_advertised(self):
        line = '2026-11-26T12:15:21.128690Z\tC0:FF:EE:00:00:01\tChaos 1\tbthome\tpacket 1, -299.99 °C, RSSI -60 dBm'
        record = Listening.printed(line.encode())
        self.assertEqual((record.stream, record.value.hex()), (self.STREAM, '40000102d18a'))
        self.assertEqual(Listening.number(record.value), 1)

    def test_a_table_that_got_a_column_is_read_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, 'log.csv')
            log = TextLog(str(path), Listening)
            path.write_text('event,address,value\r\nstarted,,\r\nvalue,A,01\r\n')
            self.assertEqual([record.event for record in log.read()], ['started', 'value'])
            path.write_text('event,address,value,new\r\nstarted,,,\r\nvalue,A,01,\r\nvalue,B,02,5\r\n')
            self.assertEqual([(record.stream, record.value) for record in log.read()], [('B', b'\x02')])
            self.assertEqual(log.read(), [])


class Faults(unittest.TestCase):
    def test_each_comes_once_before_any_comes_by_chance(self):
        storm = Storm(random.Random(1), ['d'], ['c'], 60)
        self.assertEqual({storm.next()['do'] for _ in storm.words}, set(listed()))

    def test_values_are_of_the_types_that_the_examples_have(self):
        storm = Storm(random.Random(1), ['d'], ['c'], 60)
        for command in (storm.next() for _ in range(10 * len(storm.words))):
            example = listed()[command['do']][1]
            for key in command.keys() & example.keys():
                self.assertIs(type(command[key]), type(example[key]), command)


if __name__ == '__main__':
    unittest.main()
