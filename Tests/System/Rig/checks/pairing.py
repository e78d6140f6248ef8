# SPDX-License-Identifier: MIT
"""Pairs with the devices of docs/pairing-world.md."""

import asyncio
import subprocess

from dbus_fast import Message, MessageFlag, MessageType

from . import document
from .bluez import ADAPTER, Refused

MANAGER, PATH = 'org.bluez.AgentManager1', '/selftest/agent'
NOT_PAIRED = 'AuthenticationFailed: Authentication Failed'


def world(*words):
    """The lines that a command of rig-world prints."""
    done = subprocess.run(('rig-world', *words), check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


class Agent:
    """Answers for the user of BlueZ: says yes, and types what the device shows or has typed."""

    def __init__(self, bluez, capability, address):
        self.bluez, self.capability, self.address = bluez, capability, address
        self.calls = []
        self.passkey = None
        self.shown = None

    async def __aenter__(self):
        self.bluez.bus.add_message_handler(self._on_message)
        await self.bluez.call('/org/bluez', MANAGER, 'RegisterAgent', 'os', [PATH, self.capability])
        return self

    async def __aexit__(self, *_):
        await self.bluez.call('/org/bluez', MANAGER, 'UnregisterAgent', 'o', [PATH])
        self.bluez.bus.remove_message_handler(self._on_message)

    def _on_message(self, message):
        if message.message_type is not MessageType.METHOD_CALL or message.path != PATH:
            return None
        self.calls.append(message.member)
        asyncio.get_running_loop().create_task(self._answer(message))
        return True

    async def _answer(self, message):
        # rig-world takes a while, and must not keep the bus waiting.
        if message.member == 'DisplayPasskey':
            await asyncio.to_thread(world, 'type', self.address, f'{message.body[1]:06}')
        if message.member in ('RequestPasskey', 'RequestConfirmation') and self.passkey is None:
            try:
                [self.shown] = await asyncio.to_thread(world, 'passkey', self.address)
            except subprocess.CalledProcessError:
                return  # the device has refused meanwhile
        if message.flags & MessageFlag.NO_REPLY_EXPECTED:
            return
        if message.member == 'RequestPasskey':
            passkey = int(self.shown) if self.passkey is None else self.passkey
            await self.bluez.bus.send(Message.new_method_return(message, 'u', [passkey]))
        else:
            if message.member == 'RequestConfirmation' and f'{message.body[1]:06}' != self.shown:
                self.calls.append(f'{message.body[1]:06}, but the device shows {self.shown}')
            await self.bluez.bus.send(Message.new_method_return(message))


def expected_call(device):
    """The questions to an agent with a display and a keyboard."""
    if not device.pairs or not device.mitm:
        return []
    return {
        'DisplayOnly': ['RequestPasskey'],
        'KeyboardOnly': ['DisplayPasskey'],
        'DisplayYesNo': ['RequestConfirmation'],
        'KeyboardDisplay': ['RequestConfirmation'] if device.secure_connections else ['DisplayPasskey'],
    }[device.capability]


async def attempt(call):
    try:
        await call
    except Refused as error:
        return str(error)
    return 'ok'


async def forget(bluez, address):
    if bluez.device(address):
        await bluez.call(ADAPTER, 'Adapter1', 'RemoveDevice', 'o', [bluez.path_of(address)])
        await bluez.until(lambda: not bluez.device(address))
    world('reset', address)


async def find(bluez, address):
    world('show', address)
    await bluez.scan(until=lambda: bluez.device(address))
    await bluez.stop_scan()


def attribute(bluez, address, uuid):
    [path] = [
        path
        for path in bluez.children(bluez.path_of(address), 'Characteristic')
        if bluez.uuid(path, 'Characteristic') == uuid
    ]
    return path


async def pair(bluez, equal, device):
    """Pairs as the table says, and reads what the bond is good for."""
    await find(bluez, device.address)
    async with Agent(bluez, 'KeyboardDisplay', device.address) as agent:
        outcome = await attempt(bluez.call(bluez.path_of(device.address), 'Device1', 'Pair'))
        works = device.pairs and device.confirms
        equal(f'{device.name}: Pair', outcome, 'ok' if works else NOT_PAIRED)
        calls = [call for call in agent.calls if call != 'Cancel']
        equal(f'{device.name}: the agent is asked', calls, expected_call(device))
        if device.shows and 'RequestPasskey' in calls:
            equal(f'{device.name}: the passkey', agent.shown, device.shows)
        equal(f'{device.name}: bonds', world('bonds', device.address), ['1' if works else '0'])
        if works:
            await bluez.reload()
            level = 3 if device.mitm and device.secure_connections else 2 if device.mitm else 1
            for needs, uuid, value in document.pairing_attributes():
                if needs <= level and value is not None:
                    read = await bluez.read(attribute(bluez, device.address, uuid))
                    equal(f'{device.name}: {value}', read, value)
    await forget(bluez, device.address)


async def just_works_only(bluez, equal, device):
    """Pairs with an agent that can do nothing."""
    await find(bluez, device.address)
    async with Agent(bluez, 'NoInputNoOutput', device.address) as agent:
        outcome = await attempt(bluez.call(bluez.path_of(device.address), 'Device1', 'Pair'))
        works = device.pairs and not device.demands_mitm
        equal(f'{device.name}: Just Works', (outcome, agent.calls), ('ok' if works else NOT_PAIRED, []))
    await forget(bluez, device.address)


async def wrong_passkey(bluez, equal, device):
    await find(bluez, device.address)
    async with Agent(bluez, 'KeyboardOnly', device.address) as agent:
        agent.passkey = (int(device.shows) + 1) % 1_000_000
        outcome = await attempt(bluez.call(bluez.path_of(device.address), 'Device1', 'Pair'))
        equal(f'{device.name}: a wrong passkey', outcome, NOT_PAIRED)
        equal(f'{device.name}: no bond', world('bonds', device.address), ['0'])
    await forget(bluez, device.address)


async def asked_for(bluez, equal, device):
    """Pairs because the device asks, then because an attribute needs it."""
    await find(bluez, device.address)
    async with Agent(bluez, 'NoInputNoOutput', device.address) as agent:
        await bluez.connect(device.address)
        world('ask-security', device.address)
        await bluez.until(lambda: bluez.device(device.address).get('Bonded'))
        equal(f'{device.name}: asks for security', agent.calls, ['RequestAuthorization'])
        await forget(bluez, device.address)
        await find(bluez, device.address)
        await bluez.connect(device.address)
        agent.calls.clear()
        [path] = [
            attribute(bluez, device.address, uuid)
            for needs, uuid, value in document.pairing_attributes()
            if needs == 1 and value is not None
        ]
        equal(f'{device.name}: an encrypted attribute', await bluez.read(path), b'encrypted')
        equal(f'{device.name}: asks for permission', agent.calls, ['RequestAuthorization'])
        world('forget-bond', device.address)
        equal(f'{device.name}: forget-bond', world('bonds', device.address), ['0'])
    await forget(bluez, device.address)


async def run(bluez, equal):
    devices = document.pairing_devices()
    for device in devices:
        if device.answers:
            await pair(bluez, equal, device)
            await just_works_only(bluez, equal, device)
            if device.shows:
                await wrong_passkey(bluez, equal, device)
    await asked_for(bluez, equal, devices[0])
