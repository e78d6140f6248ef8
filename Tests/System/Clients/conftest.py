# SPDX-License-Identifier: MIT
"""Clients that others have written, unmodified, on a simulated BlueZ.

`Tests/System/Clients/run.sh` runs this beside `blectl simulate`. Where a test has to change the world, it has a simulator of its
own, with the world of the contract suite.
"""

import os
import pathlib
import re
import signal
import sys

import pexpect
import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'Fidelity'))

from simulated import contract_world  # noqa: E402

STATUS = pytest.StashKey[int]()


def pytest_configure(config):
    if 'DBUS_SYSTEM_BUS_ADDRESS' not in os.environ:
        raise pytest.UsageError('run Tests/System/Clients/run.sh: this is not for a real Bluetooth adapter')


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    session.config.stash[STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    # simplepyble 1.2.0 crashes while the interpreter takes itself apart, after a scan.
    if 'simplepyble' in sys.modules:
        sys.stdout.flush()
        os._exit(config.stash.get(STATUS, 1))


@pytest.fixture
def world(monkeypatch):
    """The world of the contract suite, which can be changed: `world.tell('drop', address)`."""
    with contract_world('--experimental') as world:
        monkeypatch.setenv('DBUS_SYSTEM_BUS_ADDRESS', world.address)
        yield world


class Bluetoothctl:
    """A session at the prompt of bluetoothctl."""

    def __init__(self):
        self.start()
        if self.process.expect(['Agent registered', pexpect.EOF]) == 1:
            # bluetoothctl 5.66 itself fails at some starts, by a null pointer, before it shows anything.
            self.process.close()
            assert self.process.signalstatus == signal.SIGSEGV, plain(self.process.before)
            self.start()
            self.expect('Agent registered')

    def start(self):
        self.process = pexpect.spawn('bluetoothctl', encoding='utf-8', timeout=15, dimensions=(100, 200), echo=False)

    def expect(self, *texts):
        """The output until each of the texts has come, one after the other, without colours and prompts."""
        seen = ''
        for text in texts:
            self.process.expect(text)
            seen += self.process.before + self.process.after
        return plain(seen)

    def expect_all(self, *texts):
        """Waits until all of the texts have come, in any order."""
        missing = list(texts)
        while missing:
            del missing[self.process.expect(missing)]

    def __call__(self, command, *texts):
        self.process.sendline(command)
        return self.expect(*texts)

    def close(self):
        self.process.sendline('quit')
        self.process.expect(pexpect.EOF)
        self.process.close()


def plain(text):
    text = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]|[\x01\x02\r]', '', text)
    return re.sub(r'\[[^\]\n]*\]# ', '', text)


@pytest.fixture
def bluetoothctl():
    session = Bluetoothctl()
    yield session
    session.close()
