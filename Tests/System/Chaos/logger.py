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
LOST = re.compile(r'(\d+) records? (was|were|may) not (?:have been )?written to (.*?)(?:; (\d+) more may not have been)?$')


class TextLog:
    """The records of a text log that are new since the last look."""

    def __init__(self, path, role):
        self.path, self.role = path, role
        # What was read: its bytes, and its records.
        self.offset = self.count = 0
        # The first line of a table, and its columns.
        self.header, self.columns = None, []

    def read(self):
        if not os.path.exists(self.path):
            return []
        skipped = 0
        with open(self.path, 'rb') as file:
            if self.path.endswith('.csv'):
                header = file.readline()
                if not header.endswith(b'\n'):
                    return []
                if header != self.header:
                    # A column has come, and all of it was written again.
                    self.header, self.offset, skipped = header, len(header), self.count
                    self.columns = self.fields(header.decode())
            file.seek(self.offset)
            data = file.read().rpartition(b'\n')[0]
        if not data:
            return []
        self.offset += len(data) + 1
        records = [self.record(line.decode()) for line in data.split(b'\n')[skipped:]]
        self.count += len(records)
        return records

    @staticmethod
    def fields(line):
        return next(csv.reader([line.rstrip('\r\n')], strict=True))

    def check(self):
        """Every record was read as a whole: the file ends with one."""
        assert not os.path.exists(self.path) or os.path.getsize(self.path) >= self.offset, f'{self.path} has shrunk'

    def record(self, line):
        if self.header:
            fields = self.fields(line)
            assert len(fields) == len(self.columns), f'{self.path}: {line}'
            entry = {key: field for key, field in zip(self.columns, fields) if field}
        else:
            entry = json.loads(line)
        stream = self.role.stream(entry) if entry['event'] == 'value' else None
        value = bytes.fromhex(entry.get('value') or '')
        return Record(entry['event'], stream, value, int(entry.get('count') or 0))


class Database:
    """The records of a database that are new since the last look; in the order of each table."""

    def __init__(self, path, role):
        self.path, self.role = path, role
        self.last_value = self.last_link = 0

    def read(self):
        records = []
        if not os.path.exists(self.path):
            return records
        database = sqlite3.connect(self.path)
        database.row_factory = sqlite3.Row
        try:
            for row in database.execute('SELECT id, event, count FROM link WHERE id > ? ORDER BY id', (self.last_link,)):
                self.last_link = row[0]
                records.append(Record(row[1], None, b'', row[2] or 0))
            for row in database.execute(self.role.query, (self.last_value,)):
                self.last_value = row[0]
                records.append(Record('value', self.role.stream(row), bytes(row['data']), 0))
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

    def __init__(self, command, role, chance, words, ended):
        self.printed, self.errors = [], []
        self.role = role
        # How many records of other events than values there may be.
        self.events = role.untold
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
                self.printed.append(self.role.printed(line))
            if not self.is_over.is_set() and self.chance.random() < 0.003:
                self.is_over.wait(self.chance.expovariate(0.2))

    def listen(self):
        for line in self.process.stderr:
            text = line.decode().rstrip('\n')
            self.errors.append(text)
            self.words(text)
            self.events += self.role.told(text)
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
