# SPDX-License-Identifier: MIT
"""The machine of these tests: a user besides root, two hosts behind sshd, and blectl, which root runs."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios

BLECTL = os.environ['BLECTL']
SSHD = os.environ['SSHD']
PATIENCE = 120
USER = 'gateway'


def run(*arguments):
    subprocess.run(arguments, check=True)


def mounted(content, place):
    """Shows other content at a place, in this namespace only."""
    run('mount', '--bind', content, place)


class Host:
    """An sshd on a port, and the simulated BlueZ behind it."""

    def __init__(self, folder, port, bus=None):
        self.folder, self.port = folder, port
        folder.mkdir()
        self.simulator = subprocess.Popen(
            [BLECTL, 'simulate', '--control', folder / 'control'], stdout=subprocess.PIPE, text=True
        )
        self.address = self.simulator.stdout.readline().strip().removeprefix('DBUS_SYSTEM_BUS_ADDRESS=')
        run('chmod', '755', pathlib.Path(self.address.removeprefix('unix:path=').split(',')[0]).parent)
        key = folder / 'host_key'
        run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
        lines = [
            f'ListenAddress 127.0.0.1:{port}',
            f'HostKey {key}',
            f'AuthorizedKeysFile {folder.parent}/authorized_keys',
            'StrictModes no',
            'UsePAM no',
            'PasswordAuthentication no',
            f'PidFile {folder}/pid',
        ]
        if bus:
            lines.append(f'SetEnv DBUS_SYSTEM_BUS_ADDRESS={bus(self)}')
        (folder / 'sshd_config').write_text('\n'.join(lines) + '\n')
        self.listen()

    def listen(self):
        self.sshd = subprocess.Popen(
            [SSHD, '-D', '-e', '-f', self.folder / 'sshd_config'], stderr=subprocess.PIPE, text=True
        )
        for line in self.sshd.stderr:
            if 'Server listening' in line:
                return
        raise RuntimeError('sshd does not start')

    def hang_up(self):
        """Ends sshd and all sessions."""
        self.sshd.kill()
        subprocess.run(['pkill', '-KILL', '-f', f'sshd: {USER}'])
        self.sshd.communicate()

    def close(self):
        self.hang_up()
        self.simulator.stdout.close()
        self.simulator.terminate()
        self.simulator.wait()

    def tell(self, command):
        """Lets the simulator execute a command."""
        with socket.socket(socket.AF_UNIX) as control, control.makefile('rw') as lines:
            control.settimeout(PATIENCE)
            control.connect(str(self.folder / 'control'))
            print(json.dumps(command), file=lines, flush=True)
            answer = json.loads(lines.readline())
        if not answer['ok']:
            raise RuntimeError(answer)

    def blectl(self, *arguments):
        """The output of a command on the bus of this host, without ssh."""
        environment = {**os.environ, 'DBUS_SYSTEM_BUS_ADDRESS': self.address}
        done = subprocess.run(
            [BLECTL, *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        return done.stdout


class Stage:
    """The machine: a user besides root, two hosts, and the ssh configuration of root."""

    def __init__(self):
        run('mount', '--make-rprivate', '/')
        run('ip', 'link', 'set', 'lo', 'up')
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='blectl-hosts-'))
        self.folder.chmod(0o755)
        for home in ('client', 'server'):
            (self.folder / home / '.ssh').mkdir(parents=True, mode=0o700)
        self._make_users()
        for place in ('/run/sshd', '/run/dbus'):
            os.makedirs(place, exist_ok=True)
            run('mount', '-t', 'tmpfs', 'tmpfs', place)
        os.chmod('/run/sshd', 0o755)
        self.ssh = self.folder / 'client/.ssh'
        for key in ('key', 'wrong'):
            run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', self.ssh / key)
        shutil.copy(self.ssh / 'key.pub', self.folder / 'authorized_keys')
        self.attic = Host(self.folder / 'attic', 2201)
        socket = pathlib.Path('/run/dbus/system_bus_socket')
        socket.touch()
        mounted(self.attic.address.removeprefix('unix:path=').split(',')[0], socket)
        self.cellar = Host(self.folder / 'cellar', 2202, bus=lambda host: host.address.split(',')[0])
        self._configure()

    def _make_users(self):
        accounts = pathlib.Path('/etc/passwd').read_text().splitlines()
        accounts = [line for line in accounts if line.split(':')[0] not in ('root', 'sshd', USER)]
        accounts += [
            f'root:x:0:0::{self.folder}/client:/bin/sh',
            'sshd:x:104:65534::/run/sshd:/usr/sbin/nologin',
            f'{USER}:x:4321:4321::{self.folder}/server:/bin/sh',
        ]
        (self.folder / 'passwd').write_text('\n'.join(accounts) + '\n')
        mounted(self.folder / 'passwd', '/etc/passwd')
        (self.folder / 'shadow').write_text(f'{USER}:*:19000:0:99999:7:::\nroot:*:19000:0:99999:7:::\n')
        mounted(self.folder / 'shadow', '/etc/shadow')

    def _configure(self):
        """Lets root, and the user, log in from here."""
        self._configure_ssh()
        other = self.folder / 'server/.ssh'
        shutil.copytree(self.ssh, other, dirs_exist_ok=True)
        (other / 'config').write_text((other / 'config').read_text().replace(str(self.ssh), str(other)))
        run('chown', '-R', '4321:4321', other.parent)

    def _configure_ssh(self):
        def host(name, port, key='key'):
            return (
                f'Host {name}\n HostName 127.0.0.1\n Port {port}\n User {USER}\n IdentityFile {self.ssh}/{key}\n'
                f' UserKnownHostsFile {self.ssh}/known\n StrictHostKeyChecking yes\n'
            )

        stranger = host('stranger', 2201).replace('/known', '/unknown')
        (self.ssh / 'config').write_text(
            host('attic', 2201) + host('cellar', 2202) + host('nobody', 2299) + host('refused', 2201, 'wrong') + stranger
        )
        known = [
            f'[127.0.0.1]:{place.port} {(place.folder / "host_key.pub").read_text()}' for place in (self.attic, self.cellar)
        ]
        (self.ssh / 'known').write_text(''.join(known))

    def close(self):
        self.attic.close()
        self.cellar.close()


def environment(**others):
    kept = {name: value for name, value in os.environ.items() if name != 'DBUS_SYSTEM_BUS_ADDRESS'}
    return {**kept, **others}


def blectl(*arguments, user=None, **variables):
    return subprocess.run(
        [BLECTL, *arguments],
        user=user,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@contextlib.contextmanager
def started(*arguments, **variables):
    """A command in a process group of its own, as a shell starts it."""
    process = subprocess.Popen(
        [BLECTL, *arguments],
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def on_terminal(*arguments):
    """A command on a terminal of 30 lines of 120 columns: its status, and what it has written there."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 120, 0, 0))
        os.execve(BLECTL, [BLECTL, *arguments], environment(TERM='xterm', NO_COLOR='1'))
    written = b''
    # When the command has ended, reading fails.
    with contextlib.suppress(OSError):
        while block := os.read(terminal, 65536):
            written += block
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), written.decode()


def records(text):
    return [json.loads(line) for line in text.splitlines()]
