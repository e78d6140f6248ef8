# SPDX-License-Identifier: MIT
"""Every notification of a flood is in every log exactly once, in order, on both paths; and how much memory that took."""

import os
import subprocess
import sys
import tempfile
import time

from logs import FORMATS, numbers

COUNT = int(os.environ['COUNT'])
BENCH = 'C2:BE:7C:00:00:01'


def run(path, directory):
    logs = [f'{directory}/{path}.{ending}' for ending in FORMATS]
    command = [os.environ['BLECTL'], 'subscribe', BENCH, '2a37', '--via', path, '--count', str(COUNT), '--json']
    command += ['--timeout', '60s']
    for log in logs:
        command += ['--log', log]
    start = time.monotonic()
    with open(f'{directory}/{path}.out', 'wb') as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    assert os.waitstatus_to_exitcode(status) == 0, f'{path}: status {os.waitstatus_to_exitcode(status)}'
    for log in logs:
        assert numbers(log) == list(range(COUNT)), f'{log} does not hold each value once, in order'
    with open(f'{directory}/{path}.out', 'rb') as output, open(logs[0], 'rb') as log:
        assert output.read() == log.read(), 'the log is not what --json printed'
    memory = usage.ru_maxrss // 1024
    # Four buffers of 16M at most, and the program itself: however many values there are.
    assert memory < 96, f'{path}: {memory} MB peak'
    cpu = (usage.ru_utime + usage.ru_stime) / COUNT * 1e6
    print(
        f'{path}: {COUNT} values in {len(logs)} logs and the output, each once, in order; {seconds:.1f} s, '
        f'{cpu:.1f} µs CPU a value, {memory} MB peak'
    )


def main():
    for path in sys.argv[1:] or ['signal', 'socket']:
        # Each from a process that has read no logs yet: the peak of a child counts from the size of who has forked it.
        child = os.fork()
        if child == 0:
            with tempfile.TemporaryDirectory() as directory:
                run(path, directory)
            return 0
        _, status = os.waitpid(child, 0)
        if status != 0:
            return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
