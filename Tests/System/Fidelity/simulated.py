# SPDX-License-Identifier: MIT
"""The world of the contract suite on the simulator, for the time of a with statement."""

import contextlib
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]


class ContractWorld:
    """The program contract-world, which takes the commands of `rig-world`."""

    def __init__(self, process, address):
        self.process = process
        self.address = address
        self.environment = {**os.environ, 'DBUS_SYSTEM_BUS_ADDRESS': address}

    def tell(self, *words):
        """The lines of the answer."""
        self.process.stdin.write(' '.join(words).encode() + b'\n')
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().decode().strip()) != 'ok':
            if not line or line.startswith('error'):
                raise RuntimeError(line)
            lines.append(line)
        return lines

    def run(self, command):
        """Runs a command beside it, which can change the world itself; gives what it printed."""
        files = self.process.stdin.fileno(), self.process.stdout.fileno()
        environment = {**self.environment, 'CONTRACT_WORLD': '{},{}'.format(*files)}
        return subprocess.run(
            command, env=environment, pass_fds=files, check=True, stdout=subprocess.PIPE, text=True, timeout=300
        ).stdout


@contextlib.contextmanager
def contract_world(*options):
    program = os.environ.get('CONTRACT_WORLD_PROGRAM', ROOT / '.build/debug/contract-world')
    process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    try:
        yield ContractWorld(process, process.stdout.readline().decode().strip())
    finally:
        process.stdin.close()
        process.wait(10)
