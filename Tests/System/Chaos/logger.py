# SPDX-License-Identifier: MIT
"""A run of the logger: its process, what it prints, and its logs."""

import collections
import csv
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import threading

Record = collections.namedtuple('Record', 'event stream value count')
LINE = re.compile(rb'^[0-9T:.Z-]+\t([0-9A-F:]{17})\t(\S+)\t([0-9a-f]*)$')
LINK = re.compile(r'([0-9A-F:]{17}) (connected|disconnected|reconnected)\b')
LOST = re.compile(r'(\d+) records? (was|were|may) not (?:have been )?written to (.*?)(?:; (\d+) more may not have been)?$')


class TextLog:
    """The records of a text log that are new since the last look."""

    def __init__(self, path):
        self.path, self.offset, self.header = path, 0, None

    def read(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path, 'rb') as file:
            file.seek(self.offset)
            data = file.read().rpartition(b'\n')[0]
        if not data:
            return []
        self.offset += len(data) + 1
        return [record for line in data.split(b'\n') if (record := self.record(line.decode()))]

    def check(self):
        """Every record was read as a whole: the file ends with one."""
        assert not os.path.exists(self.path) or os.path.getsize(self.path) >= self.offset, f'{self.path} has shrunk'

    def record(self, line):
        if self.path.endswith('.csv'):
            fields = next(csv.reader([line.removesuffix('\r')], strict=True))
            if self.header is None:
                self.header = fields
                return None
            assert len(fields) == len(self.header), f'{self.path}: {line}'
            entry = {key: field for key, field in zip(self.header, fields) if field}
        else:
            entry = json.loads(line)
        return made(entry)


def made(entry):
    stream = (entry['address'], entry['characteristic']) if entry['event'] == 'value' else None
    value = bytes.fromhex(entry.get('value') or '')
    return Record(entry['event'], stream, value, int(entry.get('count') or 0))


class Database:
    """The records of a database that are new since the last look; in the order of each table."""

    QUERIES = {
        'value': 'SELECT value.id, address, uuid, value FROM value JOIN characteristic ON characteristic.id = '
        'value.characteristic JOIN device ON device.id = characteristic.device WHERE value.id > ? ORDER BY value.id',
        'link': 'SELECT id, event, count FROM link WHERE id > ? ORDER BY id',
    }

    def __init__(self, path):
        self.path, self.last = path, {'value': 0, 'link': 0}

    def read(self):
        records = []
        if not os.path.exists(self.path):
            return records
        database = sqlite3.connect(self.path)
        try:
            for table, query in self.QUERIES.items():
                for row in database.execute(query, (self.last[table],)):
                    self.last[table] = row[0]
                    if table == 'value':
                        records.append(Record('value', (row[1], row[2]), bytes(row[3]), 0))
                    else:
                        records.append(Record(row[1], None, b'', row[2] or 0))
        except sqlite3.OperationalError as error:
            if 'no such table' not in str(error):
                raise
        finally:
            database.close()
        return records

    def check(self):
        """The database is whole."""
        database = sqlite3.connect(self.path)
        assert database.execute('PRAGMA integrity_check').fetchone() == ('ok',), self.path
        database.close()


class Run:
    """A process of the logger, from its start until it was killed or has ended."""

    def __init__(self, command, chance, words, ended):
        self.printed, self.errors = [], []
        self.links = 0
        # The losses that it reports, by output.
        self.lost = {}
        # Further losses that are possible, by output: those values were in a write that had not returned.
        self.uncertain = {}
        self.chance, self.words = chance, words
        self.peak = 0
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.is_over = threading.Event()
        self.ended = ended
        bodies = (self.read, self.listen, self.watch, self.await_end)
        self.threads = [threading.Thread(target=body, daemon=True) for body in bodies]
        for thread in self.threads:
            thread.start()

    def read(self):
        """Takes what it prints, and stalls now and then."""
        rest = b''
        while data := os.read(self.process.stdout.fileno(), 1 << 14):
            *lines, rest = (rest + data).split(b'\n')
            for line in lines:
                found = LINE.match(line)
                assert found, line
                stream = (found[1].decode(), found[2].decode())
                self.printed.append(Record('value', stream, bytes.fromhex(found[3].decode()), 0))
            if not self.is_over.is_set() and self.chance.random() < 0.003:
                self.is_over.wait(self.chance.expovariate(0.2))

    def listen(self):
        for line in self.process.stderr:
            text = line.decode().rstrip('\n')
            self.errors.append(text)
            self.words(text)
            if LINK.search(text):
                self.links += 1
            if found := LOST.search(text):
                count, name = int(found[1]), found[3]
                if found[2] == 'may':
                    self.uncertain[name] = count
                else:
                    self.lost[name], self.uncertain[name] = count, int(found[4] or 0)

    def watch(self):
        while not self.is_over.wait(0.5):
            self.measure()

    def measure(self):
        """Notes the peak of its memory in KiB."""
        try:
            status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
            self.peak = max(self.peak, int(re.search(r'VmHWM:\s+(\d+)', status)[1]))
        except (OSError, TypeError):
            pass  # it has just ended

    def await_end(self):
        self.process.wait()
        self.ended()

    def has_ended(self):
        return self.process.poll() is not None

    def end(self, number):
        """Ends it with a signal; returns its status."""
        self.measure()
        self.process.send_signal(number)
        if number != signal.SIGKILL:
            # A stuck reader does not keep it from ending.
            self.process.wait(timeout=120)
        self.is_over.set()
        self.process.wait(timeout=120)
        for thread in self.threads:
            thread.join()
        return self.process.returncode


def descriptors(pid):
    """The open descriptors of a process, by kind."""
    kinds = collections.Counter()
    for entry in os.scandir(f'/proc/{pid}/fd'):
        try:
            target = os.readlink(entry.path)
        except OSError:
            continue
        # The lock of a link is named after the bus.
        kinds[re.sub(r'(?<=/link-)[0-9a-f]+|\[?\d+\]?|\(deleted\)', '', target).strip()] += 1
    return kinds
