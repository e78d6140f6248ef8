# SPDX-License-Identifier: MIT
"""The messages that a client of BlueZ sees, as text: in their order, without the parts that differ from run to run."""

import asyncio
import os
import re
import xml.etree.ElementTree

from dbus_fast import BusType, Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

BLUEZ = 'org.bluez'
PROPERTIES = 'org.freedesktop.DBus.Properties'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
INTROSPECTABLE = 'org.freedesktop.DBus.Introspectable'
ADAPTER = f'{BLUEZ}.Adapter1'
DEVICE = f'{BLUEZ}.Device1'
SERVICE = f'{BLUEZ}.GattService1'
CHARACTERISTIC = f'{BLUEZ}.GattCharacteristic1'
DESCRIPTOR = f'{BLUEZ}.GattDescriptor1'
# Newer versions say in signals of their own why a link has ended.
ENDINGS = DEVICE, f'{BLUEZ}.Bearer.LE1'
HCI = '/org/bluez/hci0'

PATIENCE = 60


def shortened(text):
    """Long paths, names and values as they are easier to read."""
    text = re.sub(r'<([0-9a-f]{40})([0-9a-f]{2,})>', lambda found: f'<{found[1]}…{len(found[0]) // 2 - 1} bytes>', text)
    text = text.replace('/org/bluez/hci0/dev_', 'dev_').replace('org.freedesktop.DBus.', 'DBus.')
    return re.sub(r'\b0000([0-9a-f]{4})-0000-1000-8000-00805f9b34fb', r'\1', text)


class Transcript:
    """Lines under headings, printed as they come."""

    def section(self, title):
        print(f'\n## {title}', flush=True)

    def line(self, text):
        print(shortened(text), flush=True)


def shown(value):
    """A value with its type, in a form of its own: bytes as hex, an RSSI or an address of an adapter as a word."""
    if isinstance(value, Variant):
        return f'{value.signature} {shown(value.value)}'
    if isinstance(value, (bytes, bytearray)):
        return f'<{value.hex()}>'
    if isinstance(value, dict):
        return '{' + ', '.join(f'{shown(key)}: {shown(item)}' for key, item in sorted(value.items())) + '}'
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(shown(item) for item in value) + ']'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value)
    return str(value)


def shown_property(name, value):
    return f'{name} {value.signature} …' if name == 'RSSI' else f'{name} {shown(value)}'


class Client:
    """One connection to the bus; what it receives is logged in its order."""

    def __init__(self, name='client'):
        self.name = name
        self.log = []
        self.objects = {}
        self.event = asyncio.Event()
        self.answers = {}
        self.served = {}
        self.tasks = set()

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.bus.add_message_handler(self._received)
        for interface in (MANAGER, PROPERTIES, *ENDINGS):
            await self._driver('AddMatch', 's', [f"type='signal',sender='{BLUEZ}',interface='{interface}'"])
        reply = await self.ask('/', MANAGER, 'GetManagedObjects')
        self.objects = reply.body[0]
        return self

    async def _driver(self, member, signature, body):
        await self.bus.call(
            Message(
                destination='org.freedesktop.DBus',
                path='/org/freedesktop/DBus',
                interface='org.freedesktop.DBus',
                member=member,
                signature=signature,
                body=body,
            )
        )

    def close(self):
        self.bus.disconnect()

    async def ask(self, path, interface, member, signature='', body=(), patience=PATIENCE):
        """The reply to a call, or None when there is none in time."""
        message = Message(
            destination=BLUEZ, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
        try:
            return await asyncio.wait_for(self.bus.call(message), patience)
        except asyncio.TimeoutError:
            return None

    async def properties(self, path, interface):
        reply = await self.ask(path, PROPERTIES, 'GetAll', 's', [interface])
        return reply.body[0] if reply.message_type is MessageType.METHOD_RETURN else {}

    def serve(self, member, answer, until=lambda: True, patience=PATIENCE):
        """Answers calls of a method to objects of ours once a condition holds, or when the patience ends.

        `answer(message)` gives signature and body, an error, or None for no answer.
        """
        self.served[member] = answer, until, patience

    def _received(self, message):
        if message.message_type is MessageType.SIGNAL and message.interface in (MANAGER, PROPERTIES, *ENDINGS):
            self._follow(message)
            self.log.append(message)
        elif message.message_type is MessageType.METHOD_CALL and message.member in self.served:
            self.log.append(message)
            self.event.set()
            task = asyncio.create_task(self._answer(message, *self.served[message.member]))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
            return True
        self.event.set()
        return None

    async def _answer(self, message, answer, until, patience):
        await self.until(until, patience)
        reply = answer(message)
        if not message.flags & MessageFlag.NO_REPLY_EXPECTED and reply is not None:
            await self.bus.send(reply if isinstance(reply, Message) else Message.new_method_return(message, *reply))

    def _follow(self, message):
        if message.member == 'InterfacesAdded':
            path, interfaces = message.body
            self.objects.setdefault(path, {}).update(interfaces)
        elif message.member == 'InterfacesRemoved':
            path, interfaces = message.body
            for interface in interfaces:
                self.objects.get(path, {}).pop(interface, None)
            if not self.objects.get(path):
                self.objects.pop(path, None)
        elif message.member == 'PropertiesChanged':
            interface, changed, gone = message.body
            held = self.objects.setdefault(message.path, {}).setdefault(interface, {})
            held.update(changed)
            for name in gone:
                held.pop(name, None)

    def value(self, path, interface, name):
        variant = self.objects.get(path, {}).get(interface, {}).get(name)
        return variant.value if variant else None

    async def until(self, condition, patience=PATIENCE):
        end = asyncio.get_running_loop().time() + patience
        while not condition():
            self.event.clear()
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self.event.wait(), left)
            except asyncio.TimeoutError:
                return condition()
        return True

    async def settle(self):
        """All that was caused before has arrived when this returns."""
        await self.ask(HCI, PROPERTIES, 'Get', 'ss', [ADAPTER, 'Address'])


def described_reply(reply):
    if reply is None:
        return 'no reply'
    if reply.message_type is MessageType.ERROR:
        return f'{reply.error_name}: {(reply.body[0] if reply.body else None)!r}'
    for descriptor in reply.unix_fds:
        os.close(descriptor)
    body = reply.body
    if reply.signature == 'hq':
        body = ['fd', body[1]]
    return 'ok' + ''.join(' ' + shown(value) for value in body)


def described_signal(message, hidden=()):
    """A signal as a line; None for one that carries only hidden properties, or repeats a device."""
    if message.message_type is MessageType.METHOD_CALL:
        # The number of a comparison is another one each time.
        body = [*message.body[:1], *('…' for _ in message.body[1:])]
        return f'call {message.path} {message.member} {shown(body)}'
    if message.interface in ENDINGS:
        return f'{message.path} {message.interface.removeprefix("org.bluez.")}.{message.member} {shown(message.body)}'
    if message.member == 'PropertiesChanged':
        interface, changed, gone = message.body
        names = [shown_property(name, value) for name, value in changed.items() if name not in (*hidden, 'RSSI')]
        gone = [name for name in gone if name not in hidden]
        if not names and not gone:
            return None
        absent = f' absent: {", ".join(sorted(gone))}' if gone else ''
        return f'{message.path} {interface.removeprefix("org.bluez.")}: {"; ".join(sorted(names))}{absent}'
    if message.member == 'InterfacesAdded':
        path, interfaces = message.body
        return f'{path} added: {", ".join(interfaces)}'
    path, interfaces = message.body
    return f'{path} removed: {", ".join(interfaces)}'


def lines_of_objects(objects, prefix='/'):
    for path in sorted(objects):
        if not path.startswith(prefix):
            continue
        yield f'{path}: {", ".join(objects[path])}'
        for interface, properties in objects[path].items():
            for name, value in properties.items():
                yield f'{path} {interface.removeprefix("org.bluez.")}.{shown_property(name, value)}'


def lines_of_introspection(text):
    root = xml.etree.ElementTree.fromstring(text)
    for interface in root.findall('interface'):
        label = interface.get('name')
        yield label
        for member in interface:
            if member.tag == 'property':
                what = f'{member.get("type")} {member.get("access")}'
            elif member.tag == 'annotation':
                yield f'{label} annotation {member.get("name")} = {member.get("value")}'
                continue
            else:
                what = ', '.join(
                    f'{argument.get("direction") or "-"} {argument.get("name")}:{argument.get("type")}'
                    for argument in member.findall('arg')
                )
            yield f'{label}.{member.get("name")} {member.tag} {what}'.rstrip()
            for annotation in member.findall('annotation'):
                yield f'{label}.{member.get("name")} annotation {annotation.get("name")} = {annotation.get("value")}'
    for name in sorted(node.get('name') for node in root.findall('node')):
        yield f'child {name}'
