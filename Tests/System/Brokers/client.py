# SPDX-License-Identifier: MIT
"""A small client of MQTT 3.1.1: it publishes and hears with QoS 1, and connects again when it is told to."""

import socket

from broker import until


def text(value):
    data = value.encode()
    return len(data).to_bytes(2, 'big') + data


class Client:
    """Hears one topic; every method but `connect` fails with an OSError when the connection is lost."""

    def __init__(self, broker, name, topic):
        self.broker, self.name, self.topic = broker, name, topic
        self.socket, self.buffer, self.number = None, b'', 0

    def __enter__(self):
        until(self.connect, 'a connection to the broker')
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.buffer = None, b''

    def connect(self):
        """Connects and subscribes; returns whether there is a broker."""
        self.close()
        try:
            self.socket = socket.create_connection(('127.0.0.1', self.broker.port), timeout=5)
            # A clean session, without pings.
            self.send(0x10, text('MQTT') + bytes([4, 2, 0, 0]) + text(self.name))
            assert self.packet(5) == (0x20, b'\0\0'), 'the broker refuses the connection'
            self.send(0x82, b'\0\1' + text(self.topic) + b'\1')
            assert self.packet(5) == (0x90, b'\0\1\1'), 'the broker refuses the subscription'
            return True
        except (OSError, AssertionError):
            self.close()
            return False

    def publish(self, topic, payload, retain=False):
        self.number = self.number % 65535 + 1
        body = text(topic) + self.number.to_bytes(2, 'big') + payload.encode()
        self.send(0x33 if retain else 0x32, body)

    def hear(self, patience):
        """The messages so far, as (topic, text); waits so many seconds for the first one."""
        messages = []
        while packet := self.packet(0.001 if messages else patience):
            kind, body = packet
            if kind & 0xF0 != 0x30:
                continue
            end = 2 + int.from_bytes(body[:2], 'big')
            topic, body = body[2:end].decode(), body[end:]
            if kind & 6:
                self.send(0x40, body[:2])
                body = body[2:]
            messages.append((topic, body.decode()))
        return messages

    def send(self, kind, body):
        length, digits = len(body), b''
        while True:
            length, digit = divmod(length, 128)
            digits += bytes([digit | (0x80 if length else 0)])
            if not length:
                break
        self.socket.settimeout(5)
        self.socket.sendall(bytes([kind]) + digits + body)

    def packet(self, patience):
        """The next packet, as its first byte and its content; None if there is none within that time."""
        while not (packet := self.complete()):
            self.socket.settimeout(patience)
            try:
                block = self.socket.recv(65536)
            except TimeoutError:
                return None
            if not block:
                raise ConnectionError('the broker has ended')
            self.buffer += block
        return packet

    def complete(self):
        length, shift, at = 0, 0, 1
        while at < len(self.buffer):
            byte = self.buffer[at]
            length |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
            if byte < 128:
                break
        else:
            return None
        if len(self.buffer) < at + length:
            return None
        packet = self.buffer[0], self.buffer[at : at + length]
        self.buffer = self.buffer[at + length :]
        return packet
