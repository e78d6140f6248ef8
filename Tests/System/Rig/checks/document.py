# SPDX-License-Identifier: MIT
"""Reads docs/built-in-world.md, so that what is checked is what is written there."""

import dataclasses
import pathlib
import re

DOCUMENT = pathlib.Path(__file__).resolve().parents[4] / 'docs' / 'built-in-world.md'
PAIRING = DOCUMENT.with_name('pairing-world.md')
HOSTILE_NAME = 'Evil\x1b[31m\n\u202eX\tY'


@dataclasses.dataclass
class Advertised:
    name: str | None
    address: str
    connectable: bool
    services: list
    manufacturer: dict
    service_data: dict
    tx_power: int | None


def long_uuid(short):
    return short if '-' in short else f'0000{short}-0000-1000-8000-00805F9B34FB'


@dataclasses.dataclass
class PairingDevice:
    """A device of docs/pairing-world.md."""

    name: str
    address: str
    capability: str
    how: str

    @property
    def mitm(self):
        return ', MITM' in self.how

    @property
    def secure_connections(self):
        return self.how.startswith('Secure Connections')

    @property
    def shows(self):
        found = re.search(r'shows `(\d{6})`', self.how)
        return found[1] if found else None

    @property
    def answers(self):
        return 'answers no pairing request' not in self.how

    @property
    def pairs(self):
        return self.answers and 'refuses every pairing' not in self.how

    @property
    def confirms(self):
        return 'answers no' not in self.how

    @property
    def demands_mitm(self):
        return 'refuses Just Works' in self.how


def pairing_devices():
    return [
        PairingDevice(name.strip('`'), address, capability, how)
        for name, address, capability, how in rows(sections(PAIRING)[''])
    ]


def pairing_attributes():
    """The security of each attribute (0 to 3), its UUID, and its value if it can be read."""
    text = sections(PAIRING)['Attributes']
    pattern = re.search(r'UUIDs are (\S+)\. ', text)[1]
    levels = ['nothing', 'encryption', 'authentication', 'Secure Connections']
    return [
        (levels.index(needs), pattern.replace('xxxx', what.split()[0]), value_of(value))
        for what, _properties, needs, value in rows(text)
    ]


def sections(page=DOCUMENT):
    parts = re.split(r'^## (.*)$', page.read_text(encoding='utf-8'), flags=re.M)
    return {'': parts[0]} | {
        re.sub(r' \(.*', '', title).strip(): text for title, text in zip(parts[1::2], parts[2::2])
    }


def rows(text):
    cells = [
        [cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('|')
    ]
    return cells[2:]


def advertised():
    found = []
    for device, address, what in rows(sections()['']):
        name = re.match(r'`(.*?)`', device)
        services = re.search(r'\bservices? ((?:[0-9A-F-]+ ?)+)', what)
        manufacturer = re.search(r'manufacturer data ([0-9A-F]{4}) = `(\w+)`', what)
        data = re.search(r'service data ([0-9A-F]{4}) = `(\w+)`', what)
        power = re.search(r'TX power (-?\d+)', what)
        found.append(
            Advertised(
                HOSTILE_NAME if 'hostile' in device else name[1] if name else None,
                address,
                what.startswith('connectable'),
                [long_uuid(s) for s in services[1].split()] if services else [],
                {int(manufacturer[1], 16): bytes.fromhex(manufacturer[2])} if manufacturer else {},
                {long_uuid(data[1]): bytes.fromhex(data[2])} if data else {},
                int(power[1]) if power else None,
            )
        )
    return found


def value_of(text):
    """The value in a characteristic's row, or None."""
    if re.search(r'notifies|indicates', text.split('`')[0]):
        return None
    quoted = re.search(r'`([^`]*)`( \(text\))?', text)
    if not quoted:
        return None
    if not quoted[2] and re.fullmatch(r'([0-9a-f]{2})+', quoted[1]):
        return bytes.fromhex(quoted[1])
    return quoted[1].encode()


def characteristics(text, complete=long_uuid):
    found = []
    for item in re.split(r' · ', text.strip().rstrip('.')):
        short, properties = re.match(r'(\S+) ([0-9A-F]{2})\b', item).groups()
        found.append((complete(short), int(properties, 16), value_of(item)))
    return found


def tree(name):
    """Services of a device: [(UUID, [(UUID, properties, value or None)])]."""
    text = sections()[name]
    if name == 'MI Band 2':
        suffix = re.search(r'`…` stands for `(.*?)`', text)[1]

        def complete(short):
            return short.replace('…', suffix) if '…' in short else long_uuid(short)

        return [(complete(s), characteristics(c, complete)) for s, c in rows(text)]
    if name == 'Contract Bench':
        pattern = re.search(r'UUIDs are (\S+)\.', text)[1]

        def bench(short):
            return pattern.replace('xxxx', short)

        first = []
        for what, properties, behaviour in rows(text):
            short = what.split()[0]
            values = [value_of(behaviour)]
            if 'twice' in behaviour:
                values = [bytes.fromhex(v) for v in re.findall(r'`(\w+)`', behaviour)]
            first += [(bench(short), int(properties, 16), value) for value in values]
        service, short, properties, value = re.search(
            r'^Service (\w{4}): (\w{4}) [\w ]+, (\w\w), value `(\w+)`', text, re.M
        ).groups()
        second = [(bench(short), int(properties, 16), bytes.fromhex(value))]
        return [(bench('0001'), first), (bench(service), second)]
    text = re.sub(r'\n', ' ', text)
    return [
        (long_uuid(service), characteristics(content))
        for service, content in re.findall(r'\b([0-9A-F]{4}): (.*?)\.(?= |$)', text)
    ]
