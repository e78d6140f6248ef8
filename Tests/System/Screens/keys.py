#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The keys of the live scan and of the live chart, on terminals of 80 and of 40 columns.

Each step presses a key and waits for what it has to bring about. The terminal has its mode back however a view ends.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

import screens
from screens import Terminal, expect
from shell import last

SIZES = [(80, 24), (40, 24)]

ALPHA, BETA, HANGING, REFUSING = (f'C0:00:00:00:00:0{number}' for number in (1, 2, 3, 4))

TICKS = {'counter': {'format': 'u16', 'from': 1, 'to': 60000}, 'every': '200ms'}


def device(address, name, rssi, **more):
    return {'address': address, 'name': name, 'rssi': rssi, 'rssi_drift': 0, 'services': [
        {'uuid': '180f', 'characteristics': [{'uuid': '2a19', 'properties': ['read'], 'value': '57'}]}], **more}


def world(folder, late='0s'):
    """Four devices that connections are tried to, and twenty that only advertise, the last of them later."""
    devices = [device(ALPHA, 'Alpha', -40), device(BETA, 'Beta 漢字', -50), device(HANGING, 'Hanging', -60),
               device(REFUSING, 'Refusing', -61)]
    devices += [{'address': f'C0:00:00:00:01:{index:02X}', 'name': f'Tag {index}', 'rssi': -70 - index, 'rssi_drift': 0,
                 'advertisement': {'connectable': False}} for index in range(20)]
    events = [{'at': '0s', 'do': 'hang-connect', 'device': HANGING}, {'at': '0s', 'do': 'refuse-connect', 'device': REFUSING}]
    if late != '0s':
        events.append({'at': '0s', 'do': 'lose-adverts', 'device': devices[-1]['address'], 'for': late})
    path = f'{folder}/keys-{late}.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': devices, 'events': events}, file)
    return path


def ticking(folder):
    """A world with a device that counts."""
    path = f'{folder}/ticking.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': [{'address': ALPHA, 'name': 'Alpha', 'services': [
            {'uuid': 'ffe0', 'characteristics': [
                {'uuid': 'ffe1', 'properties': ['notify'], 'notifies': TICKS}]}]}]}, file)
    return path


def selected(screen):
    """The rows that are selected."""
    return [line[2:] for line in screen.split('\n') if line.startswith('>')]


def names(screen):
    """The names of the rows, in their order."""
    rows = [line for line in screen.split('\n') if line[2:5] == 'C0:']
    words = ('Alpha', 'Beta', 'Hanging', 'Refusing', 'Tag')
    return [next(word for word in words if word in row) for row in rows]


class View(Terminal):
    """A terminal with a command that has a view, and a shell that numbers its prompts."""

    def __init__(self, folder, columns, rows, environment=None):
        super().__init__(columns, rows, environment)
        self.folder = folder
        self.prompts = self.checks = 0
        self.type(f"cd {folder}; stty -g >mode; PS1='$((N=N+1))$ '")
        self.prompt()

    def prompt(self):
        """Waits for a prompt that was not there before."""
        def number(screen):
            found = re.fullmatch(r'(\d+)\$', last(screen))
            return int(found[1]) if found else 0

        screen = self.wait(lambda screen: number(screen) > self.prompts)
        self.prompts = number(screen)
        return screen

    def command(self, text):
        self.type(f'clear; {text}')
        return self.prompt()

    def start(self, command):
        """Starts a command, and notes its process."""
        self.type(f"clear; sh -c 'ulimit -c 0; echo $$ >pid; exec {command}'")

    def process(self):
        with open(f'{self.folder}/pid', encoding='utf-8') as file:
            return int(file.read())

    def press(self, *keys):
        self.tmux('send-keys', *keys)

    def text(self, text):
        self.tmux('send-keys', '-l', text)

    def send(self, *codes):
        """Bytes as they are, in one piece."""
        self.tmux('send-keys', '-H', *codes)

    def left(self, how):
        """The prompt is back, and the terminal is as it was."""
        screen = self.prompt()
        expect(self.cursor_is_visible(), f'{how} leaves cursor, wrapping and screen as they were')
        self.checks += 1
        self.type(f'clear; stty -g | cmp mode - && echo same mode {self.checks}')
        self.wait(lambda screen: f'same mode {self.checks}\n' in screen)
        self.prompt()
        return screen


@contextlib.contextmanager
def simulation(path, *options):
    """The environment of programs on a simulated bus of their own, with the world of a file."""
    command = [os.environ['BLECTL'], 'simulate', path, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield {'DBUS_SYSTEM_BUS_ADDRESS': process.stdout.readline().split('=', 1)[1].strip()}
        finally:
            process.terminate()


def listed(screen):
    return '24 devices' in screen and len(selected(screen)) == 1


def keys_of_the_list(folder, columns, rows):
    view = View(folder, columns, rows)
    view.type(f'clear; $BLECTL scan --simulate={world(folder)} --duration 0; echo status $?')
    screen = view.wait(listed)
    keys = 'q end  ↑↓ select  Enter show  s sort  / filter  p pause  y mark' if columns == 80 \
        else 'q end  ↑↓  Enter  s sort  /  p  y mark'
    expect(last(screen) == keys, f'the last line lists the keys\n{screen}')
    expect(all(len(line) <= columns for line in screen.split('\n')), 'each line fits')
    expect('Alpha' in selected(screen)[0], 'the first row is selected')

    for key, name in [('j', 'Beta'), ('Down', 'Hanging'), ('k', 'Beta'), ('Up', 'Alpha'), ('Up', 'Alpha'),
                      ('End', 'Tag 19'), ('Home', 'Alpha'), ('NPage', 'Tag'), ('PPage', 'Alpha')]:
        view.press(key)
        view.wait(lambda screen, name=name: listed(screen) and name in selected(screen)[0])
    # A sequence in pieces; then another one that no view knows, characters that are none, and letters without a meaning.
    view.send('1b', '5b')
    view.send('42')
    view.wait(lambda screen: 'Beta' in selected(screen)[0])
    view.send('1b', '5b', '31', '38', '7e', 'ff', 'c3', '28', '00')
    view.text('zxv')
    view.press('j')
    screen = view.wait(lambda screen: 'Hanging' in selected(screen)[0])
    expect('zxv' not in screen, 'what is typed is not shown')

    view.press('y')
    view.wait(lambda screen: f'>*{HANGING}' in screen)
    view.press('y', 'k', 'y')
    view.wait(lambda screen: f'  {HANGING}' in screen and f'>*{BETA}' in screen)

    view.press('s')
    screen = view.wait(lambda screen: '; by name' in screen and 'Beta' in selected(screen)[0])
    expect(names(screen)[:5] == ['Alpha', 'Beta', 'Hanging', 'Refusing', 'Tag'], f'names are in their order\n{screen}')
    view.press('s')
    view.wait(lambda screen: '; by address' in screen)
    view.press('s')
    view.wait(lambda screen: '; newest first' in screen)
    view.press('s')
    view.wait(lambda screen: 'scanning, 24 devices\n' in screen)

    # Typed while its effect shows; a wide character; Backspace; Esc and Enter.
    view.text('/ha')
    screen = view.wait(lambda screen: '/ha_  Enter accept  Esc drop' in screen and '2 of 24 devices' in screen)
    expect(names(screen) == ['Alpha', 'Hanging'], f'names with a part in any case\n{screen}')
    view.press('BSpace', 'BSpace')
    view.wait(lambda screen: '/_  Enter' in screen and 'scanning, 24 devices\n' in screen)
    view.text('漢')
    view.send('ff')
    screen = view.wait(lambda screen: '/漢_  Enter' in screen and '1 of 24 devices' in screen)
    expect('Beta 漢字' in selected(screen)[0], f'a wide character is found\n{screen}')
    view.press('Enter')
    view.wait(lambda screen: 'scanning, 1 of 24 devices; /漢\n' in screen and last(screen).startswith('q end'))
    view.press('Escape')
    view.wait(listed)
    # The end of a text that is too long, then none, by Ctrl-U.
    view.text('/' + 'x' * 100 + 'end')
    view.wait(lambda screen: last(screen).startswith('/xx') and 'xend_  Enter' in last(screen) and len(last(screen)) <= columns)
    view.press('C-u')
    view.wait(lambda screen: '/_  Enter' in screen)
    view.text('nobody')
    view.wait(lambda screen: '0 of 24 devices' in screen and not selected(screen))
    view.press('Enter', 'y', 'Enter', 'j')
    view.wait(lambda screen: '; /nobody\n' in screen)
    view.press('Escape')
    view.wait(listed)

    view.press('p')
    view.wait(lambda screen: 'paused, 24 devices' in screen)
    view.press('j')
    view.wait(lambda screen: 'Hanging' in selected(screen)[0] and 'paused' in screen)
    view.press('p')
    view.wait(lambda screen: 'scanning, 24 devices' in screen)

    # The selected row remains in sight.
    view.resize(columns, 8)
    view.press('End')
    screen = view.wait(lambda screen: selected(screen) and 'Tag 19' in selected(screen)[0] and screen.count('\n') <= 8)
    expect(last(screen) == keys, f'the keys remain\n{screen}')
    view.resize(columns, rows)
    view.wait(lambda screen: listed(screen) and len(names(screen)) > 15)

    # Keys that come at once are all taken; what follows `q` is not.
    view.press('Home', 'j', 'j', 'j', 'y', 'q')
    final = view.left('q')
    lines = [line for line in final.rstrip('\n').split('\n') if line]
    expect(lines[-4:-1] == [BETA, REFUSING, 'status 0'], f'the marked addresses are printed\n{final}')
    expect('24 devices' not in final, f'nothing of the view stays\n{final}')
    view.close()


def pages(folder, columns, rows):
    """A device, its services, a device that does not answer, and one that refuses."""
    with simulation(world(folder)) as environment:
        view = View(folder, columns, rows, environment)
        visits(view, environment, columns, rows)
        view.close()


def visits(view, environment, columns, rows):
    view.type('clear; $BLECTL scan --duration 0 --timeout 4s')
    view.wait(listed)
    # A connected device is not heard, and would leave its row.
    view.press('s')
    view.wait(lambda screen: '; by name' in screen)
    view.press('Enter')
    view.wait(lambda screen: f'address            {ALPHA}' in screen and 'connected          no' in screen)
    # Another program opens this link.
    subprocess.run([os.environ['BLECTL'], 'connect', 'Alpha'], env={**os.environ, **environment}, check=True,
                   capture_output=True)
    view.wait(lambda screen: f'address            {ALPHA}' in screen and 'connected          yes' in screen
              and last(screen).startswith('Esc') and 'Enter services' in last(screen))
    view.press('Enter')
    view.wait(lambda screen: f'Alpha  {ALPHA}' in screen and '2a19 Battery Level' in screen and 'Esc back' in last(screen))
    view.press('Escape')
    view.wait(lambda screen: f'address            {ALPHA}' in screen)
    view.press('Escape', 'j', 'Enter', 'y')
    view.wait(lambda screen: f'address            {BETA}' in screen and 'connected          no' in screen
              and 'y unmark' in screen)
    view.press('Enter')
    view.wait(lambda screen: f'Beta 漢字  {BETA}' in screen and '2a19 Battery Level' in screen)
    view.resize(columns, 3)
    view.wait(lambda screen: '180f Battery' in screen and screen.count('\n') <= 3)
    view.press('j', 'j')
    view.wait(lambda screen: '2a19 Battery Level' in screen and 'Beta' not in screen)
    view.resize(columns, rows)
    view.wait(lambda screen: 'Beta' in screen)
    view.press('Escape')
    # The link that the view has opened is closed.
    view.wait(lambda screen: f'address            {BETA}' in screen and 'connected          no' in screen)

    view.press('Escape', 'j', 'Enter', 'Enter')
    view.wait(lambda screen: 'connecting to Hanging' in screen)
    view.wait(lambda screen: 'cannot connect to' in screen and 'Enter again' in last(screen))
    view.press('Enter')
    view.wait(lambda screen: 'connecting to Hanging' in screen)
    view.press('Escape', 'Escape', 'j', 'Enter', 'Enter')
    view.wait(lambda screen: 'cannot connect to' in screen and f'{REFUSING}: ' in screen)
    view.press('q')
    final = view.prompt()
    expect(final.rstrip('\n').split('\n')[-2] == BETA, f'a device that was marked on its page is printed\n{final}')
    screen = view.command('$BLECTL devices --connected')
    expect('Alpha' in screen and 'Beta' not in screen, f'a link of others is left alone\n{screen}')


def stops(folder, columns, rows):
    """Ctrl-Z, bg and fg: the terminal belongs to the program in the foreground."""
    view = View(folder, columns, rows)
    command = f'$BLECTL scan --simulate={world(folder)} --duration 0'
    view.type(f'clear; {command}')
    view.wait(listed)
    view.press('j')
    view.wait(lambda screen: 'Beta' in selected(screen)[0])
    view.press('C-z')
    view.wait(lambda screen: 'Stopped' in screen)
    view.left('Ctrl-Z')
    view.command('bg')
    view.type('echo still here')
    view.left('bg')
    view.type('clear; fg')
    view.wait(lambda screen: listed(screen) and 'Beta' in selected(screen)[0])
    view.press('j')
    view.wait(lambda screen: 'Hanging' in selected(screen)[0])
    # A stop that cannot be caught: the shell has the terminal as it is, and the view sets its mode again.
    view.press('C-z')
    view.left('Ctrl-Z')
    view.type('clear; fg')
    view.wait(lambda screen: listed(screen) and 'Hanging' in selected(screen)[0])
    view.press('q')
    view.left('q after fg')

    # A job that ends in the background prints its table, and leaves the terminal alone.
    view.type(f'clear; {command}')
    view.wait(listed)
    view.press('C-z')
    view.wait(lambda screen: 'Stopped' in screen)
    view.type('clear; bg; kill %1; wait; echo over')
    view.wait(lambda screen: 'Tag 19' in screen and '\nover\n' in screen)
    view.left('a job in the background')

    # A group that was never in the foreground can read no keys, and says so.
    with open(f'{folder}/group.sh', 'w', encoding='utf-8') as file:
        file.write('timeout 600 sh -c \'echo $$ >pid; exec "$@"\' - "$@"\ntrue\n')
    view.type(f'clear; sh group.sh {command}')
    view.wait(lambda screen: 'scanning, 24 devices; Ctrl-C ends' in screen and not selected(screen))
    os.kill(view.process(), signal.SIGINT)
    view.left('a group in the background')
    view.close()


def ends(folder, columns, rows):
    """However the view ends, the terminal is as it was."""
    view = View(folder, columns, rows)
    path = world(folder)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        view.start(f'$BLECTL scan --simulate={path} --duration 0')
        view.wait(listed)
        os.kill(view.process(), number)
        view.left(number.name)
    for key in ('C-c', 'C-\\'):
        view.start(f'$BLECTL scan --simulate={path} --duration 0')
        view.wait(listed)
        view.press(key)
        view.left(key)
    # The limit that was asked for ends a scan whose keys are used, here by one that was typed before; the default does not.
    view.type(f'clear; $BLECTL scan --simulate={path} --duration 2s')
    view.text('j')
    view.left('--duration')
    view.type(f"clear; $BLECTL scan --simulate={world(folder, late='12s')}; echo status $?")
    view.text('j')
    view.wait(lambda screen: '23 devices' in screen)
    view.wait(lambda screen: '24 devices' in screen)
    view.press('q')
    view.left('q after the default limit')
    view.start(f'$BLECTL scan --simulate={path} --count 24 --duration 0')
    view.left('--count')

    with simulation(world(folder), '--control', f'{folder}/control') as environment, \
            socket.socket(socket.AF_UNIX) as control:
        broken = View(folder, columns, rows, environment)
        broken.type('clear; $BLECTL scan --duration 0; echo status $?')
        broken.wait(listed)
        control.connect(f'{folder}/control')
        control.sendall(b'{"do":"adapter-off"}\n')
        final = broken.left('an error')
        expect('status 3' in final, f'an error has its status\n{final}')
        broken.close()

    # Without a terminal on standard input there are no keys.
    view.start(f'$BLECTL scan --simulate={path} --duration 0 </dev/null')
    view.wait(lambda screen: 'scanning, 24 devices; Ctrl-C ends' in screen and not selected(screen))
    view.text('q')
    view.press('C-c')
    view.left('Ctrl-C without keys')
    view.close()


def chart(folder, columns, rows):
    def values(screen):
        found = re.search(r'(\d+) values? in', last(screen))
        return int(found[1]) if found else 0

    def length(screen):
        """The length of the window, in seconds; 0 for everything."""
        found = re.search(r'-([\d.]+) (s|min) .* now$', screen, re.M)
        return float(found[1]) * (60 if found[2] == 'min' else 1) if found else 0

    view = View(folder, columns, rows)
    command = f'$BLECTL subscribe Alpha ffe1 --as u16 --plot --simulate={ticking(folder)}'
    log = f'{folder}/log-{columns}.ndjson'
    view.type(f'clear; {command} --log {log}; echo status $?')
    screen = view.wait(lambda screen: values(screen) > 3)
    expect(last(screen).endswith('q end  p pause  +- window' if columns == 80 else 'q end  p pause  +-'), f'the keys\n{screen}')
    view.press('p')
    paused = view.wait(lambda screen: last(screen).startswith('paused, '))
    still = view.wait(lambda screen: values(screen) > values(paused) + 5)
    expect(still.split('\n')[:8] == paused.split('\n')[:8], f'the picture pauses while values come\n{paused}\n{still}')
    view.text('zxv')
    view.press('p')
    screen = view.wait(lambda screen: 'values in' in last(screen) and 'paused' not in screen)
    expect(screen.split('\n')[:8] != paused.split('\n')[:8] and 'zxv' not in screen, f'the picture goes on\n{screen}')
    expect(length(screen) == 0, 'everything is shown')
    view.wait(lambda screen: re.search(r' in ([7-9]|\d\d+) s', last(screen)))
    view.press('-')
    first = length(view.wait(length))
    view.press('-')
    view.wait(lambda screen: 0 < length(screen) < first)
    view.press('+')
    view.wait(lambda screen: length(screen) == first)
    view.press('=', '+', '+', '+')
    view.wait(lambda screen: length(screen) == 0 and values(screen) > 0)
    view.press('C-z')
    view.wait(lambda screen: 'Stopped' in screen)
    view.left('Ctrl-Z')
    view.type('clear; fg')
    view.wait(lambda screen: values(screen) > 0 and 'q end' in last(screen))
    view.press('q')
    final = view.left('q')
    shown = int(re.search(r'(\d+) values in', final)[1])
    with open(log, encoding='utf-8') as file:
        logged = sum('"event":"value"' in line for line in file)
    expect(logged == shown, f'the log has every value: {logged} of {shown}')

    view.type(f'clear; {command}; echo status $?')
    view.wait(lambda screen: 'q end' in last(screen))
    view.press('q')
    final = view.left('q')
    expect('status 0\n' in final, f'q is no failure\n{final}')
    view.start(f'{command} </dev/null')
    view.wait(lambda screen: '; Ctrl-C ends' in last(screen))
    view.press('C-c')
    view.left('Ctrl-C without keys')
    view.close()


def questions(folder, columns, rows):
    """A question of a pairing takes the terminal from a view that is open, and gives it back."""
    notifying = {'uuid': 'ffe1', 'properties': ['notify'], 'notifies': TICKS}
    secure = {**notifying, 'security': 'authenticated'}
    path = f'{folder}/secure.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': [
            {'address': ALPHA, 'name': 'Alpha', 'services': [{'uuid': 'ffe0', 'characteristics': [notifying]}]},
            {'address': BETA, 'name': 'Alpine', 'pairing': {'capability': 'display-only', 'passkey': '042017'},
             'services': [{'uuid': 'ffe0', 'characteristics': [secure]}]},
        ], 'events': [{'at': '0s', 'do': 'lose-adverts', 'device': BETA, 'for': '4s'}]}, file)
    view = View(folder, columns, rows)
    view.start(f'$BLECTL subscribe Al\\* ffe1 --as u16 --all --plot --pair --simulate={path}')
    view.wait(lambda screen: 'q end' in last(screen))
    # The second device is heard later.
    view.wait(lambda screen: last(screen) == 'Passkey:')
    view.text('q42017')
    view.wait(lambda screen: last(screen) == 'Passkey: q42017')
    view.press('Enter')
    view.wait(lambda screen: 'six digits' in screen and last(screen) == 'Passkey:')
    view.text('042017')
    view.wait(lambda screen: last(screen) == 'Passkey: 042017')
    view.press('Enter')
    view.wait(lambda screen: 'q end' in last(screen) and '\nB  ' in screen)
    view.press('p')
    view.wait(lambda screen: 'paused' in last(screen))
    view.press('q')
    view.left('q after a question')
    view.close()


def main():
    with tempfile.TemporaryDirectory(prefix='blectl-keys-') as folder:
        for columns, rows in SIZES:
            keys_of_the_list(folder, columns, rows)
            pages(folder, columns, rows)
            stops(folder, columns, rows)
            ends(folder, columns, rows)
            chart(folder, columns, rows)
            questions(folder, columns, rows)
    if screens.failures:
        sys.exit(f'keys: {screens.failures} of {screens.checked} are not as they should be')
    print(f'keys: {screens.checked} checks passed')


if __name__ == '__main__':
    main()
