# SPDX-License-Identifier: MIT
"""A full disk: blectl reports it, values wait, and all of them are written once there is room again."""

import os
import subprocess
import sys
import tempfile
import threading

from logs import FORMATS, values


BENCH = 'C2:BE:7C:00:00:01'
COUNT = 5000
SIZE = 8 << 20
FREE = 192 << 10


def run(ending, disk):
    log, filler = f'{disk}/log.{ending}', f'{disk}/filler'
    with open(filler, 'wb') as file:
        file.write(b'x' * (SIZE - FREE))
    process = subprocess.Popen(
        [os.environ['BLECTL'], 'subscribe', BENCH, '2a37', '--count', str(COUNT), '--log', log],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    reported = []

    def listen():
        for line in process.stderr:
            reported.append(line)
            # A second later the value that could not be written is tried again: there is room then.
            if 'cannot write' in line and os.path.exists(filler):
                os.remove(filler)

    listener = threading.Thread(target=listen)
    listener.start()
    rows = [tuple(line.strip().split('\t')) for line in process.stdout]
    status = process.wait()
    listener.join()
    assert reported and 'No space left on device; kept in memory, up to 16M' in reported[0] or 'is full' in reported[0], reported
    assert any('can be written again' in line for line in reported), reported
    assert status == 0, f'{ending}: status {status}, {reported}'
    assert len(rows) == COUNT and values(log) == rows, f'{ending}: the log differs from what was printed'
    print(f'{ending}: full, reported, and all {len(rows)} values are in the log')


def main():
    with tempfile.TemporaryDirectory() as directory:
        for ending in FORMATS:
            subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={SIZE}', 'tmpfs', directory], check=True)
            try:
                run(ending, directory)
            finally:
                subprocess.run(['umount', directory], check=True)


if __name__ == '__main__':
    sys.exit(main())
