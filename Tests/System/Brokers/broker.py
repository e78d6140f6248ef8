# SPDX-License-Identifier: MIT
"""A mosquitto on the loopback, and a client that hears all that it is sent."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time

#: A test that waits longer for something has failed.
PATIENCE = 600


def until(condition, what):
    """Waits for something to become true."""
    limit = time.monotonic() + PATIENCE
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < limit, f'{what} did not happen within {PATIENCE} s'
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Broker:
    """A broker that can be killed and started again; it keeps what it has acknowledged, if it is persistent."""

    def __init__(self, folder, settings='allow_anonymous true', persistent=True, host='127.0.0.1'):
        self.folder, self.port, self.host = folder, free_port(), host
        self.process = None
        self.path = f'{folder}/mosquitto.conf'
        lines = [f'listener {self.port} 127.0.0.1', 'max_queued_messages 0', settings]
        lines += ['persistence true', f'persistence_location {folder}/'] if persistent else ['persistence false']
        if os.geteuid() == 0:
            lines.append('user root')
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process:
            self.send(signal.SIGCONT)
            self.kill(signal.SIGKILL)

    @property
    def url(self):
        return f'mqtt://{self.host}:{self.port}'

    def start(self):
        with open(f'{self.folder}/mosquitto.log', 'ab') as log:
            self.process = subprocess.Popen(['mosquitto', '-c', self.path], stdout=log, stderr=log)
        until(self.is_listening, 'the start of the broker')

    def is_listening(self):
        assert self.process.poll() is None, f'mosquitto has ended: see {self.folder}/mosquitto.log'
        with socket.socket() as probe:
            return probe.connect_ex(('127.0.0.1', self.port)) == 0

    def send(self, number):
        self.process.send_signal(number)

    def kill(self, number=signal.SIGTERM):
        # Between the opening of its port and its loop, mosquitto forgets a signal that it has taken.
        while self.process:
            self.send(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
                self.process = None

    def listen(self, topic, *options):
        return Listener(self, topic, options)

    def retained(self, topic, *options):
        """The messages that the broker keeps, by topic."""
        command = self.client('mosquitto_sub', '-t', topic, '-F', '%t\t%p', '--retained-only', '-W', '3', *options)
        # Its status says that the time is over, which is the only way in which it ends.
        output = subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout.decode()
        return dict(line.split('\t', 1) for line in output.splitlines())

    def client(self, program, *options):
        return [program, '-h', self.host, '-p', str(self.port), *options]


class Listener:
    """Hears the messages of a topic, also those that were sent while the broker, or it, was away."""

    def __init__(self, broker, topic, options):
        self.path = f'{broker.folder}/heard'
        session = ['-i', 'listener', '-c', '-q', '1']
        command = broker.client('mosquitto_sub', '-t', topic, '-F', '%t\t%p', *session, *options)
        # The subscription is made before anything is sent.
        subprocess.run([*command, '-E'], check=True)
        with open(self.path, 'wb') as output:
            # A line each: the output is no terminal.
            self.process = subprocess.Popen(['stdbuf', '-oL', *command], stdout=output, stderr=subprocess.DEVNULL)
        self.file, self.lines = open(self.path, 'rb'), 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.process.kill()
        self.process.wait()

    def count(self):
        """How many messages have come so far; what was counted is not read again."""
        while block := self.file.read(1 << 20):
            self.lines += block.count(b'\n')
        return self.lines

    def messages(self):
        """All so far, as (topic, text)."""
        with open(self.path, encoding='utf-8') as file:
            return [tuple(line.rstrip('\n').split('\t', 1)) for line in file if line.endswith('\n')]

    def records(self):
        """Those that are records, in the order in which they came."""
        return [json.loads(text) for _, text in self.messages() if text.startswith('{"event"')]

    def ends(self):
        """Whether the log has said that it is not being written any more."""
        return self.last() == 'offline'

    def last(self):
        """The text of the last message."""
        with open(self.path, 'rb') as file:
            file.seek(-min(4096, os.path.getsize(self.path)), os.SEEK_END)
            lines = file.read().decode(errors='replace').split('\n')
        return lines[-2].rpartition('\t')[2] if len(lines) > 1 else ''
