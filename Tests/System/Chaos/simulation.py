# SPDX-License-Identifier: MIT
"""The simulated BlueZ with eight devices, and its control socket."""

import json
import os
import socket
import subprocess

BLECTL = os.environ.get('BLECTL')
DEVICES = [f'C0:FF:EE:00:00:0{number}' for number in range(1, 9)]
SHORT = ['ffe1', 'ffe4']
UUIDS = [f'0000{short}-0000-1000-8000-00805f9b34fb' for short in SHORT]
# The handles of the characteristics, as their paths have them.
HANDLES = dict(zip(['0011', '0021'], UUIDS))


def world():
    characteristics = [
        {'uuid': short, 'handle': int(handle, 16), 'properties': ['read', 'notify'], 'value': ''}
        for short, handle in zip(SHORT, HANDLES)
    ]
    service = {'uuid': 'ffe0', 'handle': 0x10, 'characteristics': characteristics}
    return {
        'peripherals': [
            {'address': address, 'name': f'Chaos {address[-1]}', 'services': [service]} for address in DEVICES
        ]
    }


class Control:
    """A connection to the control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile('rb')

    def ask(self, command):
        return self.all([command])[0]

    def all(self, commands):
        self.socket.sendall(b''.join(json.dumps(command).encode() + b'\n' for command in commands))
        return [json.loads(self.file.readline()) for _ in commands]


class Simulation:
    """The process that simulates BlueZ; its bus becomes that of our children, over a link that is not there at first."""

    def __init__(self, folder, content=None):
        path, self.control = folder / 'world.json', str(folder / 'control')
        path.write_text(json.dumps(content or world()))
        self.process = subprocess.Popen(
            [BLECTL, 'simulate', path, '--control', self.control, '--quiet'], stdout=subprocess.PIPE, text=True
        )
        address = self.process.stdout.readline().strip().removeprefix('DBUS_SYSTEM_BUS_ADDRESS=')
        # The bus itself, and the link to it that the logger uses.
        self.socket, self.link = address.removeprefix('unix:path=').split(',')[0], str(folder / 'bus')
        os.environ['DBUS_SYSTEM_BUS_ADDRESS'] = f'unix:path={self.link}'

    def connect(self):
        return Control(self.control)

    def is_clean(self, control):
        """Whether there is no discovery, no link and no subscription."""
        state = control.ask({'do': 'state'})
        return not any(adapter['discovering'] for adapter in state['adapters']) and not any(
            device['connected'] or device['subscribed'] for device in state['peripherals']
        )

    def end(self):
        self.process.terminate()
        self.process.wait()
