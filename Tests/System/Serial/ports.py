# SPDX-License-Identifier: MIT
"""Programs for serial ports on `blectl serial`, at a simulated device that sends back what it gets. run.sh starts it."""

import contextlib
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import socket
import subprocess
import tempfile
import termios
import threading
import unittest

import serial

BLECTL = os.environ['BLECTL']
# How many bytes go each way, and how often the link is lost in between.
BYTES = int(os.environ.get('BYTES', 1_000_000))
LOSSES = int(os.environ.get('LOSSES', 5))
PATIENCE = 120 + BYTES // 20_000
ADDRESS = 'C0:00:00:00:00:01'


def world(**parts):
    """A Nordic UART that sends back what it gets."""
    return {'peripherals': [{'address': ADDRESS, 'name': 'Echo', 'mtu': 247, 'uart': True} | parts]}


def noise(count, seed=1):
    return random.Random(seed).randbytes(count)


class PortCase(unittest.TestCase):
    """A simulated echo, and what runs beside it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.simulate(world())

    def simulate(self, content):
        file = self.folder / 'world.json'
        file.write_text(json.dumps(content))
        control = self.folder / f'control{len(list(self.folder.iterdir()))}'
        simulator = self.start(BLECTL, 'simulate', file, '--control', control, '-q', stdout=subprocess.PIPE, text=True)
        self.bus = simulator.stdout.readline().strip().removeprefix('DBUS_SYSTEM_BUS_ADDRESS=')
        self.control = control

    def start(self, *arguments, **options):
        process = subprocess.Popen(arguments, **options)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def blectl(self, *arguments, **options):
        environment = os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus}
        options = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE} | options
        return self.start(BLECTL, 'serial', 'Echo', *arguments, env=environment, **options)

    def place(self, *arguments, **options):
        """A running `serial`, and where programs find it."""
        process = self.blectl(*arguments, **options)
        return process, process.stdout.readline().decode().strip()

    def command(self, **command):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(str(self.control))
            client.sendall(json.dumps(command).encode() + b'\n')
            self.assertEqual(json.loads(client.makefile().readline()), {'ok': True})

    def lose_link(self):
        self.command(do='drop-link', device=ADDRESS)

    def fork(self, command, errors=None):
        """Starts a program on a terminal of its own, which shows only what the program does."""
        silent, silence = os.pipe()
        process, screen = pty.fork()
        if process == 0:
            settings = termios.tcgetattr(0)
            settings[3] &= ~termios.ECHO
            termios.tcsetattr(0, termios.TCSANOW, settings)
            os.write(silence, b'.')
            if errors is not None:
                os.dup2(errors, 2)
            os.execvpe(command[0], command, os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus, 'TERM': 'xterm'})
        os.close(silence)
        os.read(silent, 1)
        os.close(silent)
        self.addCleanup(os.close, screen)
        self.addCleanup(self.kill, process)
        return process, screen

    def kill(self, process):
        # One that a test has waited for is gone.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def said(self, process, text):
        """Waits for a line on standard error."""
        for line in process.stderr:
            if text in line.decode():
                return line.decode()
        self.fail(f'did not say {text!r}')

    def exchange(self, write, read, parts, between=lambda: None):
        """Sends noise in parts, and compares what comes back of each."""
        for number, size in enumerate(parts):
            sent, received = noise(size, number), b''
            writer = threading.Thread(target=write, args=(sent,))
            writer.start()
            while len(received) < size:
                more = read(size - len(received))
                self.assertTrue(more, f'{len(received)} of {size} bytes came back')
                received += more
            writer.join()
            self.assertEqual(received, sent)
            between()


class PipeTests(PortCase):
    def test_bytes_of_a_pipe_come_back_in_order(self):
        sent = noise(BYTES)
        process = self.blectl(stdin=subprocess.PIPE)
        output, errors = process.communicate(sent, PATIENCE)
        self.assertEqual((process.returncode, output == sent), (0, True), errors)
        self.assertIn(f'sent {BYTES} bytes, received {BYTES} bytes', errors.decode())

    def test_a_slow_link_sets_the_pace(self):
        self.simulate(world(link={'packet_time': '2ms'}))
        sent = noise(100_000)
        process = self.blectl('--linger', '3s', stdin=subprocess.PIPE)
        output, errors = process.communicate(sent, PATIENCE)
        self.assertEqual((process.returncode, output == sent), (0, True), errors)

    def test_a_modem_answers_lines_and_greets(self):
        answers = {'AT': 'OK\r\n', 'ATI': 'Modem 1.0\r\nOK\r\n'}
        for service in ('nordic', 'hm-10', 'microchip', 'silicon-labs', 'laird'):
            port = {'service': service, 'greeting': 'READY\r\n', 'answers': answers, 'otherwise': 'ERROR\r\n'}
            self.simulate(world(uart=port))
            process = self.blectl(stdin=subprocess.PIPE)
            output, errors = process.communicate(b'AT\r\nATI\rATX\n\n', PATIENCE)
            self.assertEqual(output, b'READY\r\nOK\r\nModem 1.0\r\nOK\r\nERROR\r\n', errors)
            self.assertEqual(process.returncode, 0)

    def test_a_reader_that_goes_away_ends_the_command_as_sigpipe_would(self):
        process = self.blectl(stdin=subprocess.PIPE)
        process.stdout.close()
        process.stdout = None
        process.stdin.write(b'hello')
        process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE), -signal.SIGPIPE)

    def test_a_lost_link_is_an_error_after_what_was_received(self):
        process = self.blectl('--linger', '0', stdin=subprocess.PIPE)
        process.stdin.write(b'hello')
        process.stdin.flush()
        self.assertEqual(process.stdout.read(5), b'hello')
        self.lose_link()
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn('the link was lost', process.stderr.read().decode())

    def test_a_stalled_reader_costs_bytes_that_are_counted(self):
        process = self.blectl('--buffer', '16K', stdin=subprocess.PIPE)
        sent = noise(400_000)
        process.stdin.write(sent)
        process.stdin.close()
        self.said(process, 'bytes are dropped')
        received = process.stdout.read()
        errors = process.stderr.read().decode()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertIn(f'{len(sent) - len(received)} bytes of the received ones were dropped', errors)


class PseudoTerminalTests(PortCase):
    def open(self, path, **options):
        port = serial.Serial(path, timeout=PATIENCE, **options)
        self.addCleanup(port.close)
        return port

    def test_pyserial_gets_back_what_it_sends_over_lost_links(self):
        link = self.folder / 'port'
        process, path = self.place('--pty', link)
        self.assertEqual(path, str(link))
        port = self.open(path, baudrate=9600)
        # Nothing of this exists: it must not disturb.
        port.baudrate = 115200
        port.send_break(0)
        parts = [BYTES // (LOSSES + 1)] * (LOSSES + 1)
        self.exchange(port.write, port.read, parts, between=self.lose_link)
        process.terminate()
        errors = process.communicate(timeout=PATIENCE)[1].decode()
        self.assertGreaterEqual(errors.count(' reconnected after '), LOSSES - 1)
        # A link may be lost after the echo, but before blectl knows that the bytes have arrived.
        sent, received = map(int, re.search(r'sent (\d+) bytes, received (\d+) bytes', errors).groups())
        uncertain = int((re.findall(r'^blectl: (?:the link was lost: )?(\d+) bytes may not have arrived$', errors, re.M) or [0])[-1])
        self.assertEqual((sent + uncertain, received), (sum(parts), sum(parts)), errors)
        self.assertFalse(link.is_symlink())

    def test_programs_come_and_go(self):
        _, path = self.place('--pty')
        for number in range(3):
            with serial.Serial(path, timeout=PATIENCE) as port:
                port.write(f'program {number}\n'.encode())
                self.assertEqual(port.readline(), f'program {number}\n'.encode())

    def test_what_is_written_without_a_link_waits_for_the_next(self):
        self.command(do='vanish', device=ADDRESS)
        process, path = self.place('--pty')
        port = self.open(path)
        port.write(b'waits')
        self.said(process, 'waiting for ')
        self.command(do='appear', device=ADDRESS)
        self.assertEqual(port.read(5), b'waits')

    def test_what_is_written_without_a_link_is_dropped_and_said_where_that_is_wanted(self):
        process, path = self.place('--pty', '--drop')
        port = self.open(path)
        self.said(process, 'connected')
        port.write(b'first')
        self.assertEqual(port.read(5), b'first')
        self.command(do='vanish', device=ADDRESS)
        self.said(process, 'disconnected')
        port.write(b'lost')
        self.said(process, 'there is no link: what is written is dropped')
        self.command(do='appear', device=ADDRESS)
        self.said(process, 'reconnected')
        port.write(b'second')
        self.assertEqual(port.read(6), b'second')
        process.terminate()
        self.assertIn('4 bytes came without a link and were dropped', process.communicate()[1].decode())

    def test_picocom_talks_to_the_device(self):
        _, path = self.place('--pty')
        _, screen = self.fork(['picocom', '--quiet', '--baud', '57600', path])
        shown = b''
        while b'hello' not in shown:
            os.write(screen, b'hello')
            if select.select([screen], [], [], 0.5)[0]:
                shown += os.read(screen, 4096)

    def test_another_file_in_the_place_of_the_link_stays(self):
        file = self.folder / 'port'
        file.write_text('mine')
        process = self.blectl('--pty', file)
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn('there is another file already', process.stderr.read().decode())
        self.assertEqual(file.read_text(), 'mine')

    def test_json_records_say_where_it_is_and_what_becomes_of_the_link(self):
        process, line = self.place('--pty', '--json')
        record = json.loads(line)
        self.assertEqual(set(record), {'event', 'time', 'pty'})
        self.assertEqual(json.loads(process.stdout.readline())['event'], 'connected')
        self.lose_link()
        events = [json.loads(process.stdout.readline())['event'] for _ in range(2)]
        self.assertEqual(events, ['disconnected', 'reconnected'])


class ServerTests(PortCase):
    def connect(self, place):
        host, port = place.rsplit(':', 1)
        client = socket.create_connection((host, int(port)), PATIENCE)
        self.addCleanup(client.close)
        return client

    def test_a_tcp_client_gets_back_what_it_sends_over_lost_links(self):
        _, place = self.place('--tcp', '0')
        self.assertRegex(place, r'^127\.0\.0\.1:\d+$')
        client = self.connect(place)
        parts = [BYTES // (LOSSES + 1)] * (LOSSES + 1)
        self.exchange(client.sendall, client.recv, parts, between=self.lose_link)

    def test_socat_gets_an_answer_after_the_end_of_its_input(self):
        place = self.folder / 'socket'
        self.place('--unix', place)
        self.assertEqual(place.stat().st_mode & 0o777, 0o600)
        for text in (b'first', b'second'):
            socat = self.start('socat', '-t3', '-', f'UNIX-CONNECT:{place}', stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertEqual(socat.communicate(text, PATIENCE)[0], text)

    def test_a_second_program_is_refused_and_several_share_where_that_is_wanted(self):
        process, place = self.place('--tcp', '0')
        first, second = self.connect(place), self.connect(place)
        self.assertEqual(second.recv(1), b'')
        self.said(process, 'a program was refused: another one is connected')
        first.sendall(b'still here')
        self.assertEqual(first.recv(100), b'still here')
        # BlueZ sends each value once for every program that subscribes, to all of them.
        self.end(process)
        _, place = self.place('--tcp', '0', '--share')
        both = [self.connect(place), self.connect(place)]
        both[0].sendall(b'a')
        self.assertEqual([client.recv(1) for client in both], [b'a', b'a'])
        both[1].sendall(b'b')
        self.assertEqual([client.recv(1) for client in both], [b'b', b'b'])

    def test_a_port_that_is_taken_is_an_error(self):
        with socket.create_server(('127.0.0.1', 0)) as other:
            process = self.blectl('--tcp', str(other.getsockname()[1]))
            self.assertEqual(process.wait(PATIENCE), 1)
            self.assertIn('Address already in use', process.stderr.read().decode())


class ServingTests(PortCase):
    """Both ends are ours, on two adapters."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.simulate({'peripherals': [], 'adapters': [{'name': 'hci0'}, {'name': 'hci1', 'address': '00:1A:7D:DA:71:14'}]})

    def serve(self, *arguments, **options):
        environment = os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus}
        options = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE} | options
        command = [BLECTL, 'serve', '--serial', '--name', 'Echo', '-i', 'hci0', *arguments]
        process = self.start(*command, env=environment, **options)
        self.said(process, 'serving a serial port as Echo')
        return process

    def central(self, *arguments, **options):
        return self.blectl('-i', 'hci1', *arguments, stdin=subprocess.PIPE, **options)

    def test_bytes_go_both_ways_between_a_socket_and_a_central(self):
        place = self.folder / 'socket'
        self.serve('--open', '--unix', place)
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(str(place))
        central = self.central('--linger', '0')
        # It is subscribed when it has got something.
        client.sendall(b'?')
        self.assertEqual(central.stdout.read(1), b'?')

        def write(sent):
            central.stdin.write(sent)
            central.stdin.flush()

        parts = [200_000, 1, 100_000]
        self.exchange(write, client.recv, parts)
        self.exchange(client.sendall, central.stdout.read1, parts)

    def test_an_l2cap_channel_carries_bytes_both_ways_over_a_lost_link(self):
        place = self.folder / 'socket'
        self.serve('--open', '--psm', '0x90', '--unix', place)
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(str(place))
        process, path = self.place('--pty', '--psm', '0x90', '-i', 'hci1')
        port = serial.Serial(path, timeout=PATIENCE)
        self.addCleanup(port.close)
        for _ in range(2):
            self.said(process, 'connected')
            for parts in ([200_000, 1, 100_000], [50_000]):
                self.exchange(port.write, client.recv, parts)
                self.exchange(client.sendall, port.read, parts)
            subprocess.run(
                [BLECTL, 'disconnect', 'Echo', '-i', 'hci1'], env=os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus},
                check=True, capture_output=True, timeout=PATIENCE)

    def test_a_channel_that_nobody_offers_is_an_error_that_says_so(self):
        self.serve('--open', '--psm', '0x90', '--unix', self.folder / 'socket')
        central = self.central('--psm', '0x91')
        _, errors = central.communicate(b'x', PATIENCE)
        self.assertEqual(central.returncode, 1)
        self.assertIn('cannot open the L2CAP channel 145 of ', errors.decode())
        self.assertIn('it has no channel with this PSM, or requires pairing', errors.decode())

    def test_a_command_runs_on_a_terminal_for_each_central(self):
        self.serve('--open', '--', 'sh', '-c', 'tty; stty size; read line; echo got $line; sleep 60')
        for _ in range(2):
            central = self.central('--linger', '0')
            self.assertRegex(central.stdout.readline(), rb'^/dev/pts/\d+\r\n$')
            self.assertEqual(central.stdout.readline(), b'24 80\r\n')
            central.stdin.write(b'hello\r')
            central.stdin.flush()
            self.assertEqual(central.stdout.readline(), b'hello\r\n')
            self.assertEqual(central.stdout.readline(), b'got hello\r\n')
            self.end(central)

    def test_a_central_that_has_not_paired_is_refused_and_nothing_is_started(self):
        mark = self.folder / 'mark'
        self.serve('--', 'touch', mark)
        central = self.central('--timeout', '5s')
        output, errors = central.communicate(b'x', PATIENCE)
        self.assertEqual(output, b'')
        self.assertNotEqual(central.returncode, 0)
        self.assertIn('blectl: cannot', errors.decode())
        self.assertFalse(mark.exists())


if __name__ == '__main__':
    unittest.main(verbosity=1)
