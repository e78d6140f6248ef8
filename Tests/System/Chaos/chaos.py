# SPDX-License-Identifier: MIT
"""An hour of chaos, or two minutes: a logger of eight devices, while everything fails that can fail.

It logs what they send over links (subscribing.py), or what they advertise (listening.py).
"""

import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from bus import Bus
from faults import healing
from listening import Listening
from logger import Database, Run, TextLog, descriptors
from simulation import BLECTL, Simulation
from subscribing import Subscribing
from trouble import Trouble
from verdict import OUTPUT, Figures, judge

ROLES = {'subscribe': Subscribing, 'listen': Listening}
# How long something may take that has to happen: only what hangs takes so long.
PATIENCE = 240
# The most memory of the logger in KiB: however long it runs, and with 48K for each of four outputs.
MEMORY = 48 << 10


class Chaos:
    def __init__(self, role, seed, duration, folder):
        self.role, self.seed, self.duration, self.folder = role, seed, duration, folder
        self.said = open(folder / 'said.txt', 'w', encoding='utf-8')  # noqa: SIM115 - closed with the process
        self.figures = Figures()
        self.kills = self.ends = 0
        self.peaks, self.lags = [], []
        self.given_up = set()
        self.run = None
        # Set when a run has ended, and when something has failed.
        self.alarm = threading.Event()

    def chance(self, name):
        """Each part has dice of its own, so that their throws do not depend on the order of the threads."""
        return random.Random(f'{self.seed} {name}')

    def note(self, text):
        print(f'{time.time():.3f} {text}', file=self.said, flush=True)

    def start(self):
        self.simulation = Simulation(self.folder, self.role.world)
        self.timeline = self.role.Timeline(self.note)
        self.bus = Bus(self.simulation, self.timeline)
        self.disk = self.folder / 'disk'
        self.disk.mkdir()
        size = (16 << 20) + int(self.duration * (96 << 10))
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}', 'tmpfs', self.disk], check=True)
        path = f'{self.disk}/log'
        logs = [log(f'{path}.{kind}', self.role) for log, kind in ((TextLog, 'ndjson'), (TextLog, 'csv'), (Database, 'sqlite'))]
        self.logs = {log.path: log for log in logs}
        self.end = time.monotonic() + self.duration
        self.trouble = Trouble(
            self.role, self.simulation, self.bus, self.disk, self.chance, self.note, self.duration, self.end - 1, self.alarm
        )

    def close(self):
        self.trouble.over.set()
        if self.run and not self.run.has_ended():
            self.run.end(signal.SIGKILL)
        subprocess.run(['umount', '-l', self.disk], check=False)
        self.simulation.end()

    def wait_for(self, what, is_done):
        end = time.monotonic() + PATIENCE
        while not is_done():
            assert not self.trouble.failures, self.trouble.failures
            assert not self.bus.failure, self.bus.failure
            assert time.monotonic() < end, f'waited in vain for {what}'
            time.sleep(0.02)

    # A run of the logger.

    def launch(self):
        number = self.timeline.begin()
        command = [BLECTL, *self.role.arguments, '--buffer', '48K']
        for path in self.logs:
            command += ['--log', path]
        self.given_up = set()
        # A log is opened only where there is room for it.
        with self.trouble.room():
            self.note(f'run {number} begins')
            self.alarm.clear()
            run = self.run = Run(command, self.role, self.chance(f'reader {number}'), self.listen, self.alarm.set)
            # Its logs are open once it speaks to bluetoothd.
            self.wait_for('the logger', lambda: number in self.timeline.seen or run.has_ended())
        return run

    def listen(self, text):
        self.note(f'logger: {text}')
        if device := self.role.given_up(text):
            self.given_up.add(device)

    def await_logs(self, run, records):
        """Waits until all that was signalled so far is in the logs: it gets there by itself.

        Returns the number of the last signal of which that is certain: 0 if the disk is full, or some were dropped.
        """
        last, values = self.timeline.moment()
        start = time.monotonic()

        def hampered():
            has_dropped = any(record.event == 'dropped' for part in records.values() for record in part)
            return has_dropped or self.trouble.disk_is_full or run.has_ended()

        def is_written():
            lacking = False
            for path, log in self.logs.items():
                records[path] += log.read()
                held = {(record.stream, record.value) for record in records[path]}
                lacking = lacking or not all(
                    signal.is_last or (stream, signal.value) in held for stream, signal in values.items()
                )
            return not lacking or hampered()

        self.wait_for('values to reach the logs', is_written)
        if hampered():
            return 0
        self.lags.append(time.monotonic() - start)
        return last

    def end_run(self, run, number):
        """Ends a run, and judges it."""
        records = {path: [] for path in self.logs}
        safe = self.await_logs(run, records)
        self.timeline.end()
        self.note(f'run ends with {signal.Signals(number).name}')
        has_ended = run.has_ended()
        status = run.end(number)
        # By itself it ends only when every device has refused it for good.
        allowed = status == 1 and self.given_up == set(self.role.devices) if has_ended else status == -number
        assert allowed, f'the logger has ended with {status}: {run.errors[-5:]}'
        self.wait_for('the monitor', lambda: not self.bus.is_behind())
        self.peaks.append(run.peak)
        # Reading a database that a kill has left open repairs it, which takes room.
        with self.trouble.room():
            for path, log in self.logs.items():
                records[path] += log.read()
                log.check()
        records[OUTPUT] = run.printed
        is_killed = number == signal.SIGKILL and not has_ended
        current = self.timeline.run
        judge(self.role, run, current, self.timeline.of(current), records, safe, is_killed, self.figures, self.note)

    # The whole.

    def play(self):
        chance = self.chance('logger')
        run = self.launch()
        self.wait_for('all devices', self.timeline.is_complete)
        before = descriptors(run.process.pid), descriptors(self.simulation.process.pid)
        self.trouble.start()
        while True:
            life = chance.expovariate(1 / 12) if chance.random() < 0.75 else chance.uniform(30, 300)
            kind = signal.SIGKILL if chance.random() < 0.65 else signal.SIGTERM
            until = min(self.end, time.monotonic() + life)
            self.alarm.wait(max(0, until - time.monotonic()))
            assert not self.trouble.failures, self.trouble.failures
            if time.monotonic() >= self.end:
                return self.finish(run, before)
            self.kills += kind == signal.SIGKILL
            self.ends += kind == signal.SIGTERM
            self.end_run(run, kind)
            run = self.launch()

    def finish(self, run, before):
        """Heals everything: each device has to come back by itself, and nothing may be left behind."""
        self.wait_for('the last fault', self.trouble.are_faults_over)
        # The automatic end of a fault must not come after its healing.
        self.wait_for('the last fault to undo itself', lambda: time.monotonic() >= self.trouble.undone)
        self.note('healing')
        control = self.simulation.connect()
        for command in healing(self.role.devices):
            control.ask(command)
        if self.given_up or run.has_ended():
            self.note(f'given up: {self.given_up}')
            self.end_run(run, signal.SIGTERM)
            run = self.launch()
        self.wait_for('all devices', self.timeline.is_complete)
        moment = self.timeline.count
        self.wait_for('a value of each device', lambda: self.timeline.has_heard(self.role.streams, moment))
        after = descriptors(run.process.pid), descriptors(self.simulation.process.pid)
        assert after[0] == before[0], f'descriptors of the logger: {before[0]} before, {after[0]} after'
        # The simulation has our connections too, and what its loops open at the first use.
        assert after[1].total() <= before[1].total() + 8, f'descriptors of the simulation: {before[1]}, {after[1]}'
        self.end_run(run, signal.SIGTERM)
        self.trouble.end()
        assert max(self.peaks) <= MEMORY, f'the logger has taken {max(self.peaks)} KiB'
        self.wait_for('nothing to be left behind', lambda: self.simulation.is_clean(control))

    def report(self):
        signals = [item for items in self.timeline.signals.values() for item in items]
        due = sum(signal.is_due for signal in signals)
        print(f'{len(signals)} values signalled, {due} of them to the logger')
        for path, count in self.figures.written.items():
            print(f'{pathlib.Path(path).name}: {count} values, {self.figures.counted[path]} records counted as lost')
        print(f'{self.kills} kills, {self.ends} ends; {self.figures.killed} values lost by kills, of all four outputs')
        print(f'values were in all logs {max(self.lags, default=0):.1f} s later at most')
        print(f'peaks of memory: {sorted(self.peaks)} KiB')
        faults = self.trouble.faults
        print(f'{faults.total()} faults: ' + ', '.join(f'{count} {word}' for word, count in sorted(faults.items())))


def play(role, seed, duration):
    print(f'chaos: {role.arguments[0]}, seed {seed}, {duration:g} s', flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix='blectl-chaos-'))
    chaos = Chaos(role, seed, duration, folder)
    chaos.start()
    try:
        chaos.play()
    except BaseException as error:
        print(f'chaos: seed {seed} has failed: {error}; see {folder}/said.txt', file=sys.stderr)
        raise
    finally:
        chaos.close()
        chaos.report()
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('role', choices=ROLES)
    parser.add_argument('duration', type=float, help='in seconds')
    parser.add_argument('seeds', nargs='*', help='default: a new one')
    arguments = parser.parse_args()
    for seed in arguments.seeds or [str(int(time.time()))]:
        play(ROLES[arguments.role], seed, arguments.duration)


if __name__ == '__main__':
    sys.exit(main())
