# SPDX-License-Identifier: MIT
"""A simulated BlueZ, and its control socket."""

import json
import os
import socket
import subprocess

BLECTL = os.environ.get('BLECTL')


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

    def __init__(self, folder, world):
        path, self.control = folder / 'world.json', str(folder / 'control')
        path.write_text(json.dumps(world))
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
