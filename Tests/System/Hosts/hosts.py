# SPDX-License-Identifier: MIT
"""blectl on the buses of other hosts, over ssh. run.sh starts it, as root in namespaces of its own."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

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


stage = None


def setUpModule():
    global stage
    stage = Stage()


def tearDownModule():
    stage.close()


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


class Commands(unittest.TestCase):
    def test_a_value_is_read(self):
        done = blectl('read', 'Heart Strap', '2a38', '-H', 'attic')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(done.stdout, stage.attic.blectl('read', 'Heart Strap', '2a38'))

    def test_the_user_and_the_port_may_be_given(self):
        (stage.ssh / 'config').rename(stage.ssh / 'aside')
        self.addCleanup((stage.ssh / 'aside').rename, stage.ssh / 'config')
        shutil.copy(stage.ssh / 'key', stage.ssh / 'id_ed25519')
        shutil.copy(stage.ssh / 'known', stage.ssh / 'known_hosts')
        done = blectl('devices', '--host', f'{USER}@127.0.0.1:2201')
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_the_environment_names_a_host_unless_another_bus_is_asked_for(self):
        self.assertEqual(blectl('devices', BLECTL_HOST='nobody').returncode, 3)
        self.assertEqual(blectl('devices', '--bus', stage.attic.address, BLECTL_HOST='nobody').returncode, 0)
        self.assertEqual(blectl('devices', BLECTL_HOST='attic').returncode, 0)

    def test_values_without_response_arrive_as_calls(self):
        values = '\n'.join(f'{number:04x}' for number in range(300))
        done = subprocess.run(
            [BLECTL, 'write', 'Piano', 'ffe3', '--no-response', '--from', '-', '-H', 'attic'],
            env=environment(), input=values, capture_output=True, text=True, timeout=PATIENCE,
        )
        self.assertEqual((done.returncode, done.stderr), (0, 'wrote 300 values to Piano\n'))

    def test_values_come_as_signals_where_a_socket_is_asked_for(self):
        done = blectl('subscribe', 'Heart Strap', '2a37', '--via', 'socket', '--count', '2', '--json', '-v', '-H', 'attic')
        self.assertEqual(done.returncode, 0)
        values = [record for record in records(done.stdout) if record['event'] == 'value']
        self.assertEqual([record['via'] for record in values], ['signal', 'signal'])
        self.assertIn('sockets cannot cross ssh', done.stderr)

    def test_the_doctor_asks_the_bus_of_the_host(self):
        done = blectl('doctor', '-H', 'attic', '--json')
        bus = next(record for record in records(done.stdout) if record['check'] == 'bus')
        self.assertEqual(bus['message'], 'the system bus of attic answers')

    def test_a_scan_of_two_hosts_names_the_host_of_each_record(self):
        done = blectl('scan', '-H', 'attic', '-H', 'cellar', '--name', 'Heart Strap', '--count', '2', '--json')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual({record['host'] for record in records(done.stdout)}, {'attic', 'cellar'})

    def test_a_terminal_shows_one_table_with_each_device_once(self):
        for hosts, heard, status in (['attic', 'cellar'], {'attic', 'cellar'}, 0), (['nobody', 'cellar'], {'cellar'}, 3):
            choice = [word for host in hosts for word in ('-H', host)]
            done, text = on_terminal('scan', *choice, '--duration', '5s')
            self.assertEqual(done, status, text)
            # The last table is the one that stays.
            header, *rows = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', text).rpartition('ADDRESS')[2].splitlines()
            self.assertIn('HOST', header)
            devices = [row.split() for row in rows if re.match(r'([0-9A-F]{2}:){5}[0-9A-F]{2} ', row)]
            addresses = [words[0] for words in devices]
            self.assertEqual(len(addresses), len(set(addresses)), text)
            self.assertIn('Heart Strap', text)
            self.assertTrue(addresses and {words[2] for words in devices} <= heard, text)

    def test_a_host_that_is_away_does_not_end_the_scan_of_the_other(self):
        done = blectl('scan', '-H', 'nobody', '-H', 'cellar', '--name', 'Heart Strap', '--duration', '5s', '--json')
        self.assertEqual(done.returncode, 3)
        self.assertIn('cannot reach the bus of nobody', done.stderr)
        self.assertEqual({record['host'] for record in records(done.stdout)}, {'cellar'})

    def test_only_a_scan_takes_several_hosts(self):
        done = blectl('devices', '-H', 'attic', '-H', 'cellar')
        self.assertEqual((done.returncode, done.stderr), (64, 'blectl: only scan takes several hosts\n'))


class Ends(unittest.TestCase):
    def follow(self, process, count=1):
        return [process.stdout.readline() for _ in range(count)]

    def state(self, name):
        return next(record for record in records(stage.attic.blectl('devices', '--json')) if record['name'] == name)

    def test_ctrl_c_ends_the_notifications_and_the_link(self):
        with started('subscribe', 'Heart Strap', '2a37', '-H', 'attic') as process:
            self.follow(process, 2)
            # A terminal sends it to the whole group, ssh included.
            os.killpg(process.pid, signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        # bluetoothd ends the link two seconds after Disconnect.
        with subprocess.Popen(
            [BLECTL, 'monitor', '--json', '--event', 'disconnected', '--count', '1'],
            env={**os.environ, 'DBUS_SYSTEM_BUS_ADDRESS': stage.attic.address}, stdout=subprocess.PIPE, text=True,
        ) as monitor:
            if self.state('Heart Strap')['connected']:
                self.assertEqual(json.loads(monitor.stdout.readline())['event'], 'disconnected')
            monitor.terminate()
        self.assertFalse(self.state('Heart Strap')['connected'])

    def test_a_lost_ssh_ends_a_subscription(self):
        with started('subscribe', 'Heart Strap', '2a37', '-H', 'cellar') as process:
            self.follow(process)
            stage.cellar.hang_up()
            self.assertEqual(process.wait(PATIENCE), 3)
        stage.cellar.listen()

    def test_a_lost_ssh_heals(self):
        with started('subscribe', 'Heart Strap', '2a37', '--reconnect', '--json', '-H', 'cellar') as process:
            self.follow(process, 2)
            stage.cellar.hang_up()
            stage.cellar.listen()
            for line in process.stdout:
                if json.loads(line)['event'] == 'reconnected':
                    break
            self.assertEqual(json.loads(process.stdout.readline())['event'], 'value')

    def refuse(self, host):
        """Waits until a client has tried to reach a host that is away."""
        with socket.create_server(('127.0.0.1', host.port)) as listener:
            listener.settimeout(PATIENCE)
            listener.accept()[0].close()

    def test_a_host_that_is_away_for_longer_heals(self):
        for options in ['Heart Strap', '2a37', '--reconnect'], ['Heart*', '2a37', '--all', '--reconnect']:
            with started('subscribe', *options, '--json', '-H', 'cellar') as process:
                self.follow(process, 2)
                stage.cellar.hang_up()
                self.refuse(stage.cellar)
                stage.cellar.listen()
                for line in process.stdout:
                    if json.loads(line)['event'] == 'reconnected':
                        break
                self.assertEqual(json.loads(process.stdout.readline())['event'], 'value')

    def test_a_host_that_stays_away_ends_at_the_limit(self):
        options = ['--reconnect', '--reconnect-limit', '1s', '--json']
        with started('subscribe', 'Heart Strap', '2a37', *options, '-H', 'cellar') as process:
            self.follow(process, 2)
            stage.cellar.hang_up()
            self.assertEqual(process.wait(PATIENCE), 3)
            self.assertIn('the connection to the bus is lost', process.stderr.read())
        stage.cellar.listen()

    def test_a_host_that_is_not_there_yet_is_waited_for(self):
        stage.cellar.hang_up()
        with started('subscribe', 'Heart Strap', '2a37', '--reconnect', '--count', '1', '-H', 'cellar') as process:
            self.assertEqual(process.stderr.readline(), 'waiting for the bus\n')
            self.refuse(stage.cellar)
            stage.cellar.listen()
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_a_refused_key_is_not_waited_for(self):
        done = blectl('subscribe', 'Heart Strap', '2a37', '--reconnect', '-H', 'refused')
        self.assertEqual(done.returncode, 3)
        self.assertIn('it refuses the key or password', done.stderr)

    def test_ssh_does_not_outlive_a_killed_command(self):
        with started('subscribe', 'Heart Strap', '2a37', '-H', 'attic') as process:
            self.follow(process)
            child = int(subprocess.check_output(['pgrep', '-P', str(process.pid)], text=True))
            end = os.pidfd_open(child)
            process.kill()
            process.wait()
            self.addCleanup(os.close, end)
            self.assertTrue(select.select([end], [], [], PATIENCE)[0])


class Errors(unittest.TestCase):
    def check(self, host, reason, hint, **variables):
        done = blectl('devices', '-H', host, **variables)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f'blectl: cannot reach the bus of {host}: ', done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertIn(f'hint: {hint}', done.stderr)

    def test_nobody_listens(self):
        self.check('nobody', 'Connection refused', 'ssh nobody')

    def test_the_key_is_refused(self):
        self.check('refused', 'it refuses the key or password', 'ssh refused; ssh-copy-id installs a key')

    def test_the_host_key_is_unknown(self):
        self.check('stranger', 'its host key is not the known one', 'ssh stranger, and compare the key')

    def test_the_name_is_unknown(self):
        self.check('nowhere.invalid', 'Could not resolve hostname nowhere.invalid', 'ssh nowhere.invalid')

    def test_ssh_is_missing(self):
        folder = stage.folder / 'no-ssh'
        folder.mkdir()
        for program in ('sh', 'setpriv'):
            (folder / program).symlink_to(shutil.which(program))
        self.check('attic', 'ssh is not installed', 'sudo apt install openssh-client', PATH=str(folder))

    def test_the_host_has_no_bridge(self):
        with self.hidden('systemd-stdio-bridge', 'socat', 'nc'):
            self.check('attic', 'it has no systemd-stdio-bridge, socat or nc', 'on attic: sudo apt install socat')

    def test_socat_stands_in(self):
        with self.hidden('systemd-stdio-bridge'):
            self.check('attic', 'our user needs the number 4321 here, too', 'on attic: sudo apt install systemd')
            done = blectl('devices', '-H', 'attic', user=4321)
            self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_the_bus_is_missing(self):
        run('mount', '-t', 'tmpfs', 'tmpfs', '/run/dbus')
        self.addCleanup(run, 'umount', '/run/dbus')
        self.check('attic', 'No such file or directory', 'ssh attic')

    @contextlib.contextmanager
    def hidden(self, *programs):
        """Programs that cannot be started."""
        places = [
            place
            for program in programs
            for folder in ('/usr/bin', '/bin', '/usr/local/bin', '/usr/lib/systemd', '/lib/systemd')
            if (place := os.path.realpath(f'{folder}/{program}')) and os.path.exists(place)
        ]
        for place in sorted(set(places)):
            mounted('/dev/null', place)
        try:
            yield
        finally:
            for place in sorted(set(places)):
                run('umount', place)

    def test_bad_names_are_usage_errors(self):
        for name in ('-oProxyCommand=x', 'a b', 'me@', '@attic', 'attic:0', 'attic:99999', 'a;b', '$(x)'):
            done = blectl('devices', f'--host={name}')
            self.assertEqual(done.returncode, 64, name)
            self.assertIn('is not a host', done.stderr)


if __name__ == '__main__':
    unittest.main(argv=['hosts', *sys.argv[1:]], verbosity=2)
