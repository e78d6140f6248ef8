# SPDX-License-Identifier: MIT
"""Faults as docs/faults.md lists them: each with its example, changed at random."""

import json
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / 'docs/faults.md'
ROW = re.compile(r'^\| `([a-z-]+)`( •)? \|.*\| `(\{.*\})` \|$')

# Methods that the logger needs.
METHODS = [
    'SetDiscoveryFilter', 'StartDiscovery', 'StopDiscovery', 'Connect', 'Disconnect', 'StartNotify', 'StopNotify',
    'GetManagedObjects', 'Pair',
]  # fmt: skip
# Faults that stop every link are rare, so that most of the time there are links to disturb.
RARE = {
    'adapter-off', 'adapter-on', 'add-adapter', 'block-adapter', 'forget-bonds', 'freeze-daemon', 'kill-daemon',
    'remove-adapter', 'stop-daemon', 'unblock-adapter', 'ask-security',
}  # fmt: skip
# Faults that take all of Bluetooth away, for any time.
OUTAGES = {'adapter-off', 'block-adapter', 'kill-daemon', 'remove-adapter', 'stop-daemon'}
# Ends something: alone, it would be undone by other faults only.
ENDING = {'adapter-on', 'unblock-adapter', 'start-daemon', 'thaw-daemon', 'appear', 'other-leave', 'other-stop-scan'}


def listed():
    """Every fault of the page: its word, whether it accepts "for", and its example."""
    rows = [ROW.match(line) for line in PAGE.read_text(encoding='utf-8').splitlines()]
    faults = {row[1]: (bool(row[2]), json.loads(row[3])) for row in rows if row}
    assert len(faults) > 40, f'{PAGE} lists {len(faults)} faults only'
    # The values of the test itself.
    del faults['set-value']
    # The daemon drops what comes from attributes that it does not know.
    del faults['move-attributes']
    # With another address, it is another device, unless its key is known.
    del faults['change-address']
    # The bus is killed beside all other faults, when nothing of the test needs it.
    del faults['kill-bus'], faults['start-bus']
    return faults


def outage(chance, longest):
    """How many seconds an outage lasts: as often less than half a second as more than a few."""
    return 0.1 * (longest / 0.1) ** chance.random()


class Storm:
    """A seeded sequence of faults; each word comes once before any comes by chance."""

    def __init__(self, chance, devices, characteristics, longest):
        self.chance, self.devices, self.characteristics = chance, devices, characteristics
        self.longest = longest
        self.faults = listed()
        self.words = sorted(self.faults)
        self.first = self.words[:]
        chance.shuffle(self.first)
        self.weights = [1 if word in RARE else 4 for word in self.words]
        self.is_wild = False
        self.phase = 0

    def pause(self):
        """The seconds until the next fault: storms and calms take turns."""
        if self.phase == 0:
            self.is_wild = not self.is_wild
            self.phase = self.chance.randint(5, 20) if self.is_wild else self.chance.randint(1, 4)
        self.phase -= 1
        return self.chance.expovariate(3 if self.is_wild else 0.3)

    def next(self):
        chance = self.chance
        word = self.first.pop() if self.first else chance.choices(self.words, self.weights)[0]
        accepts_for, example = self.faults[word]
        command = dict(example)
        if 'device' in command:
            command['device'] = chance.choice(self.devices)
        if 'characteristic' in command:
            command['characteristic'] = chance.choice(self.characteristics)
        if 'adapter' in command:
            command['adapter'] = chance.choice(['hci0', 'hci0', 'hci1'])
        command.pop('for', None)
        if accepts_for and word not in ENDING:
            seconds = chance.uniform(0.05, 2.5 if word in RARE else 8)
            if word in OUTAGES:
                seconds = outage(chance, self.longest)
            command['for'] = f'{int(seconds * 1000)}ms'
        if 'times' in command:
            command['times'] = chance.randint(1, 3)
        for key in ('by', 'time', 'packet_time'):
            if key in command:
                command[key] = f'{chance.randint(0, {"by": 3000, "time": 4000, "packet_time": 60}[key])}ms'
        if 'operation' in command or word in ('slow-answer', 'no-answer'):
            command['operation'] = 'subscribe'
        if word == 'att-error':
            command['code'] = chance.choice(['0x0e', '0x80', '0x81', '0xfc'])
        if word == 'fail-call':
            command['method'] = chance.choice(METHODS)
        if word == 'drop-after-operations':
            command['operations'] = chance.randint(1, 6)
        if word == 'order-services':
            command['order'] = chance.choice(['resolved_first', 'objects_late', 'objects_first'])
            if command['order'] != 'objects_late':
                command.pop('by', None)
        if 'rssi' in command:
            command['rssi'] = chance.randint(-100, -30)
        return command


def healing(devices, methods=METHODS):
    """The commands that end every fault."""
    commands = [{'do': 'start-daemon'}, {'do': 'thaw-daemon'}, {'do': 'add-adapter', 'adapter': 'hci0'}]
    commands += [{'do': 'unblock-adapter'}, {'do': 'adapter-on'}, {'do': 'double-signals', 'times': 0}]
    commands += [{'do': 'fail-call', 'method': method, 'times': 0} for method in methods]
    commands += [{'do': 'other-leave'}, {'do': 'remove-adapter', 'adapter': 'hci1'}]
    for device in devices:
        for word in ('heal', 'appear', 'drop-link'):
            commands.append({'do': word, 'device': device})
    return commands
