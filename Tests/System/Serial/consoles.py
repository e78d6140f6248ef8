# SPDX-License-Identifier: MIT
"""The console of `blectl serial` on a terminal, at a simulated device that sends back what it gets. run.sh starts it."""

import os
import select
import termios
import unittest

from ports import BLECTL, PATIENCE, PortCase


class ConsoleTests(PortCase):
    def console(self, *arguments):
        self.process, self.screen = self.fork([BLECTL, 'serial', 'Echo', *arguments])
        self.shown = b''

    def await_text(self, text):
        while text not in self.shown:
            self.assertTrue(select.select([self.screen], [], [], PATIENCE)[0], self.shown)
            try:
                self.shown += os.read(self.screen, 4096)
            except OSError:
                self.fail(self.shown)

    def type(self, keys):
        os.write(self.screen, keys)

    def status(self):
        while True:
            try:
                if not os.read(self.screen, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def test_keys_go_to_the_device_as_they_are_until_the_one_that_ends(self):
        self.console()
        self.await_text(b'Nordic UART: Ctrl-] ends\r\n')
        # Ctrl-C and Return; the echo shows the device's bytes, not ours.
        self.type(b'one\x03\rtwo')
        self.await_text(b'one\x03\rtwo')
        self.lose_link()
        self.await_text(b'the link was lost')
        self.assertEqual(self.status(), 1)

    def test_ctrl_bracket_ends_with_status_0_and_gives_the_terminal_back(self):
        self.console()
        self.await_text(b'ends\r\n')
        self.assertFalse(termios.tcgetattr(self.screen)[3] & termios.ICANON)
        # The end waits for what was typed, not for what the device makes of it.
        self.type(b'x')
        self.await_text(b'x')
        self.type(b'\x1d')
        self.assertEqual(self.status(), 0)

    def test_lines_are_edited_and_sent_with_return(self):
        self.console('--line', '--crlf', '--hex')
        self.await_text(b'ends\r\n')
        self.type(b'ac\x7fb\n')
        self.await_text(b'61 62 0d 0a')
        self.type(b'\x04')
        self.assertEqual(self.status(), 0)

    def test_another_key_may_end_and_a_console_survives_a_lost_link(self):
        self.console('--escape', '^x', '--reconnect')
        self.await_text(b'Ctrl-X ends')
        self.lose_link()
        self.await_text(b' reconnected after ')
        self.type(b'\x1d!')
        self.await_text(b'\x1d!')
        self.type(b'\x18')
        self.assertEqual(self.status(), 0)


if __name__ == '__main__':
    unittest.main(verbosity=1)
