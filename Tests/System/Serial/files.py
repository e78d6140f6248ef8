# SPDX-License-Identifier: MIT
"""Files that `blectl send` and `receive` carry, at a served device that notes what it gets. run.sh starts it."""

import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import zlib

from ports import BLECTL, PATIENCE, PortCase, noise

SIZE = 64 << 10
DATA, ACK, SUM, EXTRA = 'fff1', 'fff2', 'fff3', 'fff4'


def world(*answers, checksum=0):
    """A device that takes a file, and notifies these answers for each chunk."""
    answer = {'answers': [{'request': '', 'more': True, 'response': value, 'from': ACK} for value in answers]}
    characteristics = [
        {'uuid': DATA, 'properties': ['write', 'write-without-response'], 'on_write': answer if answers else 'store'},
        {'uuid': ACK, 'properties': ['notify']},
        {'uuid': SUM, 'properties': ['read'], 'value': f'u32:{checksum}'},
        {'uuid': EXTRA, 'properties': ['write']},
    ]
    service = {'uuid': 'fff0', 'characteristics': characteristics}
    return {'peripherals': [{'address': 'C0:00:00:00:00:02', 'name': 'Board', 'services': [service]}]}


class FileCase(PortCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        adapters = [{'name': 'hci0'}, {'name': 'hci1', 'address': '00:1A:7D:DA:71:14'}]
        self.simulate({'peripherals': [], 'adapters': adapters})
        self.sent = noise(SIZE)
        self.file = self.folder / 'file.bin'
        self.file.write_bytes(self.sent)

    def serve(self, content):
        """Serves the device; its writes are noted as they come."""
        file = self.folder / 'board.json'
        file.write_text(json.dumps(content))
        command = [BLECTL, 'serve', file, '-i', 'hci0', '--json']
        server = self.start(*command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(json.loads(server.stdout.readline())['event'], 'advertising')
        self.writes, self.news = [], threading.Condition()
        threading.Thread(target=self.follow, args=(server.stdout,), daemon=True).start()

    def follow(self, stream):
        for line in stream:
            record = json.loads(line)
            with self.news:
                if record['event'] == 'written':
                    self.writes.append((record['characteristic'][4:8], bytes.fromhex(record['value'])))
                self.news.notify_all()

    def wait_for_writes(self, count):
        with self.news:
            self.assertTrue(self.news.wait_for(lambda: len(self.writes) >= count, PATIENCE))

    def received(self, *, offsets=False):
        """What the device has, once the last byte has been noted."""
        content, end = bytearray(), 0
        for characteristic, value in self.writes:
            if characteristic != DATA:
                continue
            offset, value = (int.from_bytes(value[:4], 'little'), value[4:]) if offsets else (end, value)
            end = offset + len(value)
            content[offset:end] = value
        return bytes(content)

    @property
    def environment(self):
        return os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus}

    def send(self, *arguments):
        command = [BLECTL, 'send', 'Board', DATA, self.file, '-i', 'hci1', *arguments]
        return self.start(*command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ended(self, process):
        output, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, output, errors


KINDS = {
    'confirmed windows': [],
    'responses': ['--with-response'],
    'acknowledgements one by one': ['--ack', f'{ACK}:06'],
    'a window of acknowledgements': ['--ack', ACK, '--window', '8'],
}


class SendTests(FileCase):
    def test_a_file_comes_whole_with_each_kind_of_acknowledgement(self):
        self.serve(world('06', checksum=zlib.crc32(self.sent)))
        for name, kind in KINDS.items():
            with self.subTest(name):
                self.writes.clear()
                status, output, errors = self.ended(
                    self.send(*kind, '--json', '--crc32', '--checksum-from', SUM, '--checksum-to', EXTRA))
                self.assertEqual(status, 0, errors)
                record = json.loads(output)
                self.assertEqual((record['event'], record['bytes']), ('sent', SIZE))
                self.assertEqual(record['crc32'], f'{zlib.crc32(self.sent):08x}')
                with self.news:
                    last = (EXTRA, zlib.crc32(self.sent).to_bytes(4, 'little'))
                    self.assertTrue(self.news.wait_for(lambda: last in self.writes, PATIENCE))
                self.assertEqual(self.received(), self.sent)

    def test_killed_and_resumed_at_random_places_a_file_is_identical(self):
        self.serve(world('06'))
        for name, kind in KINDS.items():
            with self.subTest(name):
                self.writes.clear()
                places = random.Random(name)
                resumed = []
                for _ in range(5):
                    process = self.send(*kind, '--offset-format', 'u32', '--chunk', '100', '--resume')
                    self.wait_for_writes(len(self.writes) + places.randrange(1, 100))
                    process.kill()
                    resumed.append('resuming at' in process.communicate()[1])
                status, output, errors = self.ended(
                    self.send(*kind, '--offset-format', 'u32', '--chunk', '100', '--resume', '--json'))
                self.assertEqual(status, 0, errors)
                self.assertTrue(any(resumed))
                self.assertGreater(json.loads(output)['resumed_at'], 0)
                self.assertFalse(list(self.folder.glob('file.bin.*.sending')))
                with self.news:
                    self.assertTrue(self.news.wait_for(lambda: self.received(offsets=True) == self.sent, PATIENCE))

    def test_a_lost_link_says_how_much_is_certain_and_the_rest_follows(self):
        self.serve(world())
        process = self.send('--offset-format', 'u32', '--chunk', '2', '--with-response', '--resume')
        self.wait_for_writes(100)
        subprocess.run([BLECTL, 'disconnect', 'Board', '-i', 'hci1'], env=self.environment, check=True, timeout=PATIENCE)
        status, _, errors = self.ended(process)
        self.assertEqual(status, 1, errors)
        self.assertRegex(errors, rf'\d+ of {SIZE} bytes have certainly arrived')
        status, _, errors = self.ended(self.send('--offset-format', 'u32', '--resume', '-q'))
        self.assertEqual(status, 0, errors)
        with self.news:
            self.assertTrue(self.news.wait_for(lambda: self.received(offsets=True) == self.sent, PATIENCE))

    def test_ctrl_c_says_how_much_is_certain(self):
        self.serve(world())
        process = self.send('--ack', ACK)
        self.wait_for_writes(1)
        process.send_signal(signal.SIGINT)
        status, _, errors = self.ended(process)
        self.assertEqual(status, -signal.SIGINT)
        self.assertRegex(errors, rf'interrupted: 0 of {SIZE} bytes have certainly arrived; the next \d+ bytes may or may not have')

    def test_without_offsets_what_is_uncertain_cannot_be_resumed(self):
        self.serve(world())
        process = self.send('--ack', ACK, '--resume')
        self.wait_for_writes(1)
        process.kill()
        process.communicate()
        status, _, errors = self.ended(self.send('--ack', ACK, '--resume'))
        self.assertEqual(status, 1, errors)
        self.assertIn('cannot resume at 0: the next ', errors)
        self.assertRegex(errors, r'hint: rm \S+\.sending, to begin again')

    def test_a_wrong_acknowledgement_ends_it(self):
        self.serve(world('15'))
        status, _, errors = self.ended(self.send('--ack', f'{ACK}:06'))
        self.assertEqual(status, 1, errors)
        self.assertIn('the device answers 15, not 06', errors)
        self.assertIn(f'0 of {SIZE} bytes have certainly arrived', errors)

    def test_a_device_that_acknowledges_too_much_is_not_believed(self):
        self.serve(world('06', '06'))
        status, _, errors = self.ended(self.send('--ack', ACK))
        self.assertEqual(status, 1, errors)
        self.assertIn('acknowledges more than it was sent', errors)

    def test_a_device_that_never_acknowledges_times_out(self):
        self.serve(world())
        status, _, errors = self.ended(self.send('--ack', ACK, '--timeout', '2s'))
        self.assertEqual(status, 5, errors)
        self.assertIn('acknowledged nothing before the timeout', errors)

    def test_another_checksum_on_the_device_is_an_error(self):
        self.serve(world(checksum=1))
        status, _, errors = self.ended(self.send('--crc32', '--checksum-from', SUM))
        self.assertEqual(status, 1, errors)
        self.assertIn(f'the device has CRC-32 00000001, not {zlib.crc32(self.sent):08x}', errors)


class ChannelTests(FileCase):
    """Files through an L2CAP channel, whose other end is a served one."""

    PSM = '0x90'

    def setUp(self):
        super().setUp()
        self.place = self.folder / 'socket'
        command = [BLECTL, 'serve', '--serial', '--open', '--name', 'Board', '--psm', self.PSM, '--buffer', '2M']
        command += ['--unix', self.place, '-i', 'hci0']
        server = self.start(*command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said(server, 'serving a serial port as Board')
        self.port = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.port.close)
        self.port.settimeout(PATIENCE)
        self.port.connect(str(self.place))

    def run_command(self, *words):
        options = {'env': self.environment, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
        return self.start(BLECTL, *words, '-i', 'hci1', **options)

    def taken(self, count):
        """What comes out of the served port."""
        content = b''
        while len(content) < count:
            more = self.port.recv(count - len(content))
            self.assertTrue(more)
            content += more
        return content

    def test_a_file_comes_whole_in_packets_of_any_size(self):
        for arguments in ([], ['--chunk', '1000']):
            with self.subTest(arguments):
                process = self.run_command('send', 'Board', self.file, '--psm', self.PSM, '--json', '--crc32', *arguments)
                self.assertEqual(self.taken(SIZE), self.sent)
                status, output, errors = self.ended(process)
                self.assertEqual(status, 0, errors)
                record = json.loads(output)
                self.assertEqual((record['event'], record['psm'], record['bytes']), ('sent', 0x90, SIZE))
                self.assertEqual(record['crc32'], f'{zlib.crc32(self.sent):08x}')

    def test_an_empty_file_is_sent_as_well(self):
        self.file.write_bytes(b'')
        status, _, errors = self.ended(self.run_command('send', 'Board', self.file, '--psm', self.PSM))
        self.assertEqual(status, 0, errors)
        self.assertIn('sent 0 bytes', errors)

    def test_a_device_that_takes_nothing_times_out_and_says_how_much_has_left(self):
        self.file.write_bytes(noise(4_000_000))
        status, _, errors = self.ended(
            self.run_command('send', 'Board', self.file, '--psm', self.PSM, '--timeout', '2s'))
        self.assertEqual(status, 5, errors)
        self.assertIn('the device took nothing more before the timeout', errors)
        self.assertRegex(errors, r'\d+ of 4000000 bytes have left this machine')

    def test_a_lost_link_ends_it(self):
        self.file.write_bytes(noise(4_000_000))
        process = self.run_command('send', 'Board', self.file, '--psm', self.PSM)
        self.taken(10_000)
        subprocess.run([BLECTL, 'disconnect', 'Board', '-i', 'hci1'], env=self.environment, check=True, timeout=PATIENCE)
        status, _, errors = self.ended(process)
        self.assertEqual(status, 1, errors)
        self.assertRegex(errors, r'\d+ of 4000000 bytes have left this machine')

    def test_what_the_device_sends_is_received_until_a_length_a_value_or_silence(self):
        target = self.folder / 'received.bin'
        for arguments, coming, size in (
            (['--until-silence', '1s'], SIZE, SIZE),
            (['--until-value', self.sent[4990:5000].hex()], 5000, 5000),
            (['--until-length', '10K'], SIZE, 10 << 10),
        ):
            with self.subTest(arguments):
                process = self.run_command(
                    'receive', 'Board', '--psm', self.PSM, '--to', target, '--json', '--crc32', *arguments)
                self.port.sendall(self.sent[:coming])
                status, output, errors = self.ended(process)
                self.assertEqual(status, 0, errors)
                self.assertEqual(target.read_bytes(), self.sent[:size])
                record = json.loads(output)
                self.assertEqual((record['event'], record['psm'], record['bytes']), ('received', 0x90, size))

    def test_a_central_that_closes_the_channel_in_the_middle_does_not_end_the_server(self):
        target = self.folder / 'received.bin'
        arguments = ['--psm', self.PSM, '--to', target]
        first = self.run_command('receive', 'Board', *arguments, '--until-length', '1K')
        self.port.sendall(noise(1_000_000))
        self.assertEqual(self.ended(first)[0], 0)
        self.port.sendall(b'again')
        status, _, errors = self.ended(self.run_command('receive', 'Board', *arguments, '--until-silence', '2s'))
        self.assertEqual(status, 0, errors)
        self.assertTrue(target.read_bytes().endswith(b'again'))

    def test_options_that_a_channel_does_not_have_are_refused(self):
        for arguments, reason in (
            (['--resume'], 'nothing says how much has arrived'),
            (['--with-response'], 'packets of a channel have no responses'),
            (['--ack', ACK], 'a channel has its own flow control'),
        ):
            with self.subTest(arguments):
                status, _, errors = self.ended(
                    self.run_command('send', 'Board', self.file, '--psm', self.PSM, *arguments))
                self.assertEqual(status, 64, errors)
                self.assertIn(reason, errors)
        status, _, errors = self.ended(self.run_command('send', 'Board', DATA, self.file, '--psm', self.PSM))
        self.assertEqual(status, 64, errors)
        self.assertIn('is one argument too many', errors)


class ReceiveTests(PortCase):
    """Files from a device that notifies numbered values."""

    def setUp(self):
        super().setUp()
        flood = {'flood': 1000, 'per_second': 2000}
        self.simulate({'peripherals': [{'address': 'C0:00:00:00:00:02', 'name': 'Source', 'services': [
            {'uuid': 'fff0', 'characteristics': [{'uuid': DATA, 'properties': ['notify'], 'notifies': flood}]}]}]})
        self.expected = b''.join(number.to_bytes(4, 'little') + b'\xa5' * 16 for number in range(1000))
        self.file = self.folder / 'received.bin'

    def receive(self, *arguments):
        command = [BLECTL, 'receive', 'Source', DATA, *arguments]
        environment = os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus}
        result = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE)
        return result.returncode, result.stdout, result.stderr.decode()

    def test_a_length_bytes_at_the_end_or_silence_complete_it(self):
        for arguments, size in (
            (['--until-length', '10K'], 10 << 10),
            (['--until-value', '34020000a5'], 0x234 * 20 + 5),
            (['--until-silence', '1s'], 20_000),
            ([], 20_000),
        ):
            with self.subTest(arguments):
                status, output, errors = self.receive('--to', self.file, '--json', '--crc32', *arguments)
                self.assertEqual(status, 0, errors)
                self.assertEqual(self.file.read_bytes(), self.expected[:size])
                record = json.loads(output)
                self.assertEqual((record['event'], record['bytes']), ('received', size))
                self.assertEqual(record['crc32'], f'{zlib.crc32(self.expected[:size]):08x}')

    def test_standard_output_gets_the_bytes(self):
        status, output, _ = self.receive('--to', '-', '--until-length', '1K')
        self.assertEqual((status, output), (0, self.expected[:1024]))

    def test_one_that_is_not_complete_is_an_error_and_keeps_what_came(self):
        status, _, errors = self.receive('--to', self.file, '--until-length', '1M', '--timeout', '3s')
        self.assertEqual(status, 5, errors)
        self.assertIn('20000 of 1048576 bytes have come', errors)
        self.assertEqual(self.file.read_bytes(), self.expected)
