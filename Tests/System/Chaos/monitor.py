# SPDX-License-Identifier: MIT
"""Watches a bus as a monitor: every message that crosses it, in order, seen by neither side of the test."""

import os
import select
import socket
import struct
import threading
import time

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
ALIGNMENT = {'y': 1, 'g': 1, 'v': 1, 'n': 2, 'q': 2, 'b': 4, 'i': 4, 'u': 4, 'h': 4, 's': 4, 'o': 4, 'a': 4}
NUMBERS = {'y': 'B', 'n': 'h', 'q': 'H', 'i': 'i', 'u': 'I', 'h': 'I', 'x': 'q', 't': 'Q', 'd': 'd'}


class Reader:
    """Decodes values of the wire format."""

    def __init__(self, data, order):
        self.data, self.order, self.position = data, order, 0

    def align(self, size):
        self.position = (self.position + size - 1) // size * size

    def number(self, code):
        size = struct.calcsize(code)
        self.align(size)
        (value,) = struct.unpack_from(self.order + code, self.data, self.position)
        self.position += size
        return value

    def text(self, length):
        start = self.position
        self.position += length + 1
        return self.data[start : start + length].decode()

    def values(self, signature):
        result = []
        while signature:
            kind, signature = split(signature)
            result.append(self.value(kind))
        return result

    def value(self, kind):
        first = kind[0]
        if first in NUMBERS:
            return self.number(NUMBERS[first])
        if first == 'b':
            return self.number('I') != 0
        if first in 'so':
            return self.text(self.number('I'))
        if first == 'g':
            return self.text(self.number('B'))
        if first == 'v':
            return self.value(self.text(self.number('B')))
        if first in '({':
            self.align(8)
            return self.values(kind[1:-1])
        return self.array(kind[1:])

    def array(self, kind):
        length = self.number('I')
        self.align(ALIGNMENT.get(kind[0], 8))
        end = self.position + length
        if kind == 'y':
            self.position = end
            return self.data[end - length : end]
        items = []
        while self.position < end:
            items.append(self.value(kind))
        return dict(items) if kind[0] == '{' else items


def split(signature):
    """The first complete type of a signature, and the rest."""
    end = 0
    while signature[end] == 'a':
        end += 1
    if signature[end] in '({':
        depth = 0
        while True:
            depth += {'(': 1, '{': 1, ')': -1, '}': -1}.get(signature[end], 0)
            if depth == 0:
                break
            end += 1
    return signature[: end + 1], signature[end + 1 :]


class Message:
    """A message: its header, and its body when it is read."""

    def __init__(self, data, order, body_start):
        self.kind = data[1]
        reader = Reader(data, order)
        reader.position = 8
        self.serial = reader.number('I')
        fields = dict(reader.value('a(yv)'))
        self.path, self.interface, self.member = fields.get(1), fields.get(2), fields.get(3)
        self.reply_serial, self.destination, self.sender = fields.get(5), fields.get(6), fields.get(7)
        self.signature = fields.get(8, '')
        self._body, self._order = data[body_start:], order

    @property
    def body(self):
        return Reader(self._body, self._order).values(self.signature)


class Monitor(threading.Thread):
    """Passes every message of a bus to a function, on a thread of its own."""

    def __init__(self, path, take):
        super().__init__(daemon=True)
        self.take, self.failure, self.quiet_since = take, None, time.monotonic()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.buffer = b''
        identity = str(os.getuid()).encode().hex()
        self.socket.sendall(f'\0AUTH EXTERNAL {identity}\r\nBEGIN\r\n'.encode())
        while b'\r\n' not in self.buffer:
            self.buffer += self.socket.recv(4096)
        answer, _, self.buffer = self.buffer.partition(b'\r\n')
        assert answer.startswith(b'OK'), answer
        self._call(1, 'Hello', 'org.freedesktop.DBus', b'', '')
        self._call(2, 'BecomeMonitor', 'org.freedesktop.DBus.Monitoring', struct.pack('<II', 0, 0), 'asu')
        while True:
            message = self._next()
            assert message.kind != ERROR, message.body
            if message.kind == RETURN and message.reply_serial == 2:
                return

    def _call(self, serial, member, interface, body, signature):
        def field(number, kind, text):
            data = text.encode()
            length = struct.pack('<B' if kind == 'g' else '<I', len(data))
            return bytes([number, 1]) + kind.encode() + b'\0' + length + data + b'\0'

        fields = b''
        driver = 'org.freedesktop.DBus'
        for item in [(1, 'o', '/org/freedesktop/DBus'), (6, 's', driver), (2, 's', interface), (3, 's', member)]:
            fields += b'\0' * (-len(fields) % 8) + field(*item)
        if signature:
            fields += b'\0' * (-len(fields) % 8) + field(8, 'g', signature)
        head = b'l\x01\0\x01' + struct.pack('<III', len(body), serial, len(fields)) + fields
        self.socket.sendall(head + b'\0' * (-len(head) % 8) + body)

    def _next(self):
        while True:
            if len(self.buffer) >= 16:
                order = '<' if self.buffer[:1] == b'l' else '>'
                body, _, fields = struct.unpack_from(order + 'III', self.buffer, 4)
                start = (16 + fields + 7) // 8 * 8
                if len(self.buffer) >= start + body:
                    data, self.buffer = self.buffer[: start + body], self.buffer[start + body :]
                    return Message(data, order, start)
            data = self.socket.recv(1 << 16)
            if not data:
                return None
            self.buffer += data

    def run(self):
        try:
            while message := self._next():
                self.take(message)
        except Exception as error:  # noqa: BLE001 - the test reports it
            self.failure = error
        finally:
            self.socket.close()

    def is_behind(self):
        """Whether messages wait that were not passed on yet."""
        return self.is_alive() and bool(select.select([self.socket], [], [], 0)[0])
