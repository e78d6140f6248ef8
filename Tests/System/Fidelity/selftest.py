# SPDX-License-Identifier: MIT
"""Tests of compare.py: the differences that it must report, and those that it must not."""

import sys
import unittest

sys.dont_write_bytecode = True

from compare import differences, sections  # noqa: E402

TWO_SIGNALS = """
dev Device1: Connected b true
dev Device1: Bonded b true
dev Device1: Paired b true; ServicesResolved b true
dev/service0006 added: DBus.Introspectable, org.bluez.GattService1
reply to Pair: ok
"""
ONE_SIGNAL = """
dev Device1: Connected b true
dev/service0006 added: DBus.Introspectable, org.bluez.GattService1
dev Device1: Bonded b true; Paired b true; ServicesResolved b true
reply to Pair: ok
"""


def compared(title, one, other):
    return list(differences(*(sections(f'## {title}\n{text}') for text in (one, other))))


class Comparison(unittest.TestCase):
    def test_pairing_may_be_reported_in_one_signal_or_in_two(self):
        self.assertEqual(compared('Pair with an agent', TWO_SIGNALS, ONE_SIGNAL), [])

    def test_a_change_that_is_missing_is_noticed_there_too(self):
        without = ONE_SIGNAL.replace('Bonded b true; ', '')
        missing = [('Pair with an agent', 'bluetoothd', 'dev Device1: Bonded b true')]
        self.assertEqual(compared('Pair with an agent', TWO_SIGNALS, without), missing)

    def test_a_failure_is_noticed_there_too(self):
        self.assertEqual(len(compared('Pair with an agent', TWO_SIGNALS, TWO_SIGNALS.replace('ok', 'Failed'))), 2)

    def test_elsewhere_the_order_and_the_signals_count(self):
        self.assertNotEqual(compared('Connect', TWO_SIGNALS, ONE_SIGNAL), [])


if __name__ == '__main__':
    unittest.main()
