# SPDX-License-Identifier: MIT
"""Compares what observe.py saw on a real bluetoothd with what it sees on the simulator.

    compare.py                    the recording with the simulator: the differences must be those of the table
    compare.py --recorded FILE    the recording with FILE, seen on a real bluetoothd: there must be none
    compare.py --print            what observe.py sees on the simulator

`--bluez VERSION` says which version, 5.66 by default. The recording is bluez-VERSION.txt beside this file, the table that
under the heading of the version in docs/simulator-differences.md. A row of the table with code in its second or third
column accounts for the lines of a section that only one of the two shows; `*` stands for anything. A row that accounts
for nothing is an error, too. Prints how many lines were compared.
"""

import argparse
import difflib
import pathlib
import re
import sys

sys.dont_write_bytecode = True

from simulated import ROOT, contract_world  # noqa: E402

HERE = pathlib.Path(__file__).parent
TABLE = ROOT / 'docs/simulator-differences.md'

# Where the kernel's events, the discovery of services and the replies overtake each other: only the content counts there, not
# when, nor how often, nor which properties change in one signal.
UNORDERED = {'a GATT application is registered', 'an attribute needs encryption', 'Pair with an agent'}


class Row:
    """The row of the table for one difference."""

    def __init__(self, section, real, simulated):
        self.section = section
        self.patterns = {'bluetoothd': real, 'simulator': simulated}
        self.used = set()

    def accounts_for(self, section, side, line):
        if not matches(section, self.section):
            return False
        for pattern in self.patterns[side]:
            if matches(line, pattern):
                self.used.add((side, pattern))
                return True
        return False

    def unused(self):
        for side, patterns in self.patterns.items():
            for pattern in patterns:
                if (side, pattern) not in self.used:
                    yield f'{self.section}: {side}: {pattern}'


def matches(text, pattern):
    """Only `*` is special."""
    return re.fullmatch('.*'.join(re.escape(part) for part in pattern.split('*')), text) is not None


def rows_of_table(version):
    """The rows under the heading of a version."""
    heading = ''
    for line in TABLE.read_text().splitlines():
        if line.startswith('#'):
            heading = line.strip('# ')
        if heading != f'bluetoothd {version}':
            continue
        cells = [cell.strip() for cell in line.strip().strip('|').split(' | ')]
        if line.startswith('| `') and len(cells) == 4:
            section, real, simulated = (re.findall(r'`([^`]+)`', cell) for cell in cells[:3])
            yield Row(section[0], real, simulated)


def sections(text):
    found = {}
    for block in text.strip().split('\n## '):
        title, *lines = block.removeprefix('## ').rstrip('\n').split('\n')
        lines = [line for line in lines if line]
        found[title] = sorted({part for line in lines for part in parts(line)}) if title in UNORDERED else lines
    return found


def parts(line):
    """A line for each property that a signal says has changed; any other line as it is."""
    subject, colon, changes = line.partition(': ')
    if line.startswith(('call ', 'reply ')) or not colon:
        return [line]
    return [f'{subject}: {change}' for change in changes.split('; ')]


def differences(real, simulated):
    """(section, side, line) of each line that only one side has at its place."""
    for title in list(real) + [title for title in simulated if title not in real]:
        before, after = real.get(title, []), simulated.get(title, [])
        for step, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
            if step != 'equal':
                yield from ((title, 'bluetoothd', line) for line in before[a:b])
                yield from ((title, 'simulator', line) for line in after[c:d])


def observed(version):
    with contract_world('--bluez', version) as world:
        return world.run([sys.executable, HERE / 'observe.py'])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bluez', default='5.66')
    parser.add_argument('--recorded', type=pathlib.Path)
    parser.add_argument('--print', action='store_true')
    options = parser.parse_args()
    version = options.bluez
    if options.print:
        print(observed(version), end='')
        return 0
    real = sections((HERE / f'bluez-{version}.txt').read_text())
    if options.recorded:
        other, rows, what = sections(options.recorded.read_text()), [], 'the bluetoothd that runs'
    else:
        other, rows, what = sections(observed(version)), list(rows_of_table(version)), 'the simulator'
    failures = 0
    for section, side, line in differences(real, other):
        if not any(row.accounts_for(section, side, line) for row in rows):
            failures += 1
            print(f'{"-" if side == "bluetoothd" else "+"} [{section}] {line}')
    for row in rows:
        for pattern in row.unused():
            failures += 1
            print(f'the table has a difference that is none: {pattern}')
    count = sum(len(lines) for lines in real.values())
    print(f'BlueZ {version}: {len(real)} observations of {count} lines: {what} differs in {failures}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
