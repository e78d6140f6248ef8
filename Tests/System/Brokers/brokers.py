#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds logs at an MQTT broker to their promises: nothing is lost while it fits the buffer, and what is lost is counted.

Commands from the broker are carried out once.
"""

import collections
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from broker import Broker, until
from client import Client

BLECTL = os.environ['BLECTL']
COUNT = int(os.environ.get('COUNT', '30000'))
KILLS = int(os.environ.get('KILLS', '3'))
BUFFER = os.environ.get('BUFFER', '16M')
RATE = os.environ.get('RATE')
BENCH = 'C2:BE:7C:00:00:01'
#: Messages that may be on their way: their acknowledgement can be lost with the connection.
WINDOW = 100


class Run:
    """blectl, whose standard error can be waited for."""

    def __init__(self, folder, *arguments, env=None, prefix=()):
        self.errors_path, self.output_path = f'{folder}/errors', f'{folder}/output'
        with open(self.errors_path, 'wb') as errors, open(self.output_path, 'wb') as output:
            self.process = subprocess.Popen(
                [*prefix, BLECTL, *arguments], stdout=output, stderr=errors, env={**os.environ, **(env or {})}
            )

    def errors(self):
        with open(self.errors_path, encoding='utf-8') as file:
            return file.read()

    def lines(self):
        with open(self.output_path, encoding='utf-8') as file:
            return file.read().count('\n')

    def says(self, text):
        return lambda: text in self.errors()

    def end(self, status=0):
        code = self.process.wait()
        assert code == status, f'status {code}, not {status}: {self.errors()}'
        return self.errors()


#: Runs a command, and writes down what it took: its parent shares a process with the simulator.
MEASURE = """
import json, os, signal, subprocess, sys
# bench-world blocks the signals of what it runs.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
process = subprocess.Popen(sys.argv[2:])
with open(sys.argv[1] + '.pid', 'w') as file:
    file.write(str(process.pid))
_, code, usage = os.wait4(process.pid, 0)
with open(sys.argv[1], 'w') as file:
    json.dump([usage.ru_utime + usage.ru_stime, usage.ru_maxrss], file)
code = os.waitstatus_to_exitcode(code)
sys.exit(code if code >= 0 else 128 - code)
"""


def flooded(folder, count, *arguments, wanted=None):
    """blectl, which gets that many notifications of the bench device as fast as possible, and ends after the wanted ones."""
    world = [os.environ['BENCH_WORLD'], 'known', '--devices', '1', '--notifications', str(count)]
    world += ['--rate', RATE] if RATE else []
    command = ['subscribe', BENCH, '2a37', '--count', str(wanted or count), '--timeout', '60s', '-q', *arguments]
    measure = [sys.executable, '-c', MEASURE, f'{folder}/usage']
    return Run(folder, *command, prefix=[*world, '--', *measure])


def numbers(records):
    """The numbers in the first four bytes of the notifications, each once, in the order in which they came first."""
    values = (record['value'] for record in records if record['event'] == 'value')
    return list(dict.fromkeys(int.from_bytes(bytes.fromhex(value)[:4], 'little') for value in values))


def complete(listener):
    until(listener.ends, 'the farewell of the log')


def lost(errors, url):
    """How many records were reported as not written."""
    found = re.search(rf'(\d+) records were not written to {re.escape(url)}', errors)
    return int(found[1]) if found else 0


def test_flood(folder):
    """Every value arrives, in order, although the broker is killed and comes back."""
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        url = broker.url + '/ble'
        start = time.monotonic()
        # It waits for one more: at its end, it would not wait for the broker for long.
        run = flooded(folder, COUNT, '--log', url, '--buffer', BUFFER, wanted=COUNT + 1)
        for number in range(KILLS):
            wanted = COUNT * (number + 1) // (KILLS + 1)
            until(lambda: listener.count() >= wanted, f'message {wanted}')
            noticed = run.errors().count('kept in memory')
            broker.kill()
            until(lambda: run.errors().count('kept in memory') > noticed, 'the report of the outage')
            broker.start()
        last = (COUNT - 1).to_bytes(4, 'little').hex()
        until(lambda: f'"value":"{last}' in listener.last(), 'the last value')
        seconds = time.monotonic() - start
        with open(f'{folder}/usage.pid', encoding='utf-8') as file:
            os.kill(int(file.read()), signal.SIGINT)
        errors = run.end(130)
        complete(listener)
        assert errors.count('can be written again') == KILLS, errors
        assert 'dropped' not in errors and 'not written' not in errors, errors
        records = listener.records()
        assert numbers(records) == list(range(COUNT)), 'a value is missing, or came before an earlier one'
        assert not any(record['event'] == 'dropped' for record in records)
        twice = len(records) - COUNT - 1
        # How many is up to the broker too, which repeats to the listener what that had acknowledged too late.
        assert twice >= 0, f'{-twice} records are missing'
        with open(f'{folder}/usage', encoding='utf-8') as file:
            processor, memory = json.load(file)
        print(
            f'  {COUNT} values, the broker killed {KILLS} times: {seconds:.1f} s, '
            f'{processor / COUNT * 1e6:.1f} µs CPU a value, {memory // 1024} MB peak, {twice} came twice'
        )


def test_drops(folder):
    """Values that do not fit the buffer while the broker is away are counted: at the broker, on stderr and in the status."""
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        url = broker.url + '/ble'
        run = flooded(folder, 30_000, '--log', url, '--buffer', '64K')
        until(lambda: listener.count() >= 1000, 'a first thousand messages')
        broker.kill()
        until(run.says('is too slow: 64K wait (--buffer)'), 'the first drop')
        broker.start()
        errors = run.end(1)
        complete(listener)
        records = listener.records()
        dropped = sum(record['count'] for record in records if record['event'] == 'dropped')
        arrived = len(numbers(records))
        assert dropped > 0 and arrived + dropped == 30_000, f'{arrived} arrived, {dropped} were dropped'
        assert lost(errors, url) == dropped, errors


def test_gone(folder):
    """A broker that does not come back: the run ends, and says how many records it has not got."""
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        url = broker.url + '/ble'
        run = flooded(folder, 20_000, '--log', url)
        until(lambda: listener.count() >= 1000, 'a first thousand messages')
        broker.kill()
        missing = lost(run.end(1), url)
        broker.start()
        # All that it has acknowledged is in its memory; a last message shows that the listener has heard that.
        subprocess.run(broker.client('mosquitto_pub', '-q', '1', '-t', 'ble/status', '-m', 'offline'), check=True)
        complete(listener)
        arrived = len(numbers(listener.records())) + 1  # and the record of the link
        # A message that has arrived, but whose acknowledgement was lost, counts as missing.
        assert 20_001 <= arrived + missing <= 20_001 + WINDOW, f'{arrived} arrived, {missing} are missing'


def test_silent(folder):
    """A broker that does not answer any more: Ctrl-C still ends the command, and losses are reported."""
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        url = broker.url + '/ble'
        run = Run(folder, 'subscribe', 'Heart Strap', '2a37', '--simulate', '--log', url)
        until(lambda: listener.count() >= 3, 'the first values')
        broker.send(signal.SIGSTOP)
        before = run.lines()
        until(lambda: run.lines() > before, 'a value that the broker does not get')
        run.process.send_signal(signal.SIGINT)
        errors = run.end(-signal.SIGINT)
        assert re.search(r'blectl: \d+ records? (was|were) not written', errors), errors


def test_absent(folder):
    """No broker at the start: an error, or with --reconnect a wait for it."""
    with Broker(folder) as broker:
        broker.kill()
        url = broker.url + '/ble'
        command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--count', '3', '--log', url]
        errors = Run(folder, *command).end(1)
        assert f'blectl: cannot write {url}: Connection refused\nhint: check that a broker listens' in errors, errors
        run = Run(folder, *command[:-2], '--count', '20', '--log', url, '--reconnect')
        until(run.says('Connection refused; trying again'), 'the report of the missing broker')
        broker.start()
        with broker.listen('ble/#') as listener:
            run.end()
            complete(listener)
            assert sum(record['event'] == 'value' for record in listener.records()) == 20


def test_password(folder):
    """A user and a password, from the environment or a file; a wrong one ends the command, also with --reconnect."""
    subprocess.run(['mosquitto_passwd', '-c', '-b', f'{folder}/users', 'anna', 'secret'], check=True)
    with Broker(folder, f'allow_anonymous false\npassword_file {folder}/users') as broker:
        with open(f'{folder}/secret', 'w', encoding='utf-8') as file:
            file.write('secret\n')
        command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--count', '1', '--log']
        url = f'mqtt://anna@127.0.0.1:{broker.port}/ble'
        for env in {'BLECTL_MQTT_PASSWORD': 'secret'}, {'BLECTL_MQTT_PASSWORD_FILE': f'{folder}/secret'}:
            with broker.listen('ble/#', '-u', 'anna', '-P', 'secret') as listener:
                Run(folder, *command, url, env=env).end()
                complete(listener)
                assert any(record['event'] == 'value' for record in listener.records())
        for more in [], ['--reconnect']:
            errors = Run(folder, *command, url, *more, env={'BLECTL_MQTT_PASSWORD': 'wrong'}).end(1)
            assert f'blectl: cannot write {url}: not authorised\nhint: put the password into' in errors, errors
            assert 'wrong' not in errors, errors
        errors = Run(folder, *command, broker.url + '/ble').end(1)
        assert 'not authorised\nhint: name the user in the URL: mqtt://USER@HOST/TOPIC' in errors, errors
        errors = Run(folder, *command, url, env={'BLECTL_MQTT_PASSWORD_FILE': f'{folder}/none'}).end(64)
        assert 'No such file or directory' in errors, errors


def test_tls(folder):
    """A certificate is checked: by its authority, and by the name of the host."""
    authority, certificate = f'{folder}/ca.pem', f'{folder}/cert.pem'

    def openssl(*arguments):
        subprocess.run(['openssl', *arguments], check=True, stderr=subprocess.DEVNULL)

    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Test authority',
            '-keyout', f'{folder}/ca.key', '-out', authority)  # fmt: skip
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost',
            '-keyout', f'{folder}/key.pem', '-out', f'{folder}/request.pem')  # fmt: skip
    with open(f'{folder}/names', 'w', encoding='utf-8') as file:
        file.write('subjectAltName=DNS:localhost\n')
    openssl('x509', '-req', '-in', f'{folder}/request.pem', '-CA', authority, '-CAkey', f'{folder}/ca.key',
            '-CAcreateserial', '-days', '2', '-extfile', f'{folder}/names', '-out', certificate)  # fmt: skip
    settings = f'allow_anonymous true\ncertfile {certificate}\nkeyfile {folder}/key.pem'
    with Broker(folder, settings, host='localhost') as broker:
        command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--count', '3', '--log']
        url = f'mqtts://localhost:{broker.port}/ble'
        with broker.listen('ble/#', '--cafile', authority) as listener:
            Run(folder, *command, url, env={'BLECTL_MQTT_CA_FILE': authority}).end()
            complete(listener)
            assert sum(record['event'] == 'value' for record in listener.records()) == 3
        errors = Run(folder, *command, url).end(1)
        assert f'blectl: cannot write {url}: certificate verify failed\nhint: set BLECTL_MQTT_CA_FILE' in errors, errors
        other = f'mqtts://127.0.0.1:{broker.port}/ble'
        errors = Run(folder, *command, other, env={'BLECTL_MQTT_CA_FILE': authority}).end(1)
        assert f'blectl: cannot write {other}: ' in errors and 'verif' in errors, errors
        assert 'hint: in the URL, use a name of the broker that its certificate has' in errors, errors
        errors = Run(folder, *command, url, env={'BLECTL_MQTT_CA_FILE': f'{folder}/none'}).end(1)
        assert f'cannot read certificates from {folder}/none' in errors, errors
        # Without encryption on our side, the broker hangs up.
        errors = Run(folder, *command, url.replace('mqtts', 'mqtt'), '--timeout', '5s').end(1)
        assert f'blectl: cannot write mqtt://localhost:{broker.port}/ble: ' in errors, errors


def test_interrupted_handshake(folder):
    """Where a connection ends before the certificate is known, the broker is waited for."""
    with socket.create_server(('localhost', 0)) as listener:
        url = f'mqtts://localhost:{listener.getsockname()[1]}/ble'

        def hang_up():
            with contextlib.suppress(OSError):
                while True:
                    listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--count', '3', '--log', url]
        errors = Run(folder, *command).end(1)
        assert f'blectl: cannot write {url}: ' in errors and 'hint: check that a broker listens' in errors, errors
        run = Run(folder, *command, '--reconnect')
        until(run.says('trying again'), 'that it goes on')
        errors = run.end(1)
        assert 'were not written to' in errors, errors
        listener.shutdown(socket.SHUT_RDWR)


def test_status(folder):
    """The broker keeps whether the log is being written, also when the process was killed."""
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--log', broker.url + '/ble']
        for number in signal.SIGKILL, signal.SIGINT:
            run = Run(folder, *command)
            before = listener.count()
            until(lambda: listener.count() >= before + 3, 'some values')
            assert broker.retained('ble/#') == {'ble/status': 'online'}
            run.process.send_signal(number)
            run.end(-number)
            complete(listener)
            assert broker.retained('ble/#') == {'ble/status': 'offline'}


def test_assistant(folder):
    """The broker keeps the discovery messages of Home Assistant, and a broker that forgot them gets them again."""
    with Broker(folder, persistent=False) as broker:
        url = broker.url + '/ble'
        command = ['subscribe', 'Thermometer', '2a6e', '2a1c', '--simulate', '--log', url, '--home-assistant']
        run = Run(folder, *command)
        for _ in range(2):
            until(lambda: len(components(broker)) == 2, 'two announcements')
            for config in announced(broker):
                assert config['avty'] == [{'t': 'ble/status'}] and config['dev']['name'] == 'Thermometer', config
            for component in components(broker).values():
                assert component['unit_of_meas'] == '°C' and component['dev_cla'] == 'temperature', component
                # The value that it names is kept where it says.
                assert key_of(component) in json.loads(broker.retained(component['stat_t'])[component['stat_t']])['decoded']
            assert broker.retained('ble/status') == {'ble/status': 'online'}
            broker.kill(signal.SIGKILL)
            broker.start()
        run.process.send_signal(signal.SIGINT)
        run.end(-signal.SIGINT)


def test_two_gateways(folder):
    """Home Assistant gets sensors of each gateway that hears a device, with names, identifiers and values of their own."""
    gateways = 'attic', 'cellar'
    with Broker(folder) as broker, broker.listen('ble/#') as listener:
        runs = []
        for gateway in gateways:
            os.mkdir(f'{folder}/{gateway}')
            command = ['listen', 'Garden', '--simulate', '--log', f'{broker.url}/ble/{gateway}', '--home-assistant']
            runs.append(Run(f'{folder}/{gateway}', *command))

        def of_both():
            return [
                {uid: one for uid, one in components(broker).items() if one['stat_t'].startswith(f'ble/{gateway}/')}
                for gateway in gateways
            ]

        # Temperature, humidity, battery and signal strength.
        until(lambda: all(len(sensors) >= 4 for sensors in of_both()), 'the announcements of both')
        attic, cellar = of_both()
        # Of one device: what the two hear stands together.
        configs = []
        until(lambda: configs.extend(announced(broker)) or configs, 'the announcements')
        devices = {json.dumps(config['dev'], sort_keys=True) for config in configs}
        assert len(devices) == 1, devices
        for run in runs:
            run.process.send_signal(signal.SIGINT)
            run.end(-signal.SIGINT)
        until(lambda: sum(text == 'offline' for _, text in listener.messages()) >= 2, 'both farewells')
        heard = [(topic, json.loads(text)) for topic, text in listener.messages() if text.startswith('{')]
        for gateway, sensors in zip(gateways, (attic, cellar)):
            for sensor in sensors.values():
                assert sensor['name'].endswith(f' ({gateway})'), sensor
                assert sensor['stat_t'] == f'ble/{gateway}/C5:EA:50:00:00:01/state/bthome', sensor
                assert any(topic == sensor['stat_t'] and key_of(sensor) in one['decoded'] for topic, one in heard), sensor
        assert not set(attic) & set(cellar), 'two sensors have one identifier'
        assert {name.replace('attic', 'cellar') for name in attic} == set(cellar), (attic, cellar)


def announced(broker):
    """The announcements for Home Assistant that the broker keeps."""
    return [json.loads(text) for text in broker.retained('homeassistant/device/+/config').values()]


def components(broker):
    """The entities in them, by their identifiers."""
    return {one['uniq_id']: one for config in announced(broker) for one in config['cmps'].values()}


def key_of(component):
    return re.search(r"decoded\.get\('(\w+)'\)", component['val_tpl'])[1]


def test_records(folder):
    """scan and monitor log their records too, each under what it is about."""
    with Broker(folder) as broker:
        for command, event in (['scan', '--count', '2'], 'found'), (['monitor', '--scan', '--count', '4'], 'found'):
            with broker.listen('ble/#') as listener:
                Run(folder, *command, '--simulate', '--json', '--log', broker.url + '/ble').end()
                complete(listener)
                with open(f'{folder}/output', encoding='utf-8') as output:
                    printed = [line.rstrip('\n') for line in output]
                heard = [(topic, text) for topic, text in listener.messages() if text.startswith('{')]
                assert [text for _, text in heard] == printed
                assert any(json.loads(text)['event'] == event for text in printed)
                for topic, text in heard:
                    record = json.loads(text)
                    subject = record['adapter'] if record['event'].startswith('adapter') else record['address']
                    assert topic == f'ble/{subject}', (topic, text)


def test_own(folder):
    """The numbers of a profile are announced by their names, and published where the announcements say."""
    hive = os.path.join(os.path.dirname(__file__), '../../../Examples/hive')
    with Broker(folder, persistent=False) as broker, broker.listen('ble/#') as listener:
        env = {'BLECTL_PROFILE': f'{hive}/profile.json', 'XDG_CONFIG_HOME': folder}
        command = ['subscribe', 'Hive Scale', 'climate', 'imu', '--count', '6', f'--simulate={hive}/world.json']
        Run(folder, *command, '--log', broker.url + '/ble', '--home-assistant', env=env).end()
        complete(listener)
        kept = components(broker).values()
        named = {one['name']: (one.get('unit_of_meas'), one.get('dev_cla')) for one in kept if 'unit_of_meas' in one}
        assert named == {
            'Temperature': ('°C', 'temperature'),
            'Humidity': ('%', 'humidity'),
            'Pressure': ('Pa', 'pressure'),
            'Ax': ('m/s²', None),
            'Ay': ('m/s²', None),
            'Az': ('m/s²', None),
        }, named
        for one in kept:
            states = [json.loads(text) for topic, text in listener.messages() if topic == one['stat_t']]
            assert states and all(key_of(one) in state['decoded'] for state in states), one


#: A device that notifies what is written to it, and has values to read and write.
ECHO = {
    'peripherals': [
        {
            'address': 'C0:FF:EE:00:00:01',
            'name': 'Echo',
            'services': [
                {
                    'uuid': 'fff0',
                    'characteristics': [
                        {'uuid': 'fff1', 'properties': ['write'], 'on_write': {'echo': 'fff2'}},
                        {'uuid': 'fff2', 'properties': ['notify']},
                        {'uuid': 'fff3', 'properties': ['read', 'write', 'notify'], 'value': '32'},
                        {'uuid': 'fff4', 'properties': ['write']},
                        {'uuid': 'fff5', 'properties': ['write'], 'on_write': 'hang_up'},
                    ],
                }
            ],
        }
    ]
}
#: What the values of the device mean.
ECHO_PROFILE = {
    'characteristics': [
        {'uuid': 'fff3', 'name': 'brightness', 'layout': 'level=u8*0.5%'},
        {'uuid': 'fff4', 'name': 'lamp', 'layout': 'lit=bool'},
    ]
}
DEVICE = 'ble/C0:FF:EE:00:00:01'


@contextlib.contextmanager
def controlled(folder, broker, *options):
    """blectl, which takes commands for the device that echoes."""
    for name, content in ('world', ECHO), ('profile', ECHO_PROFILE):
        with open(f'{folder}/{name}.json', 'w', encoding='utf-8') as file:
            json.dump(content, file)
    command = ['subscribe', 'Echo', 'fff2', '--json', f'--simulate={folder}/world.json', '--log', broker.url + '/ble']
    env = {'BLECTL_PROFILE': f'{folder}/profile.json', 'XDG_CONFIG_HOME': folder}
    run = Run(folder, *command, '--buffer', BUFFER, *options, env=env)
    try:
        yield run
        run.process.send_signal(signal.SIGINT)
        run.end(-signal.SIGINT)
    finally:
        run.process.kill()
        run.process.wait()


def command(broker, number, count, heard, sent):
    """One of several clients: writes values, each with an id, and repeats each until it has its answer; returns the answers."""
    name = f'client{number}'
    wanted = {f'{name}-{index}': f'{number:02x}{index:06x}' for index in range(count)}
    answers, due = collections.defaultdict(list), {}
    with Client(broker, name, f'{DEVICE}/fff1/result') as client:
        while len(answers) < count:
            try:
                if not client.is_open and not client.connect():
                    time.sleep(0.05)
                    continue
                for identifier in [one for one in wanted if one not in answers][:20]:
                    if due.get(identifier, 0) < time.monotonic():
                        client.publish(f'{DEVICE}/fff1/set', json.dumps({'id': identifier, 'value': wanted[identifier]}))
                        due[identifier] = time.monotonic() + 2
                        sent[identifier] += 1
                for _, answer in client.hear(0.1):
                    answer = json.loads(answer)
                    if answer['id'] in wanted:
                        answers[answer['id']].append(answer)
                        heard.add(answer['id'])
            except OSError:
                client.close()
                due.clear()
    return {identifier: (wanted[identifier], answers[identifier]) for identifier in wanted}


def test_control(folder):
    """Commands of four clients are carried out once each, although the broker is killed twice and the clients repeat them."""
    clients, total = 4, int(os.environ.get('COMMANDS', '1000'))
    with Broker(folder) as broker, concurrent.futures.ThreadPoolExecutor(clients) as pool:
        with controlled(folder, broker, '--mqtt-control', 'fff1') as run:
            heard, sent = set(), collections.Counter()
            futures = [pool.submit(command, broker, number, total // clients, heard, sent) for number in range(clients)]
            for kill in 1, 2:
                until(lambda: len(heard) >= total * kill // 3, 'a third of the answers')
                noticed = run.errors().count('cannot take commands from')
                broker.kill(signal.SIGKILL)
                until(lambda: run.errors().count('cannot take commands from') > noticed, 'the report of the outage')
                broker.start()
            outcomes = {key: value for future in futures for key, value in future.result().items()}
            done = {value for value, answers in outcomes.values() if answers[0]['status'] == 'done'}
            with open(run.output_path, encoding='utf-8') as file:
                read = lambda: [json.loads(line) for line in file.read().splitlines() if '"value"' in line]  # noqa: E731
                records = []
                until(lambda: records.extend(read()) or len(records) >= len(done), 'the last notification')
            written = collections.Counter(record['value'] for record in records)
    assert len(outcomes) == total, len(outcomes)
    for identifier, (_, answers) in outcomes.items():
        assert all(answer == answers[0] for answer in answers), f'{identifier}: {answers}'
        assert answers[0]['status'] in ('done', 'unknown'), f'{identifier}: {answers}'
    assert set(written) >= done, f'{len(done - set(written))} were answered, but not carried out'
    twice = [value for value, count in written.items() if count > 1]
    assert not twice, f'{len(twice)} were carried out more than once'
    repeated = sum(sent.values()) - total
    print(f'  {total} commands, the broker killed twice: {len(done)} done, {repeated} were sent again')


def test_commands(folder):
    """Commands are answered: what was done and read, and why something was not."""
    with Broker(folder) as broker, Client(broker, 'anna', 'ble/#') as client:
        client.publish(f'{DEVICE}/fff1/set', '{"id":"old","value":"01"}', retain=True)
        names = ['fff1', 'brightness', 'lamp', 'fff5']
        controls = [word for name in names for word in ('--mqtt-control', name)]
        with controlled(folder, broker, *controls, '--home-assistant', '--reconnect') as run:
            answers = []

            def answered():
                found = [(topic, json.loads(text)) for topic, text in client.hear(0.1) if topic.endswith('/result')]
                answers.extend(found)
                return answers

            def ask(place, payload=''):
                answers.clear()
                client.publish(f'{DEVICE}/{place}', payload)
                until(answered, f'the answer to {place} {payload}')
                assert answers[0][0] == f'{DEVICE}/{place.rpartition("/")[0]}/result', answers
                return answers[0][1]

            until(answered, 'the answer to the retained command')
            assert answers == [
                (f'{DEVICE}/fff1/result',
                 {'id': 'old', 'status': 'failed', 'error': 'a retained message is not carried out'}),
            ], answers  # fmt: skip
            # Until the link is open, there is none.
            until(lambda: ask('fff1/set', 'u8:7') == {'status': 'done'}, 'the link')
            until(lambda: run.lines() >= 2, 'the notification of what was written')
            assert ask('brightness/get', '{"id":"a"}') == {
                'id': 'a', 'status': 'done', 'value': '32', 'decoded': {'level_percent': 25.0}
            }  # fmt: skip
            assert ask('brightness/set', 'level=12.5') == {'status': 'done'}
            assert ask('fff3/get')['value'] == '19'
            # The id is known: the value is not written, but its answer comes again.
            first = ask('fff3/set', '{"id":"b","value":"01"}')
            assert ask('fff3/set', '{"id":"b","value":"02"}') == first == {'id': 'b', 'status': 'done'}
            assert ask('fff3/get')['value'] == '01'
            wrong = {
                ('fff2/set', '01'): '--mqtt-control does not name fff2',
                ('2a00/get', ''): 'cannot find 2a00 on Echo: no such characteristic',
                ('brightness/set', 'level=1000'): "'1000' is out of range: 0.0 to 127.5",
                ('fff1/set', '@/etc/hostname'): 'is a file or the input of this machine',
                ('fff1/set', '-'): 'is a file or the input of this machine',
                ('fff1/set', 'x' * 20_000): 'the payload is too long',
                ('fff1/set', '{"value":1}'): 'the value is no text',
                ('fff1/get', ''): 'cannot read fff1 of Echo',
                ('fff1/get', '01'): 'the payload of get is empty',
            }
            for (place, payload), reason in wrong.items():
                answer = ask(place, payload)
                assert answer['status'] == 'failed' and reason in answer['error'], (place, payload[:80], answer)
            assert ask('fff5/set', '01')['status'] in ('done', 'unknown')
            kept = components(broker)
            numbers_ = {one['p']: one for uid, one in kept.items() if 'control' in uid}
            assert set(numbers_) == {'number', 'switch'}, kept
            number, switch = numbers_['number'], numbers_['switch']
            assert (number['min'], number['max'], number['step']) == (0, 127.5, 0.5), number
            assert number['cmd_t'] == f'{DEVICE}/fff3/set', number
            until(lambda: 'no link' not in ask('fff4/set', switch['pl_on']).get('error', ''), 'the next link')
            assert ask('fff4/set', switch['pl_off']) == {'status': 'done'}
            until(
                lambda: ask('fff3/set', number['cmd_tpl'].replace('{{ value }}', '50')) == {'status': 'done'},
                'the number',
            )
            assert ask('fff3/get')['decoded'] == {'level_percent': 50.0}


def test_library(folder):
    """Without the library, the error names the package."""
    library = subprocess.run(
        "ldconfig -p | sed -nE 's/.*libmosquitto\\.so\\.1 .*=> //p'", shell=True, stdout=subprocess.PIPE, check=True
    ).stdout.decode().split()[0]
    hidden = ['unshare', '--mount', '--map-root-user', 'sh', '-c', f'mount --bind /dev/null {library} && exec "$@"', '-']
    command = ['subscribe', 'Heart Strap', '2a37', '--simulate', '--log', 'mqtt://127.0.0.1/ble']
    errors = Run(folder, *command, prefix=hidden).end(1)
    assert 'libmosquitto is not installed (' in errors and 'hint: sudo apt install libmosquitto1' in errors, errors


def main():
    tests = {name.removeprefix('test_'): body for name, body in globals().items() if name.startswith('test_')}
    wanted = sys.argv[1:] or list(tests)
    for name in wanted:
        assert name in tests, f'no such test: {name} (there are: {" ".join(tests)})'
        print(f'brokers: {name}', flush=True)
        with tempfile.TemporaryDirectory() as folder:
            tests[name](folder)
    print(f'brokers: {len(wanted)} tests passed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
