# SPDX-License-Identifier: MIT
"""Simulated devices whose firmware is updated, and programs beside them."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

BLECTL = os.environ['BLECTL']
TOOLS = pathlib.Path(sys.executable).parent
# A test whose programs hang is ended after so many seconds.
LIMIT = 600

SENSOR, STRAP, WATCH = 'C6:0D:A7:E0:00:01', 'C6:0D:A7:E0:00:11', 'C6:0D:A7:E0:00:21'


def sensor(pairing=None, **server):
    """A device with MCUboot."""
    device = {'address': SENSOR, 'name': 'Sensor', 'mtu': 247, 'smp': {'version': '1.2.3'} | server}
    return device | ({'pairing': pairing} if pairing else {})


def strap(pairing=None, **bootloader):
    """A device with a bootloader of Secure DFU."""
    dfu = {'kind': 'secure', 'version': '1.0.0'} | bootloader
    device = {'address': STRAP, 'name': 'Strap', 'mtu': 247, 'dfu': dfu}
    return device | ({'pairing': pairing} if pairing else {})


def watch(**bootloader):
    """A device with a bootloader of Legacy DFU."""
    return {'address': WATCH, 'name': 'Watch', 'mtu': 247, 'dfu': {'kind': 'legacy', 'version': '1.0.0'} | bootloader}


class Stage(contextlib.ExitStack):
    """A folder, a simulation, and the programs that run beside it; all end with the test."""

    def __init__(self):
        super().__init__()
        self.processes = []
        # Commands and what they printed, for a test that fails.
        self.log = []

    def __enter__(self):
        self.folder = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory(prefix='blectl-update-')))
        self.notes = self.folder / 'state' / 'blectl' / 'updates'
        timer = threading.Timer(LIMIT, self.give_up)
        timer.start()
        self.callback(timer.cancel)
        self.environment = os.environ | {
            'XDG_STATE_HOME': str(self.folder / 'state'),
            # What programs print is compared: without colours, and without breaks.
            'NO_COLOR': '1',
            'TERM': 'dumb',
            'COLUMNS': '1000',
        }
        return self

    def give_up(self):
        self.log.append(f'given up after {LIMIT} s')
        for process in self.processes:
            if process.poll() is None:
                process.kill()

    # --- Programs ----------------------------------------------------------------------------------------------------

    def start(self, *command, **options):
        """Starts a program, which is ended with the test; `command` begins with a tool of the Python environment, or a path."""
        program = command[0] if '/' in str(command[0]) else TOOLS / command[0]
        streams = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'text': True, 'env': self.environment}
        process = subprocess.Popen([program, *command[1:]], **streams | options)
        self.processes.append(process)
        self.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        with process:
            process.terminate()

    def noted(self, name):
        """A file whose lines are noted at the end of the test."""
        file = self.enter_context((self.folder / f'{name}.log').open('w+'))

        def note():
            file.seek(0)
            self.log += [f'{name}: {line}' for line in file.read().splitlines()]

        self.callback(note)
        return file

    def run(self, *command):
        """The status of a program, what it printed, and what it said on stderr."""
        process = self.start(*command, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        self.log.append(f'$ {" ".join(map(str, command))}\n{output}{errors}status {process.returncode}')
        return process.returncode, output, errors

    def succeed(self, *command):
        """The output of a program, which must succeed."""
        status, output, errors = self.run(*command)
        assert status == 0, (command, status, errors)
        return output + errors

    def update(self, device, file, *options):
        """The status, the records and the words of an update."""
        status, output, errors = self.run(BLECTL, 'update', device, file, '--json', *options)
        return status, [json.loads(line) for line in output.splitlines()], errors

    def update_kills(self, device, file, is_time):
        """The records of an update that is killed as soon as one of them is the awaited one."""
        process = self.start(BLECTL, 'update', device, file, '--json', '-q')
        records = []
        for line in process.stdout:
            records.append(json.loads(line))
            if is_time(records):
                process.send_signal(signal.SIGKILL)
                process.wait()
                break
        assert process.wait() == -signal.SIGKILL, ('it has ended by itself', process.returncode, records)
        self.log.append(f'killed after {records}')
        return records

    # --- Devices -----------------------------------------------------------------------------------------------------

    def simulate(self, *devices, adapters=1):
        world = self.folder / 'world.json'
        world.write_text(json.dumps({'peripherals': list(devices)}))
        options = '--adapters', str(adapters), '--control', self.folder / 'control', '-q'
        simulator = self.start(BLECTL, 'simulate', world, *options, stderr=self.noted('simulator'))
        line = simulator.stdout.readline().strip()
        assert line.startswith('DBUS_SYSTEM_BUS_ADDRESS='), line
        self.environment['DBUS_SYSTEM_BUS_ADDRESS'] = line.removeprefix('DBUS_SYSTEM_BUS_ADDRESS=')

    def firmware(self, address):
        """The firmware of a device, as the device has it."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.folder / 'control'))
            client.sendall(b'{"do": "state"}\n')
            state = json.loads(client.makefile().readline())
        # A bootloader at another address shares the firmware with its application.
        return next(device['firmware'] for device in state['peripherals'] if device['address'] == address)

    def installed(self, address):
        """The slot of what a device runs, or ran before its bootloader; nothing if that has erased it."""
        slots = self.firmware(address)['slots']
        return next((slot for slot in slots if 'active' in slot.get('flags', []) or slot['slot'] == 'application'), None)

    def expect(self, address, version, digest):
        """Expects that a device runs a version whose bytes have a SHA-256."""
        firmware = self.firmware(address)
        assert (firmware['version'], firmware['in_bootloader']) == (version, False), firmware
        assert self.installed(address)['sha256'] == digest, (firmware, digest)
