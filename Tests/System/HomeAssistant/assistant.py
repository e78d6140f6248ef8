#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a real Home Assistant makes of what blectl announces: its entities, their states and its log; not our messages."""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from homeassistant.components.binary_sensor import BinarySensorDeviceClass
from homeassistant.components.event import EventDeviceClass
from homeassistant.components.sensor.const import DEVICE_CLASS_STATE_CLASSES, DEVICE_CLASS_UNITS, SensorDeviceClass

from broker import Broker, free_port, until
from simulation import Simulation

BLECTL = os.environ['BLECTL']
#: Within this time, Home Assistant shows the truth after a restart.
SOON = 10


class House:
    """A Home Assistant that listens to a broker, or to nothing yet."""

    def __init__(self, folder, broker=None, **components):
        self.folder = folder / 'house'
        self.folder.mkdir(exist_ok=True)
        http = {'server_host': ['127.0.0.1'], 'server_port': free_port()}
        mqtt = [{'domain': 'mqtt', 'data': {'broker': '127.0.0.1', 'port': broker.port}, 'minor_version': 2}] if broker else []
        self.setup = json.dumps({'components': {'http': http, **components}, 'entries': mqtt})
        self.errors = folder / 'house.log'

    def __enter__(self):
        script = pathlib.Path(__file__).with_name('house.py')
        with open(self.errors, 'ab') as errors:
            self.process = subprocess.Popen(
                [sys.executable, script, self.folder, self.setup],
                # The adapters of this machine are not its own.
                env=os.environ | {'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nonexistent'},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        assert self.answer() == 'started'
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.process.stdin.close()
        self.process.wait()
        self.__enter__()

    def answer(self):
        line = self.process.stdout.readline()
        assert line, f'Home Assistant has ended: {self.errors.read_text()}'
        return json.loads(line)

    def ask(self, *question):
        for run in Run.current:
            run.check()
        self.process.stdin.write(json.dumps(question) + '\n')
        self.process.stdin.flush()
        return self.answer()

    def state(self, identifier):
        """The state of an entity by its unique identifier; None if there is none."""
        entity = self.ask('entities').get(identifier)
        return entity and self.ask('states').get(entity['entity_id'], {}).get('state')

    def shows(self, wanted, within=None):
        """Waits until entities have states; `within` some seconds."""
        start = time.monotonic()
        shown = {}

        def matches():
            shown.update({identifier: self.state(identifier) for identifier in wanted})
            late = within is not None and time.monotonic() - start > within
            assert not late, f'Home Assistant shows {shown} after {within} s, not {wanted}'
            return shown == wanted

        until(matches, f'{wanted}')

    def is_calm(self):
        """Checks that nothing that a person should read is in the log.

        A restarted broker does not count, nor what Home Assistant says of itself: when it first loads several platforms, without a
        program for sound, and as its dialogue tries without a key.
        """
        own = (
            'homeassistant.components.mqtt.client', 'async_forward_entry_setups for integration mqtt', 'haffmpeg',
            'Connection requires encryption', 'Invalid encryption key',
        )  # fmt: skip
        lines = [line for line in self.ask('log') if not any(word in line for word in own)]
        assert not lines, '\n'.join(lines)


class Run:
    """A command of blectl that announces to Home Assistant."""

    #: Those that go on until they are ended.
    current = []

    def __init__(self, folder, broker, topic, *words):
        self.errors = folder / f'errors-{topic.replace("/", "-")}'
        command = [BLECTL, *words, '--log', f'{broker.url}/{topic}', '--home-assistant']
        with open(self.errors, 'wb') as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)

    def __enter__(self):
        Run.current.append(self)
        return self

    def __exit__(self, *_):
        if self in Run.current:
            self.end()

    def check(self):
        assert self.process.poll() is None, f'the command has ended: {self.errors.read_text()}'

    def end(self, number=signal.SIGTERM):
        Run.current.remove(self)
        self.process.send_signal(number)
        self.process.wait()

    def wait(self):
        self.process.wait()
        return self.errors.read_text()


def sensor(address, name, *values):
    """A sensor of BTHome: its data, each for some seconds, the last for ever."""
    sequence = [{'value': value, 'for': time} for value, time in values]
    data = values[0][0] if len(values) == 1 else {'sequence': sequence}
    advertisement = {'connectable': False, 'service_data': {'fcd2': data}}
    return {'address': address, 'name': name, 'rssi': -60, 'advertisement': advertisement}


def world(path, *peripherals):
    path.write_text(json.dumps({'peripherals': peripherals}))
    return f'--simulate={path}'


FREEZER, GONE = 'C5:EA:50:00:00:01', 'C5:EA:50:00:00:02'
COLD, WARM = '400230f8', '400264ff'
ALARM = ['--when', 'temperature_celsius > -15', '--absent', '4s']


def entity(topic, address, word):
    return f'blectl_{topic}_{address.replace(":", "").lower()}_{word}'


def named(topic):
    """The entities of the freezer and of the device that goes, by short names."""
    alarm = 'alarm_temperature_celsius_-3e_-2d15'
    return {
        'alarm': entity(topic, FREEZER, alarm), 'warmth': entity(topic, FREEZER, 'bthome_temperature_celsius'),
        'there': entity(topic, FREEZER, 'presence'), 'gone': entity(topic, GONE, 'presence'),
        'last': entity(topic, GONE, 'bthome_temperature_celsius'),
    }  # fmt: skip


def test_alarm(folder, broker, house):
    """The first alarm and the first absence of an empty broker arrive, and all is true again after each restart."""
    names = named('attic')
    going = sensor(GONE, 'Gone', (WARM, '1s')) | {'vanishes_after': '2s'}
    bad = world(folder / 'bad.json', sensor(FREEZER, 'Freezer', (COLD, '5s'), (WARM, '1000s')), going)
    good = world(folder / 'good.json', sensor(FREEZER, 'Freezer', (COLD, '1s')), sensor(GONE, 'Gone', (COLD, '1s')))
    alarming = {names['alarm']: 'on', names['warmth']: '-1.56', names['there']: 'on', names['gone']: 'off',
                names['last']: 'unavailable'}  # fmt: skip
    calm = {names['alarm']: 'off', names['warmth']: '-20.0', names['there']: 'on', names['gone']: 'on',
            names['last']: '-20.0'}  # fmt: skip
    listen = ['listen', 'Freezer', 'Gone', *ALARM]
    with Run(folder, broker, 'ble/attic', *listen, bad) as run:
        house.shows(alarming)
        history = house.ask('past')
        alarm = house.ask('entities')[names['alarm']]['entity_id']
        seen = [state for entity_id, state in history if entity_id == alarm]
        assert seen[-2:] == ['off', 'on'], seen
        house.is_calm()
        # Home Assistant is restarted.
        house.restart()
        house.shows(alarming, SOON)
        # So is the broker, which has forgotten everything.
        broker.kill(signal.SIGKILL)
        broker.start()
        # Home Assistant itself tries again every ten seconds.
        until(lambda: broker.retained('ble/attic/status') == {'ble/attic/status': 'online'}, 'the return of the log')
        house.shows(alarming, 2 * SOON)
        # What Home Assistant says of its lost broker.
        house.ask('log')
        run.end(signal.SIGKILL)
    house.shows(dict.fromkeys(alarming, 'unavailable'), SOON)
    # And blectl, when all is well again.
    with Run(folder, broker, 'ble/attic', *listen, good) as run:
        house.shows(calm, SOON)
        run.end()
    # Without alarms and absences, nothing stays of them.
    with Run(folder, broker, 'ble/attic', 'listen', 'Freezer', good) as run:
        house.shows({names['alarm']: None, names['there']: None, names['warmth']: '-20.0', names['gone']: None}, SOON)
    house.shows({names['warmth']: 'unavailable'}, SOON)
    house.is_calm()


def test_failure(folder, broker, house):
    """A command that fails early is not available, also if the one before was."""
    topic, name = 'ble/early', entity('early', FREEZER, 'bthome_temperature_celsius')
    path = world(folder / 'early.json', sensor(FREEZER, 'Freezer', (COLD, '1s')))
    with Run(folder, broker, topic, 'listen', 'Freezer', path):
        house.shows({name: '-20.0'})
    for place in path, '--bus=unix:path=/nonexistent':
        words = ['subscribe', 'Nobody', '2a6e', '--timeout', '1s', place]
        Run(folder, broker, topic, *words).wait()
        assert broker.retained(f'{topic}/status') == {f'{topic}/status': 'offline'}, words
        house.shows({name: 'unavailable'}, SOON)


def test_shared(folder, broker, house):
    """A second command on the topic of one that goes on takes nothing away when it ends; both say so."""
    topic, name = 'ble/shared', entity('shared', FREEZER, 'bthome_temperature_celsius')
    path = world(folder / 'shared.json', sensor(FREEZER, 'Freezer', (COLD, '1s')), sensor(GONE, 'Gone', (COLD, '1s')))
    (folder / 'second').mkdir()
    with Run(folder, broker, topic, 'listen', 'Freezer', path) as run:
        house.shows({name: '-20.0'})
        second = Run(folder / 'second', broker, topic, 'listen', 'Gone', path, '--duration', '3s').wait()
        until(lambda: broker.retained(f'{topic}/status') == {f'{topic}/status': 'online'}, 'the return of the log')
        house.shows({name: '-20.0'}, SOON)
        run.check()
        for errors in second, run.errors.read_text():
            assert 'needs a topic of its own' in errors, errors
    house.shows({name: 'unavailable'}, SOON)
    assert broker.retained(f'{topic}/status') == {f'{topic}/status': 'offline'}


def test_short_cleaning(folder, broker, house):
    """A command that ends before two minutes removes what is not announced any more when it ends."""
    both = world(folder / 'short.json', sensor(FREEZER, 'Freezer', (COLD, '1s')), sensor(GONE, 'Gone', (COLD, '1s')))
    names = [entity('short', address, 'bthome_temperature_celsius') for address in (FREEZER, GONE)]
    with Run(folder, broker, 'ble/short', 'listen', 'Freezer', 'Gone', both):
        house.shows(dict.fromkeys(names, '-20.0'))
    run = Run(folder, broker, 'ble/short', 'listen', 'Freezer', '--duration', '10s', both, '--home-assistant-clean')
    errors = run.wait()
    assert run.process.returncode == 0, errors
    until(lambda: names[1] not in house.ask('entities'), 'the removal of the entity')
    assert names[0] in house.ask('entities')
    assert not broker.retained(f'ble/short/{GONE}/#')


def test_names(folder, broker, house):
    """Names that a person would choose: also of twins, of types that are not ASCII, and one that is heard late."""

    def service(*values):
        notifies = {'every': '500ms', 'list': values}
        return {'uuid': '181a', 'characteristics': [
            {'uuid': '2a6e', 'properties': ['read', 'notify'], 'value': values[0], 'notifies': notifies},
        ]}  # fmt: skip

    twin, late = 'C5:EA:50:00:00:10', 'C5:EA:50:00:00:21'
    path = world(
        folder / 'twins.json', {'address': twin, 'name': 'Twin', 'services': [service('6608', '6708'), service('0a00', '0b00')]}
    )
    with Run(folder, broker, 'ble', 'subscribe', 'Twin', '@0007', '@000b', path):
        until(lambda: len(mine(house, twin)) == 2, 'the twins')
        shown, entities = house.ask('states'), mine(house, twin).values()
        names = sorted(entity['name'] for entity in entities)
        assert names == ['Temperature @0007', 'Temperature @000b'], names
        # Each has its own values: the one is warm, the other cold.
        until(lambda: all(house.ask('states')[one['entity_id']]['state'] not in ('unknown', 'unavailable')
                          for one in entities), 'their values')  # fmt: skip
        shown = sorted(float(house.ask('states')[one['entity_id']]['state']) for one in entities)
        assert shown[0] < 1 and shown[1] > 21, shown
    profile = folder / 'profile.json'
    advertisements = [
        {'company': 'ffff', 'prefix': f'0{number}', 'name': kind, 'layout': 'warmth=i8°C'}
        for number, kind in enumerate(('日本', '中文'))
    ]
    profile.write_text(json.dumps({'advertisements': advertisements}, ensure_ascii=False))
    own = {'address': late, 'name': 'Late', 'rssi': -60} | {'faults': [{'do': 'lose-names', 'times': 4}], 'advertisement': {'connectable': False,
        'manufacturer_data': {'ffff': {'sequence': [{'value': '0014', 'for': '1s'}, {'value': '0115', 'for': '1s'}]}}}}  # fmt: skip
    os.environ['BLECTL_PROFILE'] = str(profile)
    with Run(folder, broker, 'ble', 'listen', late, world(folder / 'late.json', own)):
        until(lambda: len(mine(house, late)) == 3, 'three entities')
        until(lambda: 'Late' in {device['name'] for device in house.ask('devices').values()}, 'the name')
        # What a person reads: the registry keeps the name of the first until it is loaded again.
        wanted = [f'Late {name}' for name in ('Signal strength', '中文 warmth', '日本 warmth')]
        until(lambda: titles(house, late) == wanted, f'the names {wanted}')
    del os.environ['BLECTL_PROFILE']
    house.is_calm()


def mine(house, address):
    number = address.replace(':', '').lower()
    return {identifier: entity for identifier, entity in house.ask('entities').items() if number in identifier}


def titles(house, address):
    states = house.ask('states')
    return sorted(states[one['entity_id']]['friendly_name'] for one in mine(house, address).values())


def test_fields(folder, broker, house):
    """Every field of every format is accepted without a warning, with classes and units that Home Assistant has."""
    del folder
    lines = subprocess.run([os.environ['ALL_FIELDS']], stdout=subprocess.PIPE, check=True, text=True).stdout
    announcements, states = lines.split('\n\n', 1)
    announcements = announcements.splitlines()
    components = []
    for line in announcements:
        config = json.loads(line.split('\t', 1)[1])
        components += config['cmps'].values()
    for component in components:
        judge(component)
    assert len(components) > 700, len(components)
    client = publisher(broker)
    client.publish('fields/status', 'online', retain=True)
    for line in announcements:
        client.publish(*line.split('\t', 1), qos=1).wait_for_publish()
    wanted = {component['uniq_id']: component for component in components}
    assert len(wanted) == len(components), 'two entities have one identifier'
    until(lambda: wanted.keys() <= house.ask('entities').keys(), 'all entities')
    for line in filter(None, states.splitlines()):
        client.publish(*line.split('\t', 1), qos=1).wait_for_publish()
    client.publish('fields/end', '').wait_for_publish()
    events = {uid for uid, component in wanted.items() if component['p'] == 'event'}

    def settled():
        entities, shown = house.ask('entities'), house.ask('states')
        return [uid for uid in wanted.keys() - events if shown[entities[uid]['entity_id']]['state'] == 'unavailable']

    until(lambda: not settled(), 'the states of all entities')
    house.is_calm()
    entities, shown = house.ask('entities'), house.ask('states')
    for uid, component in wanted.items():
        state, platform = shown[entities[uid]['entity_id']], entities[uid]['entity_id'].split('.')[0]
        assert platform == component['p'], (uid, platform)
        # A person may choose another unit.
        for key, attribute in (('dev_cla', 'device_class'), ('stat_cla', 'state_class')):
            assert state.get(attribute) == component.get(key), (uid, state, component)
    # Events are not retained, and Home Assistant subscribes to their topics some time after it knows the entities.
    sent = [line for line in states.splitlines() if '/event/' in line.split('\t', 1)[0]]
    happening = {line.split('\t', 1)[0] for line in sent}
    awaited = {uid for uid in events if wanted[uid]['stat_t'] in happening}
    assert awaited, 'nothing sends an event'

    def fired():
        for line in sent:
            client.publish(*line.split('\t', 1), qos=1).wait_for_publish()
        shown = house.ask('states')
        return all(shown[entities[uid]['entity_id']]['state'] not in ('unknown', 'unavailable') for uid in awaited)

    until(fired, 'an event of each kind that is sent')
    house.is_calm()
    print(f'  {len(wanted)} entities of {len(announcements)} devices, {len(awaited)} of {len(events)} kinds of events happened')


def judge(component):
    """Compares a component with the tables of Home Assistant."""
    platform, kind = component['p'], component.get('dev_cla')
    if platform == 'binary_sensor':
        assert kind is None or kind in set(BinarySensorDeviceClass), component
    elif platform == 'event':
        assert kind is None or kind in set(EventDeviceClass), component
    else:
        unit, state = component.get('unit_of_meas'), component.get('stat_cla')
        assert kind is None or kind in set(SensorDeviceClass), component
        if kind in DEVICE_CLASS_UNITS:
            assert unit in DEVICE_CLASS_UNITS[kind], component
        if kind and state:
            assert state in DEVICE_CLASS_STATE_CLASSES[kind], component


def publisher(broker):
    import paho.mqtt.client as mqtt

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.connect('127.0.0.1', broker.port)
    client.loop_start()
    return client


def test_strangers(folder, broker, house):
    """Three hundred sensors that change their addresses leave the registry as it is."""
    generator = random.Random(1)

    def private():
        return ':'.join(f'{byte:02X}' for byte in [0x40 | generator.randrange(64), *generator.randbytes(5)])

    sensors = [
        sensor(f'C5:EA:50:01:{number // 256:02X}:{number % 256:02X}', f'S{number}', (f'4002{number:04x}', '1s'))
        | {'private_address': private()}
        for number in range(300)
    ]
    simulation = Simulation(folder, {'peripherals': [*sensors, sensor(FREEZER, 'Freezer', (COLD, '1s'))]})
    os.symlink(simulation.socket, simulation.link)
    try:
        control = simulation.connect()
        with Run(folder, broker, 'ble/crowd', 'listen') as run:
            del run
            # A second each.
            for _ in range(int(os.environ.get('CHANGES_OF_ADDRESSES', '12'))):
                control.all([{'do': 'change-address', 'device': one['address'], 'private_address': private()} for one in sensors])
                time.sleep(1)
            # What keeps its address is announced once it has been heard for a minute.
            own = 'blectl_crowd_' + FREEZER.replace(':', '').lower()
            others = [uid for uid in house.ask('entities') if uid.startswith('blectl_crowd_') and not uid.lower().startswith(own)]
            assert not others, others
        with Run(folder, broker, 'ble/crowd', 'listen', 'Freezer'):
            house.shows({entity('crowd', FREEZER, 'bthome_temperature_celsius'): '-20.0'})
        known = [uid for uid in house.ask('entities') if uid.startswith('blectl_crowd_')]
        assert len(known) == 2, known
    finally:
        simulation.end()


def test_migration(folder, broker, house):
    """An entity of an earlier version stays what a person has made of it."""
    name = entity('old', FREEZER, 'bthome_temperature_celsius')
    topic = f'homeassistant/sensor/{name}/config'
    config = {
        'name': 'BTHome (old)', 'unique_id': name, 'state_topic': f'ble/old/{FREEZER}/bthome', 'device_class': 'temperature',
        'unit_of_measurement': '°C', 'availability_topic': 'ble/old/status', 'origin': {'name': 'blectl'},
        'device': {'identifiers': ['blectl_c5ea50000001'], 'name': 'Freezer'},
        'value_template': "{{ value_json.decoded['temperature_celsius'] | is_defined }}",
    }  # fmt: skip
    client = publisher(broker)
    client.publish(topic, json.dumps(config), qos=1, retain=True).wait_for_publish()
    until(lambda: name in house.ask('entities'), 'the old entity')
    kept = house.ask('rename', house.ask('entities')[name]['entity_id'], 'My freezer')
    path = world(folder / 'old.json', sensor(FREEZER, 'Freezer', (COLD, '1s')))
    with Run(folder, broker, 'ble/old', 'listen', 'Freezer', path):
        house.shows({name: '-20.0'})
        found = house.ask('entities')[name]
        assert (found['entity_id'], found['name']) == (kept, 'My freezer'), found
        until(lambda: topic not in broker.retained('homeassistant/sensor/+/config'), 'the end of the old announcement')
    house.is_calm()


class Proxy:
    """`blectl proxy`, as a service would run it."""

    def __init__(self, folder):
        self.errors, self.port, self.folder = folder / 'proxy.log', free_port(), folder
        self.command = [BLECTL, 'proxy', '--name', 'attic', '--port', str(self.port), '--no-mdns']

    def __enter__(self):
        with open(self.errors, 'ab') as errors:
            environment = os.environ | {'STATE_DIRECTORY': str(self.folder)}
            self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
        until(lambda: self.is_ready(), 'the proxy')
        return self

    def is_ready(self):
        assert self.process.poll() is None, f'the proxy has ended: {self.errors.read_text()}'
        return f'on port {self.port}' in self.errors.read_text()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def restart(self):
        self.process.kill()
        self.process.wait()
        self.errors.unlink()
        self.__enter__()

    @property
    def key(self):
        return (self.folder / 'proxy.key').read_text().strip()


ADAPTER, METER = '00:1A:7D:DA:71:13', 'E7:10:20:30:40:50'
TEMPERATURE = '00002a6e-0000-1000-8000-00805f9b34fb'


def test_proxy(folder, broker, house):
    """The proxy is a Bluetooth scanner of Home Assistant: a sensor becomes entities, a device is connected to through it."""
    del broker, house
    service = {'uuid': '181a', 'characteristics': [
        {'uuid': '2a6e', 'properties': ['read', 'notify'], 'value': '6608', 'notifies': {'every': '200ms', 'list': ['6608', '6708']}},
    ]}  # fmt: skip
    peripherals = [
        sensor(FREEZER, 'Freezer', (COLD, '1s'), (WARM, '1s')), {'address': METER, 'name': 'Meter', 'rssi': -60, 'services': [service]},
    ]  # fmt: skip
    simulation = Simulation(folder, {'adapters': [{'address': ADAPTER}], 'peripherals': peripherals})
    os.symlink(simulation.socket, simulation.link)
    try:
        control = simulation.connect()
        with House(folder, homeassistant={}, bluetooth={}) as house, Proxy(folder) as proxy:
            place = {'host': '127.0.0.1', 'port': proxy.port}
            assert house.ask('dialogue', 'esphome', place, {'noise_psk': proxy.key}) == 'attic'
            until(lambda: house.ask('scanner', ADAPTER), 'the scanner')
            scanner = house.ask('scanner', ADAPTER)
            assert scanner['connectable'] and scanner['scanning'], scanner
            # A sensor that it hears waits to be added.
            until(lambda: house.ask('found').get(FREEZER) == 'bthome', 'the sensor')
            house.ask('confirm', FREEZER)
            for warmth in '-20.0', '-1.56':
                until(lambda wanted=warmth: wanted in temperatures(house), warmth)
            # A device is connected to, loses its link, and is connected to again.
            until(lambda: house.ask('hears', METER) == ['Meter', ADAPTER], 'the device')
            house.is_calm()
            for end in 'link', 'proxy':
                house.ask('connect', METER)
                assert house.ask('read', TEMPERATURE) in ('6608', '6708')
                house.ask('subscribe', TEMPERATURE)
                until(lambda: {'6608', '6708'} <= set(house.ask('received')), 'both values')
                if end == 'link':
                    control.ask({'do': 'drop-link', 'device': METER})
                else:
                    proxy.restart()
                until(lambda: house.ask('link') == {'connected': False, 'losses': 1}, 'the end of the link')
                until(lambda: house.ask('scanner', ADAPTER) and house.ask('hears', METER), 'the return of the proxy')
            house.ask('connect', METER)
            house.ask('disconnect')
            until(lambda: not connected(control), 'the end of the last link')
    finally:
        simulation.end()


def temperatures(house):
    return [state['state'] for state in house.ask('states').values() if state.get('device_class') == 'temperature']


def connected(control):
    return [device for device in control.ask({'do': 'state'})['peripherals'] if device['connected']]


#: Runs beside the others, since it needs two minutes.
class Cleaning:
    """What is not announced any more is removed."""

    def __init__(self, folder, broker, house):
        both = world(folder / 'both.json', sensor(FREEZER, 'Freezer', (COLD, '1s')), sensor(GONE, 'Gone', (COLD, '1s')))
        self.names = [entity('clean', address, 'bthome_temperature_celsius') for address in (FREEZER, GONE)]
        self.broker, self.house = broker, house
        with Run(folder, broker, 'ble/clean', 'listen', 'Freezer', 'Gone', both):
            house.shows(dict.fromkeys(self.names, '-20.0'))
        words = ['listen', 'Freezer', '--duration', '130s', both, '--home-assistant-clean']
        self.run = Run(folder, broker, 'ble/clean', *words)

    def check(self):
        self.run.wait()
        entities = self.house.ask('entities')
        assert self.names[0] in entities and self.names[1] not in entities, entities.keys()
        kept = ' '.join(self.broker.retained('homeassistant/device/+/config'))
        assert 'clean_c5ea50000001' in kept and 'clean_c5ea50000002' not in kept, kept
        assert not self.broker.retained(f'ble/clean/{GONE}/#')


def main():
    tests = {name.removeprefix('test_'): body for name, body in globals().items() if name.startswith('test_')}
    wanted = sys.argv[1:] or [*tests, 'cleaning']
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='blectl-home-')))
        broker = stack.enter_context(Broker(folder, persistent=False))
        house = stack.enter_context(House(folder, broker))
        # Another broker that is not killed.
        (folder / 'cleaning').mkdir()
        cleaning = None
        if 'cleaning' in wanted:
            other = stack.enter_context(Broker(folder / 'cleaning'))
            cleaning = Cleaning(folder / 'cleaning', other, stack.enter_context(House(folder / 'cleaning', other)))
        for name in wanted:
            print(f'home-assistant: {name}', flush=True)
            start = time.monotonic()
            if name == 'cleaning':
                cleaning.check()
            else:
                place = folder / name
                place.mkdir()
                tests[name](place, broker, house)
            print(f'  {time.monotonic() - start:.0f} s', flush=True)
    print(f'home-assistant: {len(wanted)} tests passed')


if __name__ == '__main__':
    sys.exit(main())
