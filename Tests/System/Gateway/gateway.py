#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A gateway from its boot on: the values of sixty sensors in a table, a database and at a broker, over every outage.

Each sensor counts in hundredths of a degree, so that a change that is missing in a log shows: between two gaps, no value
that was on the bus is left out. The sensors count by the time: one that was given no processor time leaves values out too.
"""

import collections
import csv
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

from broker import Broker, until
from simulation import Simulation

BLECTL = os.environ['BLECTL']
SENSORS = [f'C5:EA:50:00:01:{number:02X}' for number in range(60)]
#: How many changes of each sensor each phase takes.
CHANGES = int(os.environ.get('CHANGES', '8'))

Row = collections.namedtuple('Row', 'time address packet celsius')


def world():
    """Sixty sensors, each with a value that counts up to the limit of its format."""
    celsius = {'counter': {'from': -300, 'to': 300, 'step': 0.01}}
    beacon = {'bthome': {'packet_id': {'counter': {}}, 'temperature': celsius}, 'every': '500ms'}
    return {
        'peripherals': [
            {
                'address': address,
                'name': f'Sensor {number}',
                'advertisement': {'connectable': False, 'beacons': [beacon]},
            }
            for number, address in enumerate(SENSORS)
        ]
    }


class Gateway:
    """blectl listen, as the unit of the recipe starts it, beside a broker."""

    def __init__(self, folder, broker):
        self.csv, self.sqlite = folder / 'sensors.csv', folder / 'sensors.sqlite'
        self.output, self.errors = folder / 'output', folder / 'errors'
        command = [BLECTL, 'listen', 'Sensor*', '--type', 'bthome', '--json']
        command += ['--log', self.csv, '--log', self.sqlite, '--log', f'{broker.url}/ble/attic', '--home-assistant']
        with open(self.output, 'wb') as output, open(self.errors, 'wb') as errors:
            self.process = subprocess.Popen(command, stdout=output, stderr=errors)

    def told(self):
        return self.errors.read_text(encoding='utf-8')

    def waits(self, for_what, times=1):
        """Waits until the gateway has said that often what it waits for."""
        until(lambda: self.runs() and self.told().count(for_what) >= times, f'"{for_what}" in {self.told()!r}')

    def runs(self):
        assert self.process.poll() is None, f'the gateway has ended: {self.told()}'
        return True

    def records(self):
        with open(self.output, encoding='utf-8') as file:
            return [json.loads(line) for line in file if line.endswith('\n')]

    def hears(self, count):
        """Waits until each sensor has so many more values."""
        before = self.counts()
        until(
            lambda: self.runs() and all(now - before[sensor] >= count for sensor, now in self.counts(SENSORS).items()),
            f'{count} values of each sensor: {self.told()}',
        )

    def counts(self, sensors=()):
        heard = collections.Counter(record['address'] for record in self.records() if record['event'] == 'value')
        return {sensor: heard[sensor] for sensor in sensors} if sensors else heard


class Witness:
    """Hears on the bus what a gateway should hear, with the tools of D-Bus."""

    RULE = "type='signal',interface='org.freedesktop.DBus.Properties',path_namespace='/org/bluez',arg0='org.bluez.Device1'"
    #: The device of a signal, and in its data of BTHome the temperature behind the number of the packet.
    LINE = re.compile(r"^signal .* path=\S+/dev_(\S+);|^ +40 00 .. 02 (..) (..) *$")

    def __init__(self, folder, socket):
        self.path, self.address = folder / 'bus-signals', f'unix:path={socket}'
        self.start()

    def start(self):
        """Hears the bus, again after its end."""
        command = ['dbus-monitor', '--address', self.address, self.RULE]
        with open(self.path, 'ab') as output:
            begin = output.tell()
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        # Its name on the bus is the first thing that it hears.
        until(lambda: self.path.stat().st_size > begin, 'the witness on the bus')

    def heard(self):
        """The values so far: addresses and hundredths of a degree."""
        values, address = set(), ''
        with open(self.path, encoding='utf-8') as file:
            for found in filter(None, map(self.LINE.match, file)):
                if found[1]:
                    address = found[1].replace('_', ':')
                else:
                    values.add((address, int.from_bytes(bytes.fromhex(found[2] + found[3]), 'little', signed=True)))
        return values

    def end(self):
        self.process.terminate()
        self.process.wait()


def row(record):
    values = record['decoded']
    return Row(record['time'], record['address'], values['packet_id'], round(values['temperature_celsius'] * 100))


def rows_of_table(path):
    with open(path, newline='', encoding='utf-8') as file:
        return [
            Row(line['time'], line['address'], int(line['packet_id']), round(float(line['temperature_celsius']) * 100))
            for line in csv.DictReader(file)
            if line['event'] == 'value'
        ]


def rows_of_database(path):
    with sqlite3.connect(path) as database:
        rows = database.execute('SELECT utc, address, packet_id, temperature_celsius FROM advertised')
        return [Row(time, address, packet, round(celsius * 100)) for time, address, packet, celsius in rows]


def judge(records, heard):
    """Between two gaps, no change that was on the bus is missing, and none comes twice."""
    gaps, last, missing = 0, {}, collections.Counter()
    for record in records:
        if record['event'] in ('interrupted', 'resumed', 'started'):
            gaps += record['event'] == 'resumed'
            last.clear()
        elif record['event'] == 'value':
            value = row(record)
            if value.address in last:
                before = last[value.address].celsius
                assert value.celsius > before, f'{value} after {last[value.address]}'
                assert (value.address, value.celsius) in heard, f'{value} was not on the bus'
                missing[value.address] += sum((value.address, celsius) in heard for celsius in range(before + 1, value.celsius))
            last[value.address] = value
    assert not +missing, f'changes that are in no log: {+missing}'
    return gaps


def main():
    with tempfile.TemporaryDirectory(prefix='blectl-gateway-') as name:
        folder = pathlib.Path(name)
        (folder / 'broker').mkdir()
        broker = Broker(folder / 'broker')
        simulation = Simulation(folder, world())
        witness = Witness(folder, simulation.socket)
        try:
            play(folder, simulation, broker, witness)
        finally:
            witness.end()
            simulation.end()
            if broker.process:
                broker.kill(signal.SIGKILL)


def play(folder, simulation, broker, witness):
    # Who reads the messages has subscribed before; the broker keeps that.
    broker.start()
    with broker.listen('ble/attic/#') as listener:
        broker.kill()
        live(folder, simulation, broker, listener, witness)


def live(folder, simulation, broker, listener, witness):
    control = simulation.connect()

    def do(word):
        answer = control.ask({'do': word})
        assert answer['ok'], answer

    # The boot: nothing is there, and it comes piece by piece.
    do('stop-daemon')
    gateway = Gateway(folder, broker)
    gateway.waits('waiting for the bus')
    os.symlink(simulation.socket, simulation.link)
    gateway.waits('waiting for bluetoothd')
    do('adapter-off')
    do('start-daemon')
    do('adapter-off')
    gateway.waits('adapter')
    do('adapter-on')
    gateway.hears(CHANGES)
    broker.start()
    gateway.hears(CHANGES)
    # Each part is lost once, while the others run.
    broker.kill()
    gateway.hears(CHANGES)
    broker.start()
    for begin, end in (
        ('kill-daemon', 'start-daemon'),
        ('adapter-off', 'adapter-on'),
        ('stop-daemon', 'start-daemon'),
        ('kill-bus', 'start-bus'),
    ):
        resumed = count(gateway, 'resumed')
        do(begin)
        until(lambda: count(gateway, 'interrupted') > resumed, f'the record of {begin}')
        do(end)
        if begin == 'kill-bus':
            witness.start()
            do('start-daemon')
        until(lambda: count(gateway, 'resumed') > resumed, f'the end of the gap after {end}')
        gateway.hears(CHANGES)
    gateway.process.send_signal(signal.SIGTERM)
    status = gateway.process.wait()
    assert status == -signal.SIGTERM, f'status {status}: {gateway.told()}'
    until(listener.ends, 'the last message')
    records = gateway.records()
    values = [row(record) for record in records if record['event'] == 'value']
    last = {(value.address, value.celsius) for value in values[-len(SENSORS):]}
    until(lambda: last <= witness.heard(), 'the last values on the bus')
    gaps = judge(records, witness.heard())
    assert gaps == 4, f'{gaps} gaps, not 4'
    assert rows_of_table(gateway.csv) == values, 'the table has other values than the output'
    assert rows_of_database(gateway.sqlite) == values, 'the database has other values than the output'
    # A message whose acknowledgement was lost with the connection comes again, with its time.
    sent = {row(record) for record in listener.records() if record['event'] == 'value'}
    assert sent == set(values), f'at the broker {len(sent)} values, in the output {len(values)}'
    assert 'dropped' not in gateway.told(), gateway.told()
    discovered = broker.retained('homeassistant/device/+/config')
    assert len(discovered) == len(SENSORS), f'{len(discovered)} sensors for Home Assistant'
    print(f'gateway: {len(values)} values of {len(SENSORS)} sensors over {gaps} gaps, the same in all logs')


def count(gateway, event):
    return sum(record['event'] == event for record in gateway.records())


if __name__ == '__main__':
    sys.exit(main())
