# SPDX-License-Identifier: MIT
"""Kill -9 at random moments: each log opens, parses, and holds all but the last second."""

import datetime
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from logs import FORMATS, values

KILLS = int(os.environ['KILLS'])
BENCH = 'C2:BE:7C:00:00:01'
SEED = int(os.environ.get('SEED', time.time()))


def instant(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def run(ending, directory, chance):
    log = f'{directory}/log.{ending}'
    seen = 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            [os.environ['BLECTL'], 'subscribe', BENCH, '2a37', '--log', log],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        lines = []
        first = threading.Event()

        def read():
            for line in process.stdout:
                lines.append(line)
                first.set()
            first.set()

        reader = threading.Thread(target=read)
        reader.start()
        first.wait(20)
        time.sleep(chance.uniform(0, 1.8))
        killed = time.time()
        process.send_signal(signal.SIGKILL)
        process.wait()
        reader.join()
        # What was printed in full more than a second before the end must be there.
        printed = [line.decode().split('\t') for line in lines if line.endswith(b'\n')]
        must = [(row[0], row[1].strip()) for row in printed if instant(row[0]) < killed - 1]
        held = values(log)[seen:]
        assert held[: len(must)] == must, f'{log} does not hold what came before the last second'
        assert held == sorted(held), f'{log} is out of order'
        seen += len(held)
    assert seen, f'{log} held nothing: nothing was put to the test'
    print(f'{ending}: {KILLS} kills, {seen} values, all but the last second each time')


def main():
    print(f'seed {SEED}')
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        for ending in FORMATS:
            run(ending, directory, chance)


if __name__ == '__main__':
    sys.exit(main())
