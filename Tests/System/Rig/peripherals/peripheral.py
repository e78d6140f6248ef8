# SPDX-License-Identifier: MIT
"""The common part of the peripherals: advertising, values, notifications."""

import asyncio
import inspect
import logging
import struct

from bumble import att, hci
from bumble.core import UUID
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicDeclaration, CharacteristicValue, Descriptor, Service
from bumble.host import Host

from . import radio
from .counting import Counting
from .security import Manners, SecurityManager

log = logging.getLogger(__name__)

HANDLES = 'handle', 'end_group_handle', 'value_handle'

READ, WRITE_COMMAND, WRITE, NOTIFY, INDICATE = 0x02, 0x04, 0x08, 0x10, 0x20


# Advertising data, by the names of the Core Specification Supplement. UUIDs are written as in docs/built-in-world.md.
def field(kind, data):
    return bytes([len(data) + 1, kind]) + data


def flags(value=0x06):
    return field(0x01, bytes([value]))


def complete_name(text):
    return field(0x09, text.encode())


def services16(*uuids):
    return field(0x03, b''.join(bytes.fromhex(uuid)[::-1] for uuid in uuids))


def services128(uuid):
    return field(0x07, UUID(uuid).to_bytes())


def tx_power(level):
    return field(0x0A, struct.pack('b', level))


def service_data16(uuid, data):
    return field(0x16, bytes.fromhex(uuid)[::-1] + bytes.fromhex(data))


def manufacturer_data(company, data):
    return field(0xFF, struct.pack('<H', company) + bytes.fromhex(data))


def permissions(properties):
    return (att.Attribute.READABLE if properties & READ else 0) | (
        att.Attribute.WRITEABLE if properties & (WRITE | WRITE_COMMAND) else 0
    )


class Kept:
    """A value that stays as it was written."""

    def __init__(self, initial):
        self.initial = self.value = initial

    def get(self):
        return self.value

    def set(self, value):
        self.value = value

    def reset(self):
        self.value = self.initial


async def anyone(_connection):
    """Guards nothing."""


def characteristic(
    uuid, properties, value=b'\0', *, read=None, write=None, descriptors=(), guard=anyone
):
    """One that answers with `value` and keeps what is written, unless `read` or `write` do otherwise.

    `read()` gives bytes, `write(bytes)` gives nothing; either may be a coroutine or raise `att.ATT_Error`.
    The coroutine `guard(connection)` raises it where the link is not secure enough for either.
    """
    kept = value if isinstance(value, Kept) else Kept(value)
    received = []
    made = Characteristic(
        uuid,
        Characteristic.Properties(properties),
        permissions(properties),
        accessors(properties, read or kept.get, write or kept.set, received, guard),
        descriptors,
    )
    made.kept = kept
    made.received = received
    return made


def descriptor(uuid, properties, value):
    kept = Kept(value)
    made = Descriptor(uuid, permissions(properties), accessors(properties, kept.get, kept.set))
    made.kept = kept
    return made


def accessors(properties, read, write, received=None, guard=anyone):
    """Bumble does not look whether an attribute may be read or written, but for pairing.

    What is written, be it refused or not, is noted in `received`.
    """
    if not properties & READ:
        read = refuse(att.ATT_READ_NOT_PERMITTED_ERROR)
    if not properties & (WRITE | WRITE_COMMAND):
        write = refuse(att.ATT_WRITE_NOT_PERMITTED_ERROR)

    async def take(connection, data):
        if received is not None:
            received.append(bytes(data))
        await guard(connection)
        return await settled(write(bytes(data)))

    async def give(connection):
        if properties & READ:
            await guard(connection)
        return await settled(read())

    return CharacteristicValue(read=give, write=take)


async def settled(result):
    return await result if inspect.isawaitable(result) else result


def refuse(code):
    def refusal(_value=None):
        raise att.ATT_Error(code)

    return refusal


async def refuse_write(_bearer, _value):
    """For declarations: Bumble lets a central overwrite them."""
    raise att.ATT_Error(att.ATT_WRITE_NOT_PERMITTED_ERROR)


def service(uuid, *characteristics):
    return Service(uuid, list(characteristics))


async def hide_address(device, key, address):
    """Lets a device send a resolvable private address instead of its own, and its own with the keys of a bond."""
    device.irk = key
    await set_address(device, hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS))


async def set_address(device, address):
    await device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
    device.random_address = address


class Advertiser:
    """A device that can be seen. By itself it cannot be connected: a beacon."""

    name = None
    address = None
    rssi = -60
    kind = radio.BROADCAST
    scan_response = b''
    hidden_at_first = False

    def __init__(self, air):
        self.air = air
        self.shown = asyncio.Event()

    def advertisement(self):
        raise NotImplementedError

    async def start(self):
        self.shown.set()
        self.task = asyncio.create_task(self._broadcast())

    async def _broadcast(self):
        pdu = radio.Advertisement(
            self.kind,
            hci.Address(self.address, hci.Address.RANDOM_DEVICE_ADDRESS),
            self.advertisement(),
            self.scan_response,
            self.rssi,
        )
        while True:
            await self.shown.wait()
            self.air.send_advertising_pdu(None, pdu)
            await asyncio.sleep(radio.ADVERTISING_INTERVAL)

    async def show(self):
        self.shown.set()

    async def hide(self):
        self.shown.clear()

    async def drop(self):
        pass

    async def lose(self):
        pass

    async def reset(self):
        pass


class Peripheral(Counting, Advertiser):
    """A device that can be connected, one central at a time."""

    manners = Manners()
    """How it pairs."""
    link_time = 0.0
    """The time after which it ends each of its links, in seconds; 0: none."""
    private = None
    """The key and the resolvable private address that hide its own address."""

    def services(self):
        raise NotImplementedError

    def on_connection(self):
        """The place to start what a connection needs."""

    async def start(self):
        self.connection = None
        self.outbox = asyncio.Queue()
        self.tasks = set()
        self.controller = radio.RigController(self.name, link=self.air, rssi=self.rssi)
        host = Host()
        host.controller = self.controller
        self.device = Device(
            config=DeviceConfiguration(
                name=self.name,
                address=hci.Address(self.address, hci.Address.RANDOM_DEVICE_ADDRESS),
                # Generic Attribute (1801) is only needed by a tree that can change.
                gatt_service_enabled=False,
            ),
            host=host,
        )
        self.security = self.device.smp_manager = SecurityManager(self.device, self.manners)
        self.device.add_services(self.services())
        self.count_sent()
        for attribute in self.device.gatt_server.attributes:
            attribute.handles = {key: value for key, value in vars(attribute).items() if key in HANDLES}
            if isinstance(attribute.value, bytes):
                attribute.write_value = refuse_write
        self.device.advertising_data = self.advertisement()
        self.device.scan_response_data = self.scan_response
        self.device.on('connection', self._connected)
        await self.device.power_on()
        if self.private:
            await hide_address(self.device, *self.private)
        if not self.hidden_at_first:
            await self.show()

    def _connected(self, connection):
        self.connection = connection
        connection.on('disconnection', self._disconnected)
        self.outbox = asyncio.Queue()
        self.spawn(self._send())
        if self.link_time:
            asyncio.get_running_loop().call_later(self.link_time, self._end, connection)
        self.on_connection()

    def _end(self, connection):
        if self.connection is connection:
            asyncio.create_task(self.drop())

    def _disconnected(self, _reason):
        self.connection = None
        for task in self.tasks:
            task.cancel()
        if not self.shown.is_set():
            # Bumble advertises again after a connection, come what may.
            asyncio.get_running_loop().call_later(0.05, self.controller.le_legacy_advertiser.stop)

    def spawn(self, coroutine):
        """Runs the coroutine for no longer than the connection lasts."""
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def linger(self, seconds):
        """Sleeps; raises CancelledError when the connection ends meanwhile, so that a late answer is not sent."""
        await self.spawn(asyncio.sleep(seconds))

    def send(self, characteristic, value):
        """Notifies or indicates, if the central has subscribed, after what was sent before."""
        self.outbox.put_nowait((characteristic, value))

    async def _send(self):
        while True:
            characteristic, value = await self.outbox.get()
            if characteristic.properties & INDICATE:
                try:
                    await self.device.indicate_subscriber(self.connection, characteristic, value)
                except TimeoutError:
                    log.warning('%s: an indication was not confirmed', self.name)
            else:
                await self.device.notify_subscriber(self.connection, characteristic, value)
            await asyncio.sleep(0)

    def repeat(self, characteristic, interval, values):
        """Sends one value after the other, at an even pace, from each subscription to the end of it."""
        running = []

        def on_subscription(_bearer, notify, indicate):
            while running:
                running.pop().cancel()
            if notify or indicate:
                running.append(self.spawn(self._repeat(characteristic, interval, values())))

        characteristic.on('subscription', on_subscription)

    async def _repeat(self, characteristic, interval, values):
        due = asyncio.get_running_loop().time()
        for value in values:
            due += interval
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            self.send(characteristic, value)

    async def show(self):
        self.shown.set()
        if not self.connection:
            await self.device.start_advertising(auto_restart=True)

    async def hide(self):
        self.shown.clear()
        await self.device.stop_advertising()

    async def change_address(self, address):
        """Sends another address, such as a private one, from now on; its link has to be down."""
        if self.connection:
            raise ValueError('it is connected')
        await self.device.stop_advertising()
        await set_address(self.device, hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS))
        if self.shown.is_set():
            await self.show()

    def move_attributes(self, distance, first=1):
        """Gives the attributes from a handle on handles that are so much higher, as other firmware would.

        Both count from the handles at first; 0 moves all back.
        """
        if self.connection:
            raise ValueError('it is connected')
        server = self.device.gatt_server
        for attribute in server.attributes:
            for key, handle in attribute.handles.items():
                setattr(attribute, key, handle + distance * (attribute.handles['handle'] >= first))
            if isinstance(attribute, CharacteristicDeclaration):
                attribute.value = attribute.value[:1] + struct.pack('<H', attribute.value_handle) + attribute.value[3:]
        server.attributes_by_handle.clear()

    def refuse_subscription(self, uuid):
        """Refuses the next subscription to a characteristic, for want of resources."""
        server = self.device.gatt_server
        accept = type(server).write_cccd

        def refuse_once(bearer, characteristic, value):
            if characteristic.uuid != UUID(uuid) or not any(value):
                return accept(server, bearer, characteristic, value)
            del server.write_cccd
            raise att.ATT_Error(att.ATT_INSUFFICIENT_RESOURCES_ERROR)

        server.write_cccd = refuse_once

    async def drop(self):
        if self.connection:
            await self.connection.disconnect()

    async def lose(self):
        await self.hide()
        self.controller.lose_links()

    async def reset(self):
        for attribute in self.device.gatt_server.attributes:
            if hasattr(attribute, 'kept'):
                attribute.kept.reset()
        if not self.connection:
            self.move_attributes(0)
        self.link_time = 0.0
        self.security.forget()
        await self.security.user.reset()
        if self.hidden_at_first:
            await self.hide()
