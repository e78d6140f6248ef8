#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shell on terminals of two sizes: notifications while a line is typed, completion, history, resizing, Ctrl-C.

Times stand in what is shown, so screens are not kept: each step waits for what it has to bring about.
"""

import json
import os
import stat
import sys
import tempfile

import screens
from screens import SIZES, Terminal, expect


def last(screen):
    return screen.rstrip('\n').split('\n')[-1]


def is_whole(screen):
    """No line of a notification or of the prompt is torn: each has its form."""
    for line in screen.rstrip('\n').split('\n'):
        if ' bpm' in line and not line.startswith('20'):
            return False
        if '●>' in line and not line.startswith('Heart Strap ●>'):
            return False
    return True


def session(folder, columns, rows):
    home = f'{folder}/home-{columns}'
    os.mkdir(home)
    terminal = Terminal(columns, rows)
    start = f'clear; HOME={home} $BLECTL shell Heart --simulate'
    terminal.type(start)
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')

    terminal.type('subscribe 2a37')
    terminal.wait(lambda screen: screen.count(' bpm') >= 2)
    terminal.tmux('send-keys', '-l', 'read batt')
    typed = terminal.wait(lambda screen: screen.count(' bpm') >= 5 and last(screen) == 'Heart Strap ●> read batt')
    expect(is_whole(typed), f'notifications appear above the line\n{typed}')
    terminal.key('Tab')
    terminal.wait(lambda screen: last(screen).rstrip() == 'Heart Strap ●> read battery-level')
    terminal.key('Enter')
    terminal.wait(lambda screen: '87 %  57' in screen)

    terminal.tmux('send-keys', '-l', 'unsub')
    terminal.key('Tab')
    terminal.key('Enter')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.tmux('send-keys', '-l', 'read 2a19 --a')
    terminal.key('Tab')
    terminal.wait(lambda screen: last(screen).rstrip() == 'Heart Strap ●> read 2a19 --as')
    terminal.tmux('send-keys', '-l', 'utf')
    terminal.key('Tab')
    terminal.key('Enter')
    terminal.wait(lambda screen: any(line.rstrip() == 'W' for line in screen.split('\n')))

    # Wide characters, on a line that a narrower terminal wraps.
    terminal.tmux('send-keys', '-l', 'set A 漢字漢字漢字漢字')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> set A 漢字漢字漢字漢字')
    terminal.resize(30, 12)
    terminal.wait(lambda screen: '漢' in screen and len(last(screen)) < 30)
    terminal.resize(columns, rows)
    terminal.key('C-u')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')

    terminal.type('sleep 1h')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> sleep 1h')
    terminal.key('C-c')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.tmux('send-keys', '-l', 'nonsense')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> nonsense')
    terminal.key('C-c')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')

    # A live view takes keys, and gives the terminal back to the line editor.
    terminal.type('scan --duration 0')
    terminal.wait(lambda screen: last(screen).startswith('q end') and '> E7:' in screen)
    terminal.key('j')
    terminal.wait(lambda screen: '> C8:' in screen)
    terminal.tmux('send-keys', 'C-z')
    terminal.wait(lambda screen: 'Stopped' in screen)
    terminal.type('fg')
    terminal.wait(lambda screen: '> C8:' in screen)
    terminal.key('q')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')

    terminal.type('disconnect')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ○>')
    terminal.type('connect')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.key('C-d')
    terminal.wait(lambda screen: last(screen) == '$')
    expect(terminal.cursor_is_visible(), 'the shell leaves the terminal as it was')

    # The history outlives the process, and only its owner can read it.
    path = f'{home}/.local/state/blectl/history'
    expect(stat.S_IMODE(os.stat(path).st_mode) == 0o600, 'only its owner reads the history')
    terminal.type(start)
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.key('Up')
    terminal.key('Up')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> disconnect')
    terminal.key('C-c')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.key('C-d')
    terminal.wait(lambda screen: last(screen) == '$')
    terminal.close()


def healing(folder):
    """A lost link shows, and is opened again with its subscriptions."""
    path = f'{folder}/healing.json'
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'peripherals': [{
            'address': 'C0:00:00:00:00:01', 'name': 'Echo', 'services': [{'uuid': 'ffe0', 'characteristics': [
                {'uuid': 'ffe2', 'properties': ['notify'],
                 'notifies': {'counter': {'format': 'u8', 'from': 1, 'to': 200}, 'every': '300ms'}},
                {'uuid': 'ffe3', 'properties': ['write'], 'on_write': 'hang_up'}]}]}]}, file)
    terminal = Terminal(80, 24)
    terminal.type(f'clear; HOME={folder} $BLECTL shell Echo --simulate={path}')
    terminal.wait(lambda screen: last(screen) == 'Echo ●>')
    terminal.type('subscribe ffe2')
    terminal.wait(lambda screen: '<02>' in screen)
    terminal.type('write ffe3 01')
    terminal.wait(lambda screen: 'the link to Echo is lost' in screen)
    healed = terminal.wait(lambda screen: 'connected to Echo again' in screen and last(screen) == 'Echo ●>')
    after = healed.split('connected to Echo again')[0].count('<')
    terminal.wait(lambda screen: screen.count('<') > after + 2)
    terminal.key('C-d')
    terminal.wait(lambda screen: last(screen) == '$')
    terminal.close()


def vi_keys(folder):
    """The keys of vi, as ~/.editrc asks for; several lines that are pasted run one after the other."""
    home = f'{folder}/vi'
    os.mkdir(home)
    with open(f'{home}/.editrc', 'w', encoding='utf-8') as file:
        file.write('bind -v\n')
    terminal = Terminal(80, 24)
    terminal.type(f'clear; HOME={home} $BLECTL shell Heart --simulate')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.tmux('send-keys', '-l', 'rread 2a19 --as utf8')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> rread 2a19 --as utf8')
    terminal.key('Escape')
    terminal.tmux('send-keys', '-l', '0x$bbbD')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> read 2a19')
    terminal.key('Enter')
    terminal.wait(lambda screen: '87 %  57' in screen and last(screen) == 'Heart Strap ●>')
    terminal.key('Escape')
    terminal.key('k')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●> read 2a19')
    terminal.key('C-c')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.tmux('set-buffer', 'read 2a38\nset A 漢字\nsleep 100ms\nread 2a24\nrea')
    terminal.tmux('paste-buffer', '-p')
    screen = terminal.wait(lambda screen: 'HS-1' in screen and last(screen) == 'Heart Strap ●> rea')
    expect(0 < screen.find('chest') < screen.find('set A 漢字') < screen.find('HS-1'), f'pasted lines run in order\n{screen}')
    terminal.close()


def plain(folder):
    """On a terminal that cannot draw, lines are plain."""
    terminal = Terminal(80, 24)
    terminal.type(f'clear; TERM=dumb HOME={folder} $BLECTL shell Heart --simulate')
    terminal.wait(lambda screen: last(screen) == 'Heart Strap ●>')
    terminal.type('read 2a19')
    terminal.wait(lambda screen: '87 %  57' in screen and last(screen) == 'Heart Strap ●>')
    terminal.key('C-d')
    terminal.wait(lambda screen: last(screen).endswith('$'))
    terminal.close()


def main():
    with tempfile.TemporaryDirectory(prefix='blectl-shell-') as folder:
        for columns, rows in SIZES:
            session(folder, columns, rows)
        healing(folder)
        vi_keys(folder)
        plain(folder)
    if screens.failures:
        sys.exit(f'shell: {screens.failures} of {screens.checked} are not as they should be')
    print(f'shell: {screens.checked} checks passed')


if __name__ == '__main__':
    main()
