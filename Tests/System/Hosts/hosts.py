# SPDX-License-Identifier: MIT
"""blectl on the buses of other hosts, over ssh. run.sh starts it, as root in namespaces of its own."""

import contextlib
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

from stage import BLECTL, PATIENCE, USER, Stage, blectl, environment, mounted, on_terminal, records, run, started

stage = None


def setUpModule():
    global stage
    stage = Stage()


def tearDownModule():
    stage.close()


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
        self.assertEqual((done.returncode, done.stderr), (
            0, 'blectl: ffe3 does not offer writes without response: the device may ignore them\n'
            'handed over 300 values to Piano\n'))

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

    def test_the_table_of_the_only_host_that_was_reached_ends_with_an_error_that_names_it(self):
        stage.cellar.tell({'do': 'kill-daemon'})
        self.addCleanup(stage.cellar.tell, {'do': 'start-daemon'})
        done, text = on_terminal('scan', '-H', 'nobody', '-H', 'cellar', '--duration', '5s')
        self.assertEqual(done, 3, text)
        self.assertIn('hint: on cellar: sudo systemctl start bluetooth', text)
        self.assertIn('cannot scan on 2 of 2 hosts', text)

    def test_a_host_that_is_away_does_not_end_the_scan_of_the_other(self):
        done = blectl('scan', '-H', 'nobody', '-H', 'cellar', '--name', 'Heart Strap', '--duration', '5s', '--json')
        self.assertEqual(done.returncode, 3)
        self.assertIn('cannot reach the bus of nobody', done.stderr)
        self.assertEqual({record['host'] for record in records(done.stdout)}, {'cellar'})

    def test_a_page_has_the_sensor_of_each_host_that_hears_it(self):
        with started('scan', '-H', 'attic', '-H', 'cellar', '--name', 'Garden', '--web', '0', '--json') as process:
            for line in process.stderr:
                if found := re.search(r'the page is at (http://\S+)', line):
                    break
            # Each host has reported it.
            heard = set()
            while heard != {'attic', 'cellar'}:
                heard.add(json.loads(process.stdout.readline())['host'])

            def ask(path):
                with urllib.request.urlopen(found[1] + path, timeout=PATIENCE) as answer:
                    return answer.read().decode()

            limit = time.monotonic() + PATIENCE
            while len(devices := json.loads(ask('api/devices'))['devices']) < 2:
                self.assertLess(time.monotonic(), limit, devices)
            self.assertEqual(
                [(one['address'], one['name'], one['host']) for one in devices],
                [('C5:EA:50:00:00:01', 'Garden', host) for host in ('attic', 'cellar')],
            )
            self.assertEqual([[value['source'] for value in one['values']] for one in devices], [['bthome']] * 2)
            series = json.loads(ask('api/values?field=temperature_celsius'))['series']
            self.assertEqual([one['host'] for one in series], ['attic', 'cellar'])
            only = json.loads(ask('api/values?field=temperature_celsius&host=cellar'))['series']
            self.assertEqual([one['host'] for one in only], ['cellar'])
            metrics = ask('metrics')
            for host in 'attic', 'cellar':
                labels = f'address="C5:EA:50:00:00:01",host="{host}",source="bthome"'
                self.assertIn(f'\nblectl_temperature_celsius{{{labels}}} 25.06\n', metrics)
                self.assertIn(f'\nblectl_device_info{{address="C5:EA:50:00:00:01",host="{host}",name="Garden"}} 1.0\n', metrics)

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
            self.addCleanup(stage.cellar.listen)
            stage.cellar.hang_up()
            self.assertEqual(process.wait(PATIENCE), 3)
            self.assertIn('the connection to cellar is lost', process.stderr.read())

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


class Storm(unittest.TestCase):
    """Outages of ssh of every length, in a random order, while long commands run."""

    OUTAGES = 8

    def test_long_commands_outlive_outages_of_ssh(self):
        seed = int(os.environ.get('SEED') or time.time())
        print('seed', seed, file=sys.stderr, flush=True)
        chance = random.Random(seed)
        device, value, heal = 'Heart Strap', '2a37', ('--reconnect', '--json', '-H', 'cellar')
        commands = [
            ('subscribe', device, value, *heal),
            ('subscribe', 'Heart*', value, '--all', *heal),
            ('connect', 'Piano', '--stay', '--json', '-H', 'cellar'),
        ]
        with contextlib.ExitStack() as stack:
            processes = [stack.enter_context(started(*command)) for command in commands]
            subscriptions = processes[:2]
            for process in processes:
                self.follow(process, 'value' if process in subscriptions else 'connected')
            for _ in range(self.OUTAGES):
                seconds = 0.1 * 50 ** chance.random()
                stage.cellar.hang_up()
                time.sleep(seconds)
                stage.cellar.listen()
                for process in processes:
                    self.follow(process, 'reconnected')
                    if process in subscriptions:
                        self.follow(process, 'value')

    def follow(self, process, event):
        """Waits for an event; the end of the command, or a silence, is a failure."""
        alarm = threading.Timer(PATIENCE, process.kill)
        alarm.start()
        try:
            for line in process.stdout:
                if json.loads(line)['event'] == event:
                    return
        finally:
            alarm.cancel()
        self.fail(f'no {event}: status {process.wait(PATIENCE)}, {process.stderr.read()}')


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
