#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs what a unit starts, confined as the unit says, where systemd is not the init process.

    blectl simulate -- confinement.py UNIT

The user, the capabilities, the network and the privileges are as under systemd. The system calls are recorded by strace, and
judged by what the unit allows: systemd would kill the program for any other.
"""

import collections
import contextlib
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from broker import Broker

BLECTL = os.environ['BLECTL']
NOBODY = 65534


def read(unit):
    """The settings of the unit's service; each name may have several values."""
    settings = collections.defaultdict(list)
    section = None
    for line in pathlib.Path(unit).read_text(encoding='utf-8').splitlines():
        if line.startswith('['):
            section = line
        elif section == '[Service]' and '=' in line and not line.startswith('#'):
            name, _, value = line.partition('=')
            settings[name].append(value)
    return settings


def calls_of(name):
    """The system calls of a set of systemd, and of the sets in it."""
    if not name.startswith('@'):
        return {name}
    text = subprocess.run(
        ['systemd-analyze', 'syscall-filter', name], check=True, capture_output=True, text=True
    ).stdout
    members = [line.strip() for line in text.splitlines()[1:]]
    return {call for member in members if member and member[0] != '#' for call in calls_of(member)}


def allowed_calls(filters):
    allowed = set()
    for value in filters:
        calls = {call for name in value.removeprefix('~').split() for call in calls_of(name)}
        allowed = allowed - calls if value.startswith('~') else allowed | calls
    # systemd always allows these.
    return allowed | calls_of('@default') | {'execve', 'rt_sigreturn', 'exit', 'exit_group'}


def command(settings, folder, variables):
    """What the unit starts, for a few seconds; the folder takes the place of /var/lib."""
    # Devices that are named are announced at once.
    line = settings['ExecStart'][0].replace('$OPTIONS', "'*'").replace('/var/lib', str(folder))
    for name, value in variables.items():
        line = line.replace('${%s}' % name, value)
    program, *arguments = shlex.split(line)
    assert program == '/usr/local/bin/blectl', program
    return [BLECTL, *arguments, '--duration', '4s']


def confined(settings, words, trace):
    run = ['strace', '-f', '-qq', '-s', '256', '-o', trace]
    if settings['PrivateNetwork'] == ['yes']:
        run = ['unshare', '--net', *run]
    user = [f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']
    return [*run, 'setpriv', *user, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', *words]


def judge(settings, trace):
    """What the program did that the unit forbids."""
    allowed = allowed_calls(settings['SystemCallFilter'])
    families = set(settings['RestrictAddressFamilies'][0].split())
    lines = pathlib.Path(trace).read_text(encoding='utf-8', errors='replace').splitlines()
    start = next(number for number, line in enumerate(lines) if f'execve("{BLECTL}"' in line)
    made = collections.Counter()
    forbidden = set()
    for line in lines[start:]:
        call = re.match(r'\d+ +(\w+)\(', line)
        if not call:
            continue
        made[call[1]] += 1
        if call[1] not in allowed:
            forbidden.add(call[1])
        family = re.match(r'\d+ +socket\((AF_\w+)', line)
        if family and family[1] not in families:
            forbidden.add(f'a socket of {family[1]}')
        if 'PROT_WRITE|PROT_EXEC' in line or call[1] == 'mprotect' and 'PROT_EXEC' in line:
            forbidden.add('memory that can be written and run')
    return made, forbidden


def play(unit, folder):
    settings = read(unit)
    state = folder / 'blectl'
    state.mkdir()
    os.chown(state, NOBODY, NOBODY)
    with contextlib.ExitStack() as stack:
        variables = {}
        if '${BROKER}' in settings['ExecStart'][0]:
            broker = stack.enter_context(Broker(folder))
            variables['BROKER'] = f'{broker.url}/ble/attic'
        done = subprocess.run(
            confined(settings, command(settings, folder, variables), folder / 'trace'),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        assert done.returncode == 0, f'{unit}: status {done.returncode}: {done.stderr}'
        if variables:
            assert broker.retained('homeassistant/#'), 'nothing has reached the broker'
    if not variables:
        with open(state / 'sensors.csv', newline='', encoding='utf-8') as table:
            assert any(row['event'] == 'value' for row in csv.DictReader(table)), 'the table has no values'
    made, forbidden = judge(settings, folder / 'trace')
    assert not forbidden, f'{unit} forbids what blectl does: {", ".join(sorted(forbidden))}'
    print(f'{pathlib.Path(unit).name}: {sum(made.values())} system calls of {len(made)} kinds, all allowed')


def main():
    # The bus of the simulation is for its user alone.
    bus = os.environ['DBUS_SYSTEM_BUS_ADDRESS'].removeprefix('unix:path=').split(',')[0]
    os.chmod(pathlib.Path(bus).parent, 0o755)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        play(sys.argv[1], pathlib.Path(folder))


if __name__ == '__main__':
    main()
