#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The screens of a terminal, captured with tmux and compared with the texts in Golden/.

A screen is compared once it shows what it is waited for, never after a time. BLECTL_RECORD=1 writes the texts again.
"""

import difflib
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BLECTL = os.environ['BLECTL']
RECORD = os.environ.get('BLECTL_RECORD')
SIZES = [(80, 24), (200, 50)]
PATIENCE = 60
# A machine may be so busy for a while that values come too late even for the tolerance of charts.
ATTEMPTS = 3


class Terminal:
    """A shell in a tmux of its own, without anybody's configuration."""

    def __init__(self, columns, rows, variables=None):
        self.socket = tempfile.mktemp(prefix='blectl-screen-')
        environment = {
            'PATH': os.environ['PATH'], 'HOME': '/nonexistent', 'LANG': 'C.UTF-8', 'LC_ALL': 'C.UTF-8',
            'SHELL': '/bin/sh', 'TERM': 'xterm-256color', 'NO_COLOR': '1', 'BLECTL': BLECTL,
            **(variables or {}),
        }
        self.environment = environment
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', str(columns), '-y', str(rows),
                  'PS1="$ " exec sh')
        self.wait(lambda screen: screen.startswith('$'))

    def tmux(self, *arguments):
        command = ['tmux', '-u', '-S', self.socket, *arguments]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def type(self, text):
        self.tmux('send-keys', '-l', text)
        self.tmux('send-keys', 'Enter')

    def key(self, name):
        self.tmux('send-keys', name)

    def resize(self, columns, rows):
        self.tmux('resize-window', '-x', str(columns), '-y', str(rows))

    def screen(self):
        lines = [line.rstrip() for line in self.tmux('capture-pane', '-p').split('\n')]
        while lines and not lines[-1]:
            lines.pop()
        return '\n'.join(lines) + '\n'

    def cursor_is_visible(self):
        return self.tmux('display-message', '-p', '#{cursor_flag} #{alternate_on} #{wrap_flag}').split() == ['1', '0', '1']

    def wait(self, condition):
        """The first screen that is as it is waited for."""
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if condition(screen):
                return screen
            if time.monotonic() > end:
                sys.exit(f'screens: waited in vain (line {sys._getframe(1).f_lineno}); the screen is\n{screen}')
            time.sleep(0.05)  # between two looks

    def close(self):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'], env=self.environment, check=False,
                       capture_output=True)


failures = 0
checked = 0


def expect(condition, what):
    global failures, checked
    checked += 1
    if not condition:
        failures += 1
        print(f'screens: not so: {what}', file=sys.stderr)


def difference(screen, name):
    """How a screen differs from the one that is kept; nothing where it does not."""
    path = f'{HERE}/Golden/{name}.txt'
    try:
        with open(path, encoding='utf-8') as file:
            kept = file.read()
    except FileNotFoundError:
        return f'there is no {path}: BLECTL_RECORD=1 writes it'
    return '\n'.join(difflib.unified_diff(kept.split('\n'), screen.split('\n'), 'kept', 'now', lineterm=''))


def canvas(screen):
    """The text of a chart without its picture, and the places where the picture has anything."""
    rest, ink = [], set()
    for row, line in enumerate(screen.split('\n')):
        wall = max(line.find('┤'), line.find('│'))
        if wall < 0:
            rest.append(line)
            continue
        rest.append(line[:wall + 1])
        ink |= {(row, column) for column, cell in enumerate(line) if column > wall and cell != ' '}
    return rest, ink


def same_chart(screen, kept):
    """Whether two charts are the same, but for values that came a little later: a character further to the right.

    What exactly is drawn is tested where times are given, in TerminalChartTests.
    """
    (rest, ink), (kept_rest, kept_ink) = canvas(screen), canvas(kept)

    def near(place, others):
        return any((place[0] + row, place[1] + column) in others for row in (-1, 0, 1) for column in (-2, -1, 0, 1, 2))

    return (rest == kept_rest and all(near(place, kept_ink) for place in ink)
            and all(near(place, ink) for place in kept_ink))


def compare_chart(screen, name):
    if RECORD:
        return compare(screen, name)
    with open(f'{HERE}/Golden/{name}.txt', encoding='utf-8') as file:
        return same_chart(screen, file.read())


def compare(screen, name):
    if RECORD:
        with open(f'{HERE}/Golden/{name}.txt', 'w', encoding='utf-8') as file:
            file.write(screen)
        return True
    return not difference(screen, name)


def settle(terminal, name, ready):
    """Waits until the screen is ready, and until it is as it is kept, or does not become so."""
    screen = terminal.wait(ready)
    end = time.monotonic() + (0 if RECORD else 5)
    while not compare(screen, name) and time.monotonic() < end:
        time.sleep(0.05)
        screen = terminal.screen()
    expect(compare(screen, name), f'{name} is as it is kept\n{difference(screen, name)}')


def suspend(terminal, name, ready):
    """Ctrl-Z gives the terminal back, and `fg` takes it again."""
    terminal.key('C-z')
    terminal.wait(lambda screen: 'Stopped' in screen)
    expect(terminal.cursor_is_visible(), f'{name} gives the terminal back while it is stopped')
    terminal.type('fg')
    terminal.wait(ready)


def leave(terminal, name):
    """Ctrl-C: the shell is back, with everything as it was."""
    terminal.key('C-c')
    screen = terminal.wait(lambda screen: screen.rstrip('\n').split('\n')[-1] == '$')
    expect(terminal.cursor_is_visible(), f'{name} leaves cursor, wrapping and screen as they were')
    return screen


# MARK: The worlds

def beacons(folder, names):
    """A world of devices that only advertise, always as strong as at first."""
    peripherals = []
    for index, name in enumerate(names):
        peripheral = {
            'address': f'C0:00:00:00:{index >> 8:02X}:{index & 255:02X}',
            # No two as strong as each other in the first rows, so that their order does not depend on anything else.
            'rssi': -30 - index if index < 60 else -91 - index % 9, 'rssi_drift': 0,
            'advertisement': {'connectable': False, 'interval': '250ms'},
        }
        if name:
            peripheral['name'] = name
        if index % 3 == 0:
            peripheral['advertisement']['services'] = ['heart-rate', 'battery']
        peripherals.append(peripheral)
    path = f'{folder}/world-{len(names)}.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': peripherals}, file)
    return path


NAMES = [
    'Plain', '心率带', '心拍センサー・ベルト型・二〇二六年式・長い名前', '온도계', '👍 Thumb', '👩‍💻 joined by U+200D', '🇨🇭🇯🇵 flags',
    'e\u0301a\u0308 marks', 'ｆｕｌｌ width', 'Zero\u200bwidth', '❤️ heart', 'a👍🏽b', 'Ünï çødé', 'ไทย', 'עברית',
    'Evil\u001b[2J', '漢' * 40,
]

HEART = '0000180d-0000-1000-8000-00805f9b34fb'


def plotted(folder):
    """A world whose values come once, a second and a half a second apart, and no more."""
    def log(name, uuid, values, every):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            for index, value in enumerate(values):
                time = f'2026-01-01T00:00:{index * every:09.6f}Z'
                file.write(json.dumps({
                    'event': 'value', 'time': time, 'address': 'C0:00:00:00:00:01', 'service': HEART,
                    'characteristic': f'0000{uuid}-0000-1000-8000-00805f9b34fb', 'handle': 1, 'value': value,
                    'via': 'signal'}) + '\n')
        return {'replay': name}

    rates = [60, 62, 66, 72, 80, 86, 90, 91, 88, 82, 75, 70]
    degrees = [2100, 2150, 2250, 2300, 2310, 2200, 2050, 1990]
    characteristics = [
        {'uuid': '2a37', 'properties': ['notify'],
         'notifies': log('heart.ndjson', '2a37', [f'06{rate:02x}' for rate in rates], 1)},
        {'uuid': '2a6e', 'properties': ['notify'],
         'notifies': log('degrees.ndjson', '2a6e',
                         [value.to_bytes(2, 'little').hex() for value in degrees], 1.5)},
    ]
    path = f'{folder}/plotted.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': [{
            'address': 'C0:00:00:00:00:01', 'name': 'Strap', 'rssi_drift': 0,
            'services': [{'uuid': '180d', 'characteristics': characteristics}]}]}, file)
    return path


# MARK: The screens

def full_history(rows):
    """Whether that many devices were heard in each of the last seconds."""
    def ready(screen):
        return sum(1 for line in screen.split('\n') if len(line[35:43].replace(' ', '')) == 8) >= rows
    return ready


def scan(world, name, columns, rows, count):
    terminal = Terminal(columns, rows)
    terminal.type(f'clear; $BLECTL scan --simulate={world} --duration 0')
    shown = min(count, rows - 4)
    settle(terminal, f'{name}-{columns}x{rows}',
           lambda screen: full_history(shown)(screen) and f'scanning, {count} devices' in screen)
    terminal.resize(60, 12)
    shown = min(count, 12 - 4)
    settle(terminal, f'{name}-{columns}x{rows}-resized',
           lambda screen: full_history(shown)(screen) and screen.startswith('  ADDRESS') and screen.count('\n') <= 12)
    terminal.resize(columns, rows)
    suspend(terminal, name, lambda screen: f'scanning, {count} devices' in screen)
    leave(terminal, name)
    terminal.close()


def plot(folder, columns, rows):
    world = plotted(folder)
    name = f'plot-{columns}x{rows}'
    for attempt in range(ATTEMPTS):
        terminal = Terminal(columns, rows)
        terminal.type(f'clear; $BLECTL subscribe Strap 2a37 2a6e --plot --simulate={world} --plot-svg {folder}/chart.svg')
        screen = terminal.wait(lambda screen: '20 values' in screen)
        if attempt == ATTEMPTS - 1 or compare_chart(screen, name):
            break
        leave(terminal, name)
        terminal.close()
    expect(compare_chart(screen, name), f'{name} is as it is kept\n{difference(screen, name)}')
    # Nothing comes any more: only the new window redraws it.
    terminal.resize(60, 13)
    screen = terminal.wait(lambda screen: screen.startswith('bpm') and 'no room for: °C' in screen)
    expect(compare_chart(screen, f'{name}-resized'), f'{name}-resized is as it is kept\n{screen}')
    suspend(terminal, name, lambda screen: screen.startswith('bpm') and '20 values' in screen)
    final = leave(terminal, name)
    expect('20 values in' in final and 'q end' not in final, 'the last chart stays')
    terminal.close()
    subprocess.run([sys.executable, '-c',
                    'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])', f'{folder}/chart.svg'], check=True)


def services(columns, rows):
    terminal = Terminal(columns, rows)
    terminal.type("clear; $BLECTL services 'MI Band 2' --simulate")
    settle(terminal, f'services-{columns}x{rows}', lambda screen: screen.rstrip('\n').split('\n')[-1] == '$' and '@00' in screen)
    terminal.close()


def main():
    with tempfile.TemporaryDirectory(prefix='blectl-screens-') as folder:
        for columns, rows in SIZES:
            services(columns, rows)
            scan(beacons(folder, [f'Device {index}' for index in range(200)]), 'scan-crowd', columns, rows, 200)
            scan(beacons(folder, NAMES), 'scan-names', columns, rows, len(NAMES))
            plot(folder, columns, rows)
    if failures:
        sys.exit(f'screens: {failures} of {checked} are not as they should be')
    print(f'screens: {checked} checks passed')


if __name__ == '__main__':
    main()
