# SPDX-License-Identifier: MIT
"""The other end of the guest's `rig-world`: reads a command a line, answers with lines of which `ok` or `error: …` is
the last."""

import re

COMMANDS = 'list', 'show', 'hide', 'drop', 'lose', 'reset'
UNITS = {'us': 1e-6, 'ms': 1e-3, 's': 1.0}


async def serve(reader, writer, devices, air, central):
    while line := (await reader.readline()).decode():
        try:
            answers = await carry_out(line.strip(), devices, air, central)
        except ValueError as error:
            answers = [f'error: {error}']
        for answer in answers:
            writer.write(f'{answer}\n'.encode())
        await writer.drain()


async def carry_out(line, devices, air, central):
    verb, _, rest = line.partition(' ')
    if verb == 'central':
        return await central.carry_out(rest) + ['ok']
    if verb == 'packet-time':
        air.set_packet_time(seconds(rest))
        return ['ok']
    if verb == 'forget-received':
        for device in choose(devices, rest):
            if hasattr(device, 'forget_received'):
                device.forget_received()
        return ['ok']
    if verb in ('received', 'received-count'):
        who, _, uuid = rest.rpartition(' ')
        values = counted(choose(devices, who), 'received', uuid)
        return [str(len(values))] * (verb == 'received-count') + [
            value.hex() or '-' for value in values if verb == 'received'
        ] + ['ok']
    if verb == 'sent-count':
        who, _, uuid = rest.rpartition(' ')
        return [str(counted(choose(devices, who), 'sent_count', uuid)), 'ok']
    if verb == 'change-address':
        who, _, address = rest.rpartition(' ')
        await one(devices, who).change_address(address)
        return ['ok']
    if verb == 'link-time':
        who, _, time = rest.rpartition(' ')
        one(devices, who).link_time = seconds(time)
        return ['ok']
    if verb == 'refuse-subscription':
        who, _, uuid = rest.rpartition(' ')
        one(devices, who).refuse_subscription(uuid)
        return ['ok']
    if verb == 'move-attributes':
        parts = re.fullmatch(r'(.+?) (\d+)(?: from ([0-9a-f]{4}))?', rest)
        if not parts:
            raise ValueError('not NAME|ADDRESS DISTANCE [from HANDLE]')
        one(devices, parts[1]).move_attributes(int(parts[2]), int(parts[3] or '1', 16))
        return ['ok']
    if verb in PAIRING:
        return await PAIRING[verb](devices, rest) + ['ok']
    if verb not in COMMANDS:
        raise ValueError(f'no command {verb!r}')
    chosen = choose(devices, rest)
    if verb == 'show' and not rest:
        chosen = [device for device in chosen if not device.hidden_at_first]
    if verb == 'list':
        return [describe(device) for device in chosen] + ['ok']
    if verb == 'reset' and not rest:
        air.set_packet_time(0.0)
        await central.reset()
    for device in chosen:
        await getattr(device, verb)()
    return ['ok']


async def passkey(devices, who):
    try:
        return [f'{await one(devices, who).security.user.shown():06}']
    except TimeoutError:
        raise ValueError('it shows no passkey') from None


async def type_passkey(devices, rest):
    who, _, digits = rest.rpartition(' ')
    if not re.fullmatch(r'\d{6}', digits):
        raise ValueError(f'not six digits: {digits!r}')
    await one(devices, who).security.user.type(int(digits))
    return []


async def forget_bond(devices, who):
    one(devices, who).security.forget()
    return []


async def bonds(devices, who):
    return [str(len(one(devices, who).security.bonds))]


async def ask_security(devices, who):
    device = one(devices, who)
    if not device.connection:
        raise ValueError('it is not connected')
    device.device.request_pairing(device.connection)
    return []


PAIRING = {
    'passkey': passkey,
    'type': type_passkey,
    'forget-bond': forget_bond,
    'bonds': bonds,
    'ask-security': ask_security,
}


def one(devices, who):
    """The peripheral with this name or address."""
    for device in choose(devices, who):
        if who and hasattr(device, 'security'):
            return device
    raise ValueError(f'no peripheral {who!r}')


def choose(devices, who):
    chosen = [d for d in devices if not who or who in (d.name, d.address)]
    if not chosen:
        raise ValueError(f'no device {who!r}')
    return chosen


def counted(devices, what, uuid):
    """What the first of the devices that has the characteristic says of it."""
    for device in devices:
        answer = getattr(device, what)(uuid) if hasattr(device, what) else None
        if answer is not None:
            return answer
    raise ValueError(f'no characteristic {uuid!r}')


def seconds(text):
    """A duration such as `30ms`, in seconds."""
    parts = re.fullmatch(r'(\d+(?:\.\d+)?)(us|ms|s)', text)
    if not parts:
        raise ValueError(f'not a duration such as 30ms: {text!r}')
    return float(parts[1]) * UNITS[parts[2]]


def describe(device):
    state = 'connected' if getattr(device, 'connection', None) else 'shown' if device.shown.is_set() else 'hidden'
    return f'{device.address} {state} {device.name!r}'
