# SPDX-License-Identifier: MIT
"""What the judge must notice, and that the faults are all of those of docs/faults.md."""

import random
import unittest

from faults import Storm, listed
from judge import Signal, compare, continuous


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

    def test_doubled_invented_and_out_of_order(self):
        for written in ('aab', 'xab', 'ba', 'aba'):
            with self.assertRaises(AssertionError, msg=written):
                compared('AB', written)

    def test_a_hole_on_the_bus(self):
        def numbered(*numbers):
            return [Signal(n.to_bytes(4, 'little'), 1, True, n, ('device', 1)) for n in numbers]

        continuous(numbered(1, 2, 2, 3))
        with self.assertRaises(AssertionError):
            continuous(numbered(1, 3))


class Faults(unittest.TestCase):
    def test_each_comes_once_before_any_comes_by_chance(self):
        storm = Storm(random.Random(1), ['d'], ['c'])
        self.assertEqual({storm.next()['do'] for _ in storm.words}, set(listed()))


if __name__ == '__main__':
    unittest.main()
