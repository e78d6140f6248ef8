# SPDX-License-Identifier: MIT
"""Just enough of a BlueZ client to look at it as it is: no library between the rig's own checks and the bus."""

import asyncio
import collections

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER = '/org/bluez/hci0'
NAMES = {
    'Adapter1': 'org.bluez.Adapter1',
    'Device1': 'org.bluez.Device1',
    'Service': 'org.bluez.GattService1',
    'Characteristic': 'org.bluez.GattCharacteristic1',
    'Descriptor': 'org.bluez.GattDescriptor1',
}
PROPERTIES, MANAGER = 'org.freedesktop.DBus.Properties', 'org.freedesktop.DBus.ObjectManager'


class Refused(Exception):
    """An error reply: its name without `org.`, and its text."""

    def __init__(self, name, text):
        self.name = name.removeprefix('org.bluez.Error.').removeprefix('org.freedesktop.DBus.Error.')
        self.full, self.text = name, text
        super().__init__(f'{self.name}: {text}')


def plain(value):
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


class BlueZ:
    """A bus connection, and all objects of BlueZ as its signals tell."""

    async def open(self):
        self.objects = {}
        self.values = collections.defaultdict(asyncio.Queue)
        self.removed = []
        self.changed = asyncio.Event()
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.bus.add_message_handler(self._on_message)
        for rule in (
            f"type='signal',sender='org.bluez',interface='{MANAGER}'",
            f"type='signal',sender='org.bluez',interface='{PROPERTIES}'",
        ):
            await self.call(
                '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'AddMatch', 's', [rule], to='org.freedesktop.DBus'
            )
        await self.reload()
        return self

    async def reload(self):
        (objects,) = await self.call('/', MANAGER, 'GetManagedObjects')
        self.objects = {path: plain(interfaces) for path, interfaces in objects.items()}

    async def call(self, path, interface, member, signature='', body=(), to='org.bluez', patience=50):
        reply = await asyncio.wait_for(
            self.bus.call(
                Message(
                    destination=to,
                    path=path,
                    interface=NAMES.get(interface, interface),
                    member=member,
                    signature=signature,
                    body=list(body),
                )
            ),
            patience,
        )
        if reply.message_type is MessageType.ERROR:
            raise Refused(reply.error_name, reply.body[0] if reply.body else '')
        self.unix_fds = reply.unix_fds
        return reply.body

    def _on_message(self, message):
        if message.message_type is not MessageType.SIGNAL:
            return
        if message.member == 'InterfacesAdded':
            path, interfaces = message.body
            self.objects.setdefault(path, {}).update(plain(interfaces))
        elif message.member == 'InterfacesRemoved':
            path, interfaces = message.body
            for interface in interfaces:
                self.objects.get(path, {}).pop(interface, None)
            if not self.objects.get(path):
                self.objects.pop(path, None)
            self.removed.append(path)
        elif message.member == 'PropertiesChanged':
            interface, changed, gone = message.body
            held = self.objects.setdefault(message.path, {}).setdefault(interface, {})
            held.update(plain(changed))
            for name in gone:
                held.pop(name, None)
            if interface == NAMES['Characteristic'] and 'Value' in changed:
                self.values[message.path].put_nowait(bytes(changed['Value'].value))
        self.changed.set()

    async def until(self, condition, patience=15):
        """Waits for signals to make the condition true; tells whether they did."""
        end = asyncio.get_running_loop().time() + patience
        while not condition():
            self.changed.clear()
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self.changed.wait(), left)
            except asyncio.TimeoutError:
                return condition()
        return True

    # Devices

    def path_of(self, address):
        return f'{ADAPTER}/dev_{address.replace(":", "_")}'

    def device(self, address):
        return self.objects.get(self.path_of(address), {}).get(NAMES['Device1'], {})

    async def scan(self, seconds=None, until=None, patience=15):
        await self.call(
            ADAPTER, 'Adapter1', 'SetDiscoveryFilter', 'a{sv}', [{'Transport': Variant('s', 'le')}]
        )
        await self.call(ADAPTER, 'Adapter1', 'StartDiscovery')
        if until:
            await self.until(until, patience)
        else:
            await asyncio.sleep(seconds)

    async def stop_scan(self):
        await self.call(ADAPTER, 'Adapter1', 'StopDiscovery')

    async def connect(self, address):
        if not self.device(address):
            await self.scan(until=lambda: self.device(address))
            await self.stop_scan()
        await self.call(self.path_of(address), 'Device1', 'Connect')
        await self.until(lambda: self.device(address).get('ServicesResolved'))
        await self.reload()  # a round trip, and ServicesResolved may have come before the services

    async def disconnect(self, address):
        await self.call(self.path_of(address), 'Device1', 'Disconnect')
        await self.until(lambda: not self.device(address).get('Connected'))

    # Attributes

    def children(self, path, interface):
        return sorted(
            p for p, i in self.objects.items() if p.startswith(path + '/') and NAMES[interface] in i
        )

    def uuid(self, path, interface):
        return self.objects[path][NAMES[interface]]['UUID'].upper()

    async def read(self, path, interface='Characteristic', patience=50):
        (value,) = await self.call(path, interface, 'ReadValue', 'a{sv}', [{}], patience=patience)
        return bytes(value)

    async def write(self, path, value, kind='request', interface='Characteristic'):
        options = {'type': Variant('s', kind)} if kind else {}
        await self.call(path, interface, 'WriteValue', 'aya{sv}', [bytes(value), options])

    async def notify(self, path):
        self.values[path] = asyncio.Queue()
        await self.call(path, 'Characteristic', 'StartNotify')

    async def stop_notify(self, path):
        await self.call(path, 'Characteristic', 'StopNotify')

    async def next_values(self, path, count, patience=10):
        """So many values, or as many as came while none was later than `patience` seconds."""
        got = []
        while len(got) < count:
            try:
                got.append(await asyncio.wait_for(self.values[path].get(), patience))
            except asyncio.TimeoutError:
                break
        return got
