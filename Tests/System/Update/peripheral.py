# SPDX-License-Identifier: MIT
"""A device whose SMP server is made of the package smp, which an adapter of BlueZ offers.

It swaps two slots as MCUboot does. Standard output gets a line of JSON with its state at the start, and after each restart
and confirmation.

    peripheral.py ADAPTER FIRST-IMAGE one|several     the writes that a packet may have
"""

import asyncio
import contextlib
import dataclasses
import hashlib
import json
import logging
import pathlib
import sys
import tempfile

import cbor2
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus
from smp import error, header, image_management, os_management
from smpclient.mcuboot import IMAGE_TLV, ImageInfo

SERVICE, CHARACTERISTIC = '8d53dc1d-1db7-4cd3-868b-8a527460aa84', 'da2e7828-fbce-4e01-ae9e-261174997c48'
BUFFER, BUFFERS = 1024, 4
IMAGE, OS = header.GroupId.IMAGE_MANAGEMENT, header.GroupId.OS_MANAGEMENT


@dataclasses.dataclass
class Slot:
    content: bytes = b''
    pending: bool = False
    permanent: bool = False
    confirmed: bool = False

    @property
    def version(self):
        """As MCUboot writes it."""
        version = self.info.header.ver
        return f'{version.major}.{version.minor}.{version.revision}' + (f'.{version.build_num}' if version.build_num else '')

    @property
    def info(self):
        """What MCUboot reads; nothing unless the image is whole."""
        with tempfile.NamedTemporaryFile() as file, contextlib.suppress(Exception):
            pathlib.Path(file.name).write_bytes(self.content)
            return ImageInfo.load_file(file.name)

    def state(self, number):
        info = self.info
        return info and image_management.ImageState(
            slot=number, version=self.version, hash=info.get_tlv(IMAGE_TLV.SHA256).value, bootable=True,
            pending=self.pending, confirmed=self.confirmed, active=number == 0, permanent=self.permanent,
        )


class Server:
    """Packets in, answers out."""

    def __init__(self, first):
        self.slots = [Slot(first, confirmed=True), Slot()]
        self.length, self.sha = 0, None
        self.wants_restart = False

    def answer(self, packet):
        group, command, operation = int.from_bytes(packet[4:6], 'big'), packet[7], packet[0] & 7
        self.sequence, self.version = packet[6], header.Version(packet[0] >> 3 & 3)
        method = {
            (OS, 0, 2): (self.echo, os_management.EchoWriteRequest),
            (OS, 5, 2): (self.reset, os_management.ResetWriteRequest),
            (OS, 6, 0): (self.parameters, os_management.MCUMgrParametersReadRequest),
            (OS, 8, 0): (self.bootloader, os_management.BootloaderInformationReadRequest),
            (IMAGE, 0, 0): (self.list, image_management.ImageStatesReadRequest),
            (IMAGE, 0, 2): (self.choose, image_management.ImageStatesWriteRequest),
            (IMAGE, 1, 2): (self.take, image_management.ImageUploadWriteRequest),
        }.get((group, command, operation))
        if method is None:
            return self.refusal(packet, {'rc': int(error.MGMT_ERR.ENOTSUP)})
        answer, request = method
        made = answer(request.loads(packet))
        if isinstance(made, dict):
            return self.refusal(packet, made)
        # The package makes the answer to the write of a state as one to a read.
        return bytes([packet[0] | 1]) + bytes(made)[1:]

    def refusal(self, packet, content):
        """An error, also to a command that the package does not have."""
        content = cbor2.dumps(content)
        return bytes([packet[0] | 1, 0]) + len(content).to_bytes(2, 'big') + packet[4:8] + content

    def make(self, response, **fields):
        return response(sequence=self.sequence, version=self.version, **fields)

    # The system.

    def echo(self, request):
        return self.make(os_management.EchoWriteResponse, r=request.d)

    def reset(self, request):
        self.wants_restart = True
        return self.make(os_management.ResetWriteResponse)

    def parameters(self, request):
        return self.make(os_management.MCUMgrParametersReadResponse, buf_size=BUFFER, buf_count=BUFFERS)

    def bootloader(self, request):
        if request.query:
            return {'err': {'group': int(OS), 'rc': int(os_management.OS_MGMT_RET_RC.QUERY_YIELDS_NO_ANSWER)}}
        return self.make(os_management.BootloaderInformationReadResponse, bootloader='MCUboot')

    # Images.

    def list(self, request, response=image_management.ImageStatesReadResponse):
        states = [state for number, slot in enumerate(self.slots) if (state := slot.state(number))]
        return self.make(response, images=states, splitStatus=0)

    def choose(self, request):
        active, spare = (slot.state(number) for number, slot in enumerate(self.slots))
        if request.hash is None or request.hash == active.hash:
            self.slots[0].confirmed = True
        elif spare and request.hash == spare.hash:
            self.slots[1].pending, self.slots[1].permanent = True, request.confirm
        return self.list(request, image_management.ImageStatesWriteResponse)

    def take(self, request):
        slot = self.slots[1]
        if request.off == 0 and (request.len, request.sha) != (self.length, self.sha):
            assert request.len and request.sha and len(request.data) >= 32, request
            self.slots[1] = slot = Slot()
            self.length, self.sha = request.len, request.sha
        if request.off == len(slot.content):
            slot.content += request.data
        fields = {'off': len(slot.content)}
        if len(slot.content) == self.length:
            fields['match'] = hashlib.sha256(slot.content).digest() == self.sha
        return self.make(image_management.ImageUploadWriteResponse, **fields)

    def restart(self):
        """Swaps images that are to be tested, or back."""
        self.wants_restart, self.length, self.sha = False, 0, None
        first, second = self.slots
        if second.pending:
            second.pending, second.confirmed, first.confirmed = False, second.permanent, False
            self.slots = [second, first]
        elif not first.confirmed:
            second.confirmed, self.slots = True, [second, first]


class Management(Service):
    """The service of SMP over one characteristic."""

    def __init__(self, server, reassembles, told):
        self.server, self.reassembles, self.told, self.buffer = server, reassembles, told, b''
        super().__init__(SERVICE, True)

    @characteristic(CHARACTERISTIC, CharacteristicFlags.WRITE_WITHOUT_RESPONSE | CharacteristicFlags.NOTIFY)
    def packets(self, options):
        return b''

    @packets.setter
    def packets(self, value, options):
        try:
            self.receive(bytes(value), options.mtu)
        except Exception:  # noqa: BLE001 - bluez-peripheral would make an answer of it
            logging.exception('a packet of %d bytes', len(value))

    def receive(self, value, mtu):
        self.buffer = self.buffer + value if self.reassembles else value
        size = 8 + int.from_bytes(self.buffer[2:4], 'big') if len(self.buffer) >= 8 else 8
        if len(self.buffer) < size:
            return
        assert len(self.buffer) == size <= BUFFER, (len(self.buffer), size)
        packet, self.buffer = self.buffer, b''
        answer, room = self.server.answer(packet), mtu - 3
        for start in range(0, len(answer), room):
            self.packets.changed(answer[start : start + room])
        self.told.set()


def tell(server):
    slots = [
        {'sha256': hashlib.sha256(slot.content).hexdigest(), 'bytes': len(slot.content), 'confirmed': slot.confirmed}
        for slot in server.slots
    ]
    print(json.dumps({'version': server.slots[0].version, 'slots': slots}), flush=True)


async def end_links(bus, adapter):
    """Closes the links of centrals: the device starts again."""
    manager = bus.get_proxy_object('org.bluez', '/', await bus.introspect('org.bluez', '/'))
    objects = await manager.get_interface('org.freedesktop.DBus.ObjectManager').call_get_managed_objects()
    for path, interfaces in objects.items():
        device = interfaces.get('org.bluez.Device1')
        if device and path.startswith(f'/org/bluez/{adapter}/') and device['Connected'].value:
            proxy = bus.get_proxy_object('org.bluez', path, await bus.introspect('org.bluez', path))
            await proxy.get_interface('org.bluez.Device1').call_disconnect()


async def main(name, first, reassembles):
    bus = await get_message_bus()
    adapter = next(one for one in await Adapter.get_all(bus) if one._proxy.path.endswith(name))
    server, told = Server(pathlib.Path(first).read_bytes()), asyncio.Event()
    service = Management(server, reassembles, told)
    await Advertisement('Python', [SERVICE], 0x0300, 0).register(bus, adapter)
    while True:
        await service.register(bus, '/management', adapter)
        tell(server)
        was_confirmed = server.slots[0].confirmed
        while not server.wants_restart:
            await told.wait()
            told.clear()
            if server.slots[0].confirmed != was_confirmed:
                was_confirmed = server.slots[0].confirmed
                tell(server)
        # The bus carries the answer first.
        await end_links(bus, name)
        await service.unregister()
        server.restart()


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] == 'several'))
