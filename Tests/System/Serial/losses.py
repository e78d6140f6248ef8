# SPDX-License-Identifier: MIT
"""Links that are lost while bytes move through `blectl serial`, and what of these bytes is lost. run.sh starts it.

A device sends back what it gets. Its link takes time, so that packets of both directions are on their way when it is lost.
"""

import json
import os
import re
import select
import signal
import socket
import subprocess
import threading
import unittest

import serial

from ports import ADDRESS, BLECTL, BYTES, LOSSES, PATIENCE, PortCase, noise, world

# How many bytes go each way.
SIZE = BYTES if 'BYTES' in os.environ else 400_000
PACKET = 244
# How far the writer may be ahead of the place of the next loss, at most: less than blectl holds for a slow reader.
AHEAD = 1 << 18
# What one loss can cost: a window of packets that were not confirmed, and as much on the way back as a link holds.
MOST = (128 + 256) * PACKET


class Comparison:
    """Bytes that must be those that were sent, in order, but for gaps."""

    # So many bytes do not come twice.
    NEEDLE = 64

    def __init__(self, sent):
        self.sent, self.place, self.rest, self.gaps = sent, 0, b'', []

    def take(self, more):
        self.rest += more
        while self.rest:
            size = min(len(self.rest), 4096)
            expected, found = self.sent[self.place : self.place + size], self.rest[:size]
            if expected != found:
                size = len(os.path.commonprefix([expected, found]))
            self.place += size
            self.rest = self.rest[size:]
            if expected == found:
                continue
            if len(self.rest) < self.NEEDLE:
                return
            place = self.sent.find(self.rest[: self.NEEDLE], self.place)
            if place < 0:
                raise AssertionError(f'behind byte {self.place}, something comes that was not sent there')
            self.gaps.append(place - self.place)
            self.place = place

    @property
    def is_complete(self):
        return self.place == len(self.sent)


class Remarks:
    """What a program says on standard error, as it says it."""

    def __init__(self, stream):
        self.lines, self.news = [], threading.Condition()
        self.reader = threading.Thread(target=self.follow, args=(stream,), daemon=True)
        self.reader.start()

    def follow(self, stream):
        for line in stream:
            with self.news:
                self.lines.append(line.decode())
                self.news.notify_all()

    def wait_for(self, text, times=1):
        with self.news:
            return self.news.wait_for(lambda: sum(text in line for line in self.lines) >= times, PATIENCE)

    def all(self):
        """Once the program has ended."""
        self.reader.join(PATIENCE)
        return ''.join(self.lines)


class LossCase(PortCase):
    def setUp(self):
        super().setUp()
        self.simulate(world(link={'packet_time': '100us'}))

    def lose_link(self):
        self.command(do='drop-link', device=ADDRESS)

    def exchange(self, remarks, sent, write, read, close=lambda: None):
        """Sends without a pause while links are lost, and compares what comes back."""
        # The last part is written after the last loss, so that the end is not lost.
        part = len(sent) // (LOSSES + 2)
        places, ahead = [number * part for number in range(1, LOSSES + 1)], min(AHEAD, part)
        comparison, losses, turn = Comparison(sent), 0, threading.Condition()

        def pour():
            done = 0
            while done < len(sent):
                with turn:
                    # Without a limit, everything could have come before the last losses.
                    turn.wait_for(lambda: losses == LOSSES or done < places[losses] + ahead)
                    end = len(sent) if losses == LOSSES else places[losses] + ahead
                write(sent[done:end])
                done = end
            close()

        writer = threading.Thread(target=pour, daemon=True)
        writer.start()
        while not comparison.is_complete:
            more = read()
            self.assertTrue(more, f'{comparison.place} of {len(sent)} bytes came back: {remarks.lines}')
            comparison.take(more)
            if losses < LOSSES and comparison.place >= places[losses]:
                if losses > 0:
                    self.assertTrue(remarks.wait_for(' reconnected after ', times=losses), remarks.lines)
                self.lose_link()
                with turn:
                    losses += 1
                    turn.notify_all()
        writer.join(PATIENCE)
        self.assertEqual(losses, LOSSES)
        return comparison

    def check(self, remarks, comparison):
        """The gaps are those of the losses, and the counts are right."""
        errors, size = remarks.all(), len(comparison.sent)
        self.assertLessEqual(len(comparison.gaps), LOSSES)
        self.assertLessEqual(max(comparison.gaps, default=0), MOST, comparison.gaps)
        self.assertNotIn('dropped', errors)
        sent, received = map(int, re.search(r'sent (\d+) bytes, received (\d+) bytes', errors).groups())
        uncertain = int((re.findall(r'^blectl: (?:the link was lost: )?(\d+) bytes? may not have arrived$', errors, re.M) or [0])[-1])
        self.assertEqual(sent + uncertain, size, errors)
        self.assertEqual(received, size - sum(comparison.gaps), errors)
        return sent

    def reader(self, descriptor):
        """What can be read now, as soon as there is something."""

        def read():
            self.assertTrue(select.select([descriptor], [], [], PATIENCE)[0], 'nothing comes')
            return os.read(descriptor, 1 << 16)

        return read

    def writer(self, descriptor):
        def write(sent):
            while sent:
                sent = sent[os.write(descriptor, sent[: 1 << 16]) :]

        return write


class LostLinkTests(LossCase):
    def test_in_a_pipe(self):
        process = self.blectl('--reconnect', stdin=subprocess.PIPE)
        remarks = Remarks(process.stderr)

        def write(sent):
            process.stdin.write(sent)
            process.stdin.flush()

        read = self.reader(process.stdout.fileno())
        comparison = self.exchange(remarks, noise(SIZE), write, read, close=process.stdin.close)
        self.assertEqual(process.stdout.read(), b'')
        self.assertEqual(process.wait(PATIENCE), 0)
        self.check(remarks, comparison)

    def test_with_pyserial(self):
        process, path = self.place('--pty')
        remarks = Remarks(process.stderr)
        port = serial.Serial(path, timeout=PATIENCE)
        self.addCleanup(port.close)
        comparison = self.exchange(remarks, noise(SIZE), port.write, lambda: port.read(max(1, port.in_waiting)))
        process.terminate()
        self.check(remarks, comparison)

    def test_with_a_client_of_tcp(self):
        process, place = self.place('--tcp', '0')
        remarks = Remarks(process.stderr)
        host, port = place.rsplit(':', 1)
        client = socket.create_connection((host, int(port)), PATIENCE)
        self.addCleanup(client.close)
        comparison = self.exchange(remarks, noise(SIZE), client.sendall, lambda: client.recv(1 << 16))
        process.terminate()
        self.check(remarks, comparison)

    def test_with_socat(self):
        place = self.folder / 'socket'
        process, _ = self.place('--unix', place)
        remarks = Remarks(process.stderr)
        socat = self.start(
            'socat', '-t5', '-', f'UNIX-CONNECT:{place}', stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def write(sent):
            socat.stdin.write(sent)
            socat.stdin.flush()

        comparison = self.exchange(remarks, noise(SIZE), write, self.reader(socat.stdout.fileno()))
        process.terminate()
        self.check(remarks, comparison)

    def test_with_picocom(self):
        # Text, since picocom has keys of its own.
        process, path = self.place('--pty')
        remarks = Remarks(process.stderr)
        _, screen = self.fork(['picocom', '--quiet', '--baud', '115200', path])
        read, write = self.reader(screen), self.writer(screen)
        # What is typed before picocom has set up the terminal is lost.
        shown = b''
        while b'?' not in shown:
            write(b'?')
            if select.select([screen], [], [], 0.5)[0]:
                shown += read()
        write(b'!')
        while not shown.endswith(b'!'):
            shown += read()
        comparison = self.exchange(remarks, noise(SIZE // 8).hex().encode(), write, read)
        process.terminate()
        received = int(re.search(r'received (\d+) bytes', remarks.all())[1])
        extra = len(re.findall(rb'[?!]', shown))
        self.assertEqual(received, len(comparison.sent) + extra - sum(comparison.gaps), remarks.lines)
        self.assertLessEqual(max(comparison.gaps, default=0), MOST, comparison.gaps)

    def test_on_a_terminal(self):
        reading, writing = os.pipe()
        process, screen = self.fork([BLECTL, 'serial', 'Echo', '--escape', 'none', '--reconnect'], errors=writing)
        os.close(writing)
        remarks = Remarks(os.fdopen(reading, 'rb'))
        self.assertTrue(remarks.wait_for(' ends'), remarks.lines)
        comparison = self.exchange(remarks, noise(SIZE), self.writer(screen), self.reader(screen))
        os.kill(process, signal.SIGTERM)
        self.check(remarks, comparison)


class ServedLossTests(LossCase):
    """Both ends are ours, on two adapters: the device says what it has got."""

    def setUp(self):
        super().setUp()
        self.simulate(
            {'peripherals': [], 'adapters': [{'name': 'hci0'}, {'name': 'hci1', 'address': '00:1A:7D:DA:71:14'}]})
        self.got, self.news = [], threading.Condition()

    @property
    def environment(self):
        return os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': self.bus}

    def serve(self):
        file = self.folder / 'echo.json'
        file.write_text(json.dumps(world()))
        command = [BLECTL, 'serve', file, '-i', 'hci0', '--json']
        device = self.start(*command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.assertEqual(json.loads(device.stdout.readline())['event'], 'advertising')
        threading.Thread(target=self.follow, args=(device.stdout,), daemon=True).start()

    def follow(self, stream):
        for line in stream:
            record = json.loads(line)
            if record['event'] == 'written':
                with self.news:
                    self.got.append(bytes.fromhex(record['value']))
                    self.news.notify_all()

    def lose_link(self):
        subprocess.run(
            [BLECTL, 'disconnect', 'Echo', '-i', 'hci1'], env=self.environment, check=True, capture_output=True,
            timeout=PATIENCE)

    def test_what_counts_as_sent_has_arrived_and_what_the_device_sends_comes(self):
        self.serve()
        process, path = self.place('--pty', '-i', 'hci1')
        remarks = Remarks(process.stderr)
        port = serial.Serial(path, timeout=PATIENCE)
        self.addCleanup(port.close)
        sent = noise(SIZE // 4)
        comparison = self.exchange(remarks, sent, port.write, lambda: port.read(max(1, port.in_waiting)))
        process.terminate()
        certain = self.check(remarks, comparison)
        there = Comparison(sent)
        with self.news:
            for value in self.got:
                there.take(value)
        self.assertTrue(there.is_complete)
        self.assertGreaterEqual(len(sent) - sum(there.gaps), certain)
        # What is lost on the way back is lost on top of that.
        self.assertGreaterEqual(sum(comparison.gaps), sum(there.gaps))


if __name__ == '__main__':
    unittest.main(verbosity=1)
