#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of listen on terminals of several sizes: values, alarms, keys, resizing, stops, outages, its end.

Values and ages change, so screens are not kept: each step waits for what it has to bring about.
"""

import json
import os
import re
import signal
import socket
import sys
import tempfile

import screens
from keys import View, selected, simulation
from screens import NAMES, expect
from shell import last

SENSORS = 30
# Those, one with an alarm, one that sends its values by turns, and one that is not there.
DEVICES = SENSORS + 3
COMMAND = "$BLECTL listen 'Sensor*' Freezer Turns Nobody --when 'Freezer: temperature_celsius > -12'"


def sensor(number, name, **advertisement):
    return {'address': f'C5:EA:50:00:02:{number:02X}', 'name': name, 'rssi': -50, 'rssi_drift': 0,
            'advertisement': {'connectable': False, 'interval': '250ms', **advertisement}}


def thermometer(number, name, temperature, every='500ms'):
    return sensor(number, name, beacons=[{'bthome': {'temperature': temperature, 'battery': 90}, 'every': every}])


def write(folder, name, peripherals):
    path = f'{folder}/{name}.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': peripherals}, file)
    return path


def world(folder):
    devices = [thermometer(number, f'Sensor {number}', number) for number in range(1, SENSORS + 1)]
    devices.append(thermometer(40, 'Freezer', {'sine': {'middle': -15, 'amplitude': 6, 'period': 6}}))
    turns = {'sequence': [{'value': '4002ca09', 'for': '500ms'}, {'value': '4003bf13', 'for': '500ms'}]}
    devices.append(sensor(41, 'Turns', service_data={'fcd2': turns}))
    return write(folder, 'sensors', devices)


def listed(screen):
    return f'listening, {DEVICES} devices' in screen and screen.startswith('  DEVICE')


def names(screen):
    """The devices of the rows, in their order."""
    return [found[1] for line in screen.split('\n')
            if (found := re.match(r'[> ] (Sensor \d+|Freezer|Turns|Nobody) ', line + ' '))]


def table(folder, columns, rows):
    view = View(folder, columns, rows)
    log = f'{folder}/log-{columns}.ndjson'
    view.type(f'clear; {COMMAND} --simulate={world(folder)} --log {log}; echo status $?')
    screen = view.wait(lambda screen: listed(screen) and re.search(r'Nobody +not', screen))
    keys = 'q end  ↑↓ select  Enter all values  / filter  p pause' if columns >= 80 \
        else 'q end  ↑↓  Enter all values  / filter  p'
    expect(last(screen) == keys, f'the last line lists the keys\n{screen}')
    expect(all(len(line) <= columns for line in screen.split('\n')), f'each line fits\n{screen}')
    order = ['Freezer', 'Nobody', *(f'Sensor {number}' for number in range(1, SENSORS + 1)), 'Turns']
    expect(names(screen) == order[:len(names(screen))], f'rows are in the natural order of names\n{screen}')
    expect('Freezer' in selected(screen)[0], 'the first row is selected')
    view.wait(lambda screen: 'ALARM: Fr' in screen and re.search(r'Freezer +ALARM', screen))
    screen = view.wait(lambda screen: listed(screen) and 'ALARM: Fr' not in screen)
    expect(names(screen) == order[:len(names(screen))], f'no row has moved\n{screen}')

    view.press('End')
    view.wait(lambda screen: selected(screen) and selected(screen)[0].startswith('Turns') and '25.06 °C' in selected(screen)[0])
    view.press('Enter')
    screen = view.wait(lambda screen: re.search(r'^temperature_celsius +25\.06 °C$', screen, re.M)
                       and re.search(r'^humidity_percent +50\.55 %$', screen, re.M))
    expect(last(screen).startswith('Esc back'), f'the page has its keys\n{screen}')
    view.press('Escape')
    view.wait(lambda screen: listed(screen) and selected(screen)[0].startswith('Turns'))
    view.press('Home')
    view.wait(lambda screen: listed(screen) and selected(screen)[0].startswith('Freezer'))

    # A filter has letters that are keys elsewhere.
    view.text('/qp')
    view.wait(lambda screen: last(screen).startswith('/qp_') and f'0 of {DEVICES} devices' in screen)
    view.press('C-u')
    view.text('sensor 2')
    view.press('Enter')
    screen = view.wait(lambda screen: f'11 of {DEVICES} devices; /sensor 2' in screen)
    expect(names(screen) == ['Sensor 2', *(f'Sensor {number}' for number in range(20, 30))], f'names with a part\n{screen}')
    view.press('Escape', 'p')
    screen = view.wait(lambda screen: f'paused, {DEVICES} devices' in screen)
    view.press('j')
    view.wait(lambda screen: 'paused' in screen and selected(screen)[0].startswith('Nobody'))
    view.press('p')
    view.wait(listed)

    view.resize(columns, 6)
    view.press('End')
    screen = view.wait(lambda screen: selected(screen) and selected(screen)[0].startswith('Turns') and screen.count('\n') <= 6)
    expect(last(screen) == keys, f'the keys remain\n{screen}')
    view.resize(200, rows)
    view.wait(lambda screen: listed(screen) and 'ADDRESS' in screen.split('\n')[0] and 'humidity 50.55 %' in screen)
    view.resize(columns, rows)
    view.wait(lambda screen: listed(screen) and len(names(screen)) > 15)

    view.press('q')
    final = view.left('q')
    expect('status 0' in final and 'Turns' in final and 'q end' not in final, f'the last table stays\n{final}')
    with open(log, encoding='utf-8') as file:
        events = {json.loads(line)['event'] for line in file}
    expect({'started', 'value', 'alarm', 'cleared'} <= events, f'the log has the records: {events}')
    view.close()


def hostile(folder, columns, rows):
    """Names from the air tear nothing."""
    path = write(folder, 'names', [thermometer(number, name, number) for number, name in enumerate(NAMES)])
    view = View(folder, columns, rows)
    view.start(f'$BLECTL listen --simulate={path}')
    screen = view.wait(lambda screen: f'listening, {len(NAMES)} devices' in screen and 'Evil\\u{1b}[2J' in screen)
    expect(screen.startswith('  DEVICE') and last(screen).startswith('q end'), f'the screen is whole\n{screen}')
    view.press('C-c')
    view.left('Ctrl-C')
    view.close()


def stops(folder, columns, rows):
    """Ctrl-Z and fg; Ctrl-C and SIGTERM; a terminal without keys; lines."""
    view = View(folder, columns, rows)
    command = f'{COMMAND} --simulate={world(folder)}'
    view.type(f'clear; {command}')
    view.wait(listed)
    view.press('j')
    # Ctrl-Z drops what has been typed and not been read.
    view.wait(lambda screen: selected(screen) and selected(screen)[0].startswith('Nobody'))
    view.press('C-z')
    view.wait(lambda screen: 'Stopped' in screen)
    view.left('Ctrl-Z')
    view.type('clear; fg')
    view.wait(lambda screen: listed(screen) and selected(screen)[0].startswith('Nobody'))
    view.press('C-c')
    final = view.left('Ctrl-C')
    expect('Turns' in final, f'Ctrl-C leaves the last table\n{final}')
    path = write(folder, 'one', [thermometer(1, 'Sensor 1', 1)])
    view.start(f'$BLECTL listen --simulate={path} </dev/null')
    view.wait(lambda screen: 'listening, 1 device; Ctrl-C ends' in screen and not selected(screen))
    os.kill(view.process(), signal.SIGTERM)
    view.left('SIGTERM')
    view.start(f'$BLECTL listen --lines --count 1 --simulate={path}')
    final = view.left('--lines')
    expect('BTHome' in final and 'DEVICE' not in final, f'--lines prints lines\n{final}')
    view.close()


def outage(folder, columns, rows):
    """What is missing is said within the table, and its messages stay behind it."""
    path = write(folder, 'one', [thermometer(1, 'Sensor 1', 1)])
    with simulation(path, '--control', f'{folder}/control') as environment, socket.socket(socket.AF_UNIX) as control:
        view = View(folder, columns, rows, environment)
        view.type('clear; $BLECTL listen --absent 1h')
        view.wait(lambda screen: 'listening, 1 device' in screen and 'Sensor 1' in screen)
        control.connect(f'{folder}/control')
        control.sendall(b'{"do":"adapter-off"}\n')
        screen = view.wait(lambda screen: 'not listening for' in screen and 'waiting for the adapter' in screen)
        expect(screen.startswith('  DEVICE') and last(screen).startswith('q end'), f'the table is whole\n{screen}')
        control.sendall(b'{"do":"adapter-on"}\n')
        view.wait(lambda screen: 'listening, 1 device' in screen and 'listening again after' in screen)
        view.press('q')
        final = view.left('q after an outage')
        expect('waiting for the adapter' in final and 'listening again' in final, f'the messages stay\n{final}')
        view.close()


def main():
    with tempfile.TemporaryDirectory(prefix='blectl-listen-') as folder:
        for columns, rows in [(80, 24), (40, 24), (200, 50)]:
            table(folder, columns, rows)
        hostile(folder, 80, 24)
        stops(folder, 80, 40)
        os.makedirs(f'{folder}/outage')
        outage(f'{folder}/outage', 80, 24)
    if screens.failures:
        sys.exit(f'listen: {screens.failures} of {screens.checked} are not as they should be')
    print(f'listen: {screens.checked} checks passed')


if __name__ == '__main__':
    main()
