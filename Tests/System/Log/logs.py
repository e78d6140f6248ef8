# SPDX-License-Identifier: MIT
"""Reads the logs of each format, strictly."""

import contextlib
import csv
import json
import os
import sqlite3
import tempfile

FORMATS = ['ndjson', 'csv', 'sqlite']


def values(path):
    """The values of a log, as (time, hex digits), in the order in which they stand."""
    if path.endswith('.ndjson'):
        with open(path, encoding='utf-8') as file:
            records = [json.loads(line) for line in file]
        return [(record['time'], record['value']) for record in records if record['event'] == 'value']
    if path.endswith('.csv'):
        with open(path, encoding='utf-8', newline='') as file:
            rows = csv.reader(file, strict=True)
            header = next(rows)
            records = []
            for row in rows:
                assert len(row) == len(header), f'{path}: {len(row)} fields, not {len(header)}'
                records.append(dict(zip(header, row)))
        return [(record['time'], record['value']) for record in records if record['event'] == 'value']
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute('PRAGMA integrity_check').fetchone() == ('ok',)
        return database.execute('SELECT time, value FROM log ORDER BY id').fetchall()


def held_so_far(path):
    """The values of a log that is being written: a text log may end within a record."""
    if path.endswith('.sqlite'):
        return values(path)
    with open(path, 'rb') as file:
        whole = file.read().rpartition(b'\n')[0]
    if not whole:
        return []
    with tempfile.NamedTemporaryFile(suffix=os.path.splitext(path)[1]) as copy:
        copy.write(whole + b'\n')
        copy.flush()
        return values(copy.name)


def numbers(path):
    """The numbers that the notifications of the bench device carry in their first four bytes."""
    return [int.from_bytes(bytes.fromhex(value)[:4], 'little') for _, value in values(path)]
