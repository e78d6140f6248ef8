# SPDX-License-Identifier: MIT
"""Kill -9 at random moments: each log holds all that was in it, and is whole again when it was reopened. Values get there
while blectl runs."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from logs import FORMATS, held_so_far, values

KILLS = int(os.environ['KILLS'])
BENCH = 'C2:BE:7C:00:00:01'
SEED = int(os.environ.get('SEED', time.time()))


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
        first.wait()
        time.sleep(chance.uniform(0, 1.8))
        # The last value that was printed gets into the log by itself, and what is in the log stays.
        printed = [line.decode().split('\t') for line in lines if line.endswith(b'\n')]
        assert printed, 'blectl ended without a value'
        last = (printed[-1][0], printed[-1][1].strip())
        while last not in (must := held_so_far(log)[seen:]):
            assert process.poll() is None, 'blectl ended'
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        reader.join()
        # The kernel may end a write within a record; the next start removes that.
        held = held_so_far(log)[seen:]
        assert held[: len(must)] == must, f'{log} does not hold what it held before'
        assert held == sorted(held), f'{log} is out of order'
        seen += len(held)
    assert seen, f'{log} held nothing: nothing was put to the test'
    subscribe = [os.environ['BLECTL'], 'subscribe', BENCH, '2a37', '--count', '1', '--log', log]
    subprocess.run(subscribe, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert len(values(log)) == seen + 1, f'{log} is not whole after it was reopened'
    print(f'{ending}: {KILLS} kills, {seen} values, none lost that the log held')


def main():
    print(f'seed {SEED}')
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        for ending in FORMATS:
            run(ending, directory, chance)


if __name__ == '__main__':
    sys.exit(main())
