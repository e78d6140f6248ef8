# SPDX-License-Identifier: MIT
"""The troubles beside the logger, each on a thread of its own: values, faults and a full disk."""

import collections
import contextlib
import json
import os
import threading
import time

from faults import Storm, outage


class Trouble:
    def __init__(self, role, simulation, bus, disk, chance, note, duration, last_fault, alarm):
        self.role = role
        self.simulation, self.bus, self.disk, self.chance, self.note = simulation, bus, disk, chance, note
        # The longest outage of the bus, bluetoothd and the adapter: short runs have time for short ones only.
        self.longest = max(2.5, min(60, duration / 30))
        # When the last fault may begin.
        self.last_fault = last_fault
        self.over = threading.Event()
        # Set when something has failed.
        self.alarm = alarm
        self.failures = []
        # When the last fault that undoes itself has done so.
        self.undone = 0
        self.faults = collections.Counter()
        self.disk_change = threading.Condition()
        self.disk_is_full = False
        self.threads, self.senders = [], []

    def start(self):
        self.threads = [self.guarded(body) for body in (self.send_faults, self.fill_disk, self.lose_bus)]
        if self.role.send:
            self.senders = [self.guarded(lambda: self.role.send(self))]

    def guarded(self, body):
        def run():
            try:
                body()
            except BaseException as error:  # noqa: BLE001 - the next wait reports it
                self.failures.append(f'{body.__name__}: {error!r}')
                self.over.set()
                self.alarm.set()
                with self.disk_change:
                    self.disk_change.notify_all()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def are_faults_over(self):
        return not any(thread.is_alive() for thread in self.threads)

    def end(self):
        self.over.set()
        for thread in self.threads + self.senders:
            thread.join()

    def send_faults(self):
        chance, control = self.chance('faults'), self.simulation.connect()
        storm = Storm(chance, self.role.devices, self.role.characteristics, self.longest)
        while not self.over.wait(storm.pause()) and time.monotonic() < self.last_fault:
            command = storm.next()
            self.note(f'fault {json.dumps(command)}')
            answer = control.ask(command)
            self.faults[command['do']] += 1
            if 'for' in command:
                duration = int(command['for'].removesuffix('ms')) / 1000
                self.undone = max(self.undone, time.monotonic() + duration)
            # Some are impossible at the moment, such as another subscription without a link; none is malformed.
            assert answer['ok'] or 'expected' not in answer['error'], (command, answer)

    def lose_bus(self):
        chance = self.chance('bus')
        while True:
            pause = chance.uniform(0.2, 2) * max(6, self.longest)
            if self.over.wait(min(pause, self.last_fault - time.monotonic())) or time.monotonic() >= self.last_fault:
                return
            seconds = outage(chance, self.longest)
            self.note(f'the bus is killed for {seconds:.2f} s')
            self.bus.lose(lambda: self.over.wait(seconds))
            self.faults['lost bus'] += 1
            self.note('the bus is back')

    def fill_disk(self):
        chance = self.chance('disk')
        filler = self.disk / 'filler'
        while not self.over.wait(chance.expovariate(1 / 15)) and time.monotonic() < self.last_fault:
            with self.disk_change:
                self.disk_is_full = True
                self.note('the disk is full')
                file = os.open(filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                with contextlib.suppress(OSError):
                    while True:
                        os.write(file, bytes(1 << 18))
                os.close(file)
            self.over.wait(chance.uniform(0.5, 12))
            with self.disk_change:
                filler.unlink()
                self.disk_is_full = False
                self.disk_change.notify_all()
            self.faults['full disk'] += 1
            self.note('the disk has room')

    @contextlib.contextmanager
    def room(self):
        """While the disk is not full, and will not become so."""
        with self.disk_change:
            self.disk_change.wait_for(lambda: self.failures or not self.disk_is_full)
            yield
