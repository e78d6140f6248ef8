# SPDX-License-Identifier: MIT
"""A central that is not BlueZ: it connects to what the guest serves, and does what `rig-world central` asks for, one ATT
request at a time."""

import asyncio
import logging
import struct

from bumble import att, hci
from bumble.core import BaseBumbleError, ProtocolError, UUID
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt_client import ServiceProxy
from bumble.host import Host

from . import channels, radio
from .peripheral import hide_address, set_address
from .security import IO, Manners, SecurityManager

log = logging.getLogger(__name__)

INCLUDE = UUID('2802')
CLIENT_CONFIGURATION = UUID('2902')
LARGEST_MTU = 517


class Values(list):
    """The values that have come, for a task that waits for more."""

    def __init__(self):
        super().__init__()
        self.changed = asyncio.Event()

    def take(self, value):
        self.append(value)
        self.changed.set()

    async def reach(self, count, patience=60):
        async with asyncio.timeout(patience):
            while len(self) < count:
                self.changed.clear()
                await self.changed.wait()


class Refused(Exception):
    """The other side answered with an ATT error."""


class Central:
    name = 'Rig Central'
    address = 'F2:CE:17:00:00:01'
    private = bytes.fromhex('b1ec0000000000000000000000000c0c'), '72:CE:17:AC:9B:96'
    """The key and the resolvable private address with which it hides its own address, if it does."""
    manners = Manners(IO.NO_OUTPUT_NO_INPUT)

    def __init__(self, air):
        self.air = air
        self.peer = None

    async def start(self):
        host = Host()
        host.controller = radio.ScanningController(self.name, link=self.air, rssi=-45)
        self.device = Device(
            config=DeviceConfiguration(
                name=self.name, address=hci.Address(self.address, hci.Address.RANDOM_DEVICE_ADDRESS)
            ),
            host=host,
        )
        self.security = self.device.smp_manager = SecurityManager(self.device, self.manners)
        await self.device.power_on()

    async def carry_out(self, line):
        """Does what a line says, such as `read 2a19`; gives the lines of the answer."""
        verb, *words = line.split()
        method = self.VERBS.get(verb)
        if method is None:
            raise ValueError(f'no command of the central {verb!r}')
        try:
            return await method(self, *words)
        except TypeError:
            raise ValueError(f'wrong arguments of {verb}: {words}') from None
        except Refused as refusal:
            return [f'att {refusal.args[0]:02x}']
        except (BaseBumbleError, asyncio.CancelledError, TimeoutError) as error:
            raise ValueError(f'{verb}: {error!r}') from None

    # Links

    async def connect(self, address, mtu=LARGEST_MTU, private=None):
        """`private`: with an address that hides its own."""
        if private == 'private':
            await hide_address(self.device, *self.private)
        else:
            await set_address(self.device, self.device.static_address)
        # BlueZ asks for its own MTU, too.
        self.device.gatt_server.max_mtu = int(mtu)
        self.values = {}
        for _ in range(3):
            try:
                await self.try_to_connect(address, int(mtu))
                break
            except asyncio.CancelledError:
                # The kernel may close a link that follows soon on another one.
                log.warning('the link was lost while it was set up: once more')
        else:
            raise ValueError('links are closed while they are set up')
        return []

    async def try_to_connect(self, address, mtu):
        connection = await self.device.connect(hci.Address(f'{address}/P'), timeout=15)
        self.peer = Peer(connection)
        connection.on('disconnection', self._disconnected)
        # BlueZ answers nothing to a bonded device before.
        if bond := self.security.bonds.get(str(connection.peer_address)):
            await self.encrypt(connection, bond)
        await self.peer.request_mtu(mtu)
        await self.discover()

    def _disconnected(self, reason):
        log.info('disconnected, reason %#x', reason)
        self.peer = None

    async def discover(self):
        peer = self.linked()
        await peer.discover_services()
        self.characteristics = {}
        services = list(peer.services)
        for service in peer.services:
            services += await self.included(service)
        for service in services:
            for characteristic in await service.discover_characteristics():
                self.characteristics.setdefault(characteristic.uuid, characteristic)
        return []

    async def included(self, service):
        """The services that a service includes; Bumble stumbles over long UUIDs, which an inclusion leaves out."""
        client = self.linked().gatt_client
        found = []
        start = service.handle
        while start <= service.end_group_handle:
            response = await client.send_request(
                att.ATT_Read_By_Type_Request(
                    starting_handle=start,
                    ending_handle=service.end_group_handle,
                    attribute_type=INCLUDE,
                )
            )
            if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
                break
            for handle, value in response.attributes:
                first, last = struct.unpack_from('<HH', value)
                name = await self.request(att.ATT_Read_Request(attribute_handle=first))
                uuid = UUID.from_bytes(name.attribute_value)
                found.append(ServiceProxy(client, first, last, uuid, False))
                start = handle + 1
        return found

    async def disconnect(self):
        if self.peer:
            await self.peer.connection.disconnect()
        return []

    def linked(self):
        if self.peer is None:
            raise ValueError('it is not connected')
        return self.peer

    async def pair(self):
        try:
            await self.device.pair(self.linked().connection)
        except ProtocolError as error:
            return [f'smp {error.error_code:02x}']
        return []

    async def encrypt(self, connection, bond):
        changed = asyncio.get_running_loop().create_future()
        connection.once(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE,
            lambda: changed.done() or changed.set_result(None),
        )
        await self.device.send_async_command(
            hci.HCI_LE_Enable_Encryption_Command(
                connection_handle=connection.handle,
                random_number=bytes(8),
                encrypted_diversifier=0,
                long_term_key=bond.key,
            )
        )
        await asyncio.wait_for(changed, 10)

    async def forget_bonds(self):
        self.security.forget()
        return []

    async def reset(self):
        await self.disconnect()
        self.security.forget()

    # Requests

    def find(self, uuid):
        characteristic = self.characteristics.get(UUID(uuid))
        if characteristic is None:
            raise ValueError(f'no characteristic {uuid!r}')
        return characteristic

    async def request(self, request):
        response = await self.linked().gatt_client.send_request(request)
        if response.op_code == att.Opcode.ATT_ERROR_RESPONSE:
            raise Refused(response.error_code)
        return response

    async def read(self, uuid, offset=None):
        """With an offset, as a part of a long value."""
        handle = self.find(uuid).handle
        if offset is None:
            request = att.ATT_Read_Request(attribute_handle=handle)
        else:
            request = att.ATT_Read_Blob_Request(attribute_handle=handle, value_offset=int(offset))
        response = await self.request(request)
        value = response.attribute_value if offset is None else response.part_attribute_value
        return [value.hex() or '-']

    async def hang_up_during_read(self, uuid):
        connection = self.linked().connection
        request = att.ATT_Read_Request(attribute_handle=self.find(uuid).handle)
        connection.send_l2cap_pdu(att.ATT_CID, bytes(request))
        await asyncio.sleep(0.2)
        return await self.disconnect()

    async def write(self, uuid, value):
        await self.request(
            att.ATT_Write_Request(
                attribute_handle=self.find(uuid).handle, attribute_value=data(value)
            )
        )
        return []

    async def command(self, uuid, value):
        await self.linked().gatt_client.send_command(
            att.ATT_Write_Command(
                attribute_handle=self.find(uuid).handle, attribute_value=data(value)
            )
        )
        return []

    async def prepare(self, uuid, offset, value):
        await self.request(
            att.ATT_Prepare_Write_Request(
                attribute_handle=self.find(uuid).handle,
                value_offset=int(offset),
                part_attribute_value=data(value),
            )
        )
        return []

    async def execute(self):
        await self.request(att.ATT_Execute_Write_Request(flags=1))
        return []

    async def cancel(self):
        await self.request(att.ATT_Execute_Write_Request(flags=0))
        return []

    # Channels

    async def exchange(self, psm, count):
        await channels.exchange(self.linked().connection, int(psm), int(count))
        return []

    # Subscriptions

    async def configure(self, uuid, bits):
        """Writes the client configuration: 1 for notifications, 2 for indications, 0 for neither."""
        characteristic = self.find(uuid)
        if not characteristic.descriptors_discovered:
            await characteristic.discover_descriptors()
        configuration = characteristic.get_descriptor(CLIENT_CONFIGURATION)
        if configuration is None:
            raise ValueError(f'{uuid} cannot be subscribed to')
        await self.listen(uuid)
        await self.request(
            att.ATT_Write_Request(
                attribute_handle=configuration.handle,
                attribute_value=struct.pack('<H', int(bits)),
            )
        )
        return []

    async def listen(self, uuid):
        characteristic = self.find(uuid)
        client = self.linked().gatt_client
        values = self.values.setdefault(characteristic.uuid, Values())
        for subscribers in client.notification_subscribers, client.indication_subscribers:
            subscribers[characteristic.handle] = {values.take}
        return []

    async def received(self, uuid, count=0):
        """All values that came on this link, once there are that many."""
        values = self.values.setdefault(UUID(uuid), Values())
        try:
            await values.reach(int(count))
        except TimeoutError:
            raise ValueError(f'only {len(values)} values came') from None
        return [value.hex() or '-' for value in values]

    VERBS = {
        'connect': connect,
        'discover': discover,
        'disconnect': disconnect,
        'pair': pair,
        'forget-bonds': forget_bonds,
        'listen': listen,
        'hang-up-during-read': hang_up_during_read,
        'read': read,
        'write': write,
        'command': command,
        'prepare': prepare,
        'exchange': exchange,
        'execute': execute,
        'cancel': cancel,
        'configure': configure,
        'received': received,
    }


def data(text):
    return b'' if text == '-' else bytes.fromhex(text)
