# SPDX-License-Identifier: MIT
"""The other end of the guest's `rig-world`: reads a command a line, answers with lines of which `ok` or `error: …` is
the last."""

import asyncio

COMMANDS = 'list', 'show', 'hide', 'drop', 'lose', 'reset'


async def serve(reader, writer, devices):
    while line := (await reader.readline()).decode():
        for answer in await carry_out(line.strip(), devices):
            writer.write(f'{answer}\n'.encode())
        await writer.drain()


async def carry_out(line, devices):
    verb, _, who = line.partition(' ')
    chosen = [d for d in devices if not who or who in (d.name, d.address)]
    if verb not in COMMANDS:
        return [f'error: no command {verb!r}']
    if not chosen:
        return [f'error: no device {who!r}']
    if verb == 'list':
        return [describe(device) for device in chosen] + ['ok']
    for device in chosen:
        await getattr(device, verb)()
    return ['ok']


def describe(device):
    state = 'connected' if getattr(device, 'connection', None) else 'shown' if device.shown.is_set() else 'hidden'
    return f'{device.address} {state} {device.name!r}'
