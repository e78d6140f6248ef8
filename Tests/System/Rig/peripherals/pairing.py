# SPDX-License-Identifier: MIT
"""The devices of docs/pairing-world.md."""

import asyncio

from bumble import att, gatt

from .bench import bench
from .peripheral import Peripheral, characteristic, complete_name, flags, service
from .security import IO, Level, Manners

ANSWER_TIME = 0.03
"""The seconds that an answer takes over a radio. BlueZ 5.66 loses a request that is refused for want of keys before its main
loop has looked whether the link takes more: it waits 30 s for an answer to what it has not repeated. No radio is as fast."""


class PairingDevice(Peripheral):
    """One device for each way in which a pairing can go."""

    rssi = -50
    hidden_at_first = True

    def advertisement(self):
        return flags() + complete_name(self.name)

    def services(self):
        def attribute(short, text, needs):
            return characteristic(bench(short), 0x0A, text, guard=self.guard(needs))

        def echo(short, needs):
            def send_back(value):
                self.send(attribute, value)

            attribute = characteristic(bench(short), 0x18, write=send_back, guard=self.guard(needs))
            return attribute

        self.echoes = [
            (echo('0305', Level.ENCRYPTED), Level.ENCRYPTED),
            (echo('0306', Level.AUTHENTICATED), Level.AUTHENTICATED),
            (echo('0307', Level.PLAIN), Level.PLAIN),
        ]
        return [
            service(
                bench('0003'),
                attribute('0301', b'open', Level.PLAIN),
                attribute('0302', b'encrypted', Level.ENCRYPTED),
                attribute('0303', b'authenticated', Level.AUTHENTICATED),
                attribute('0304', b'secure', Level.SECURE_CONNECTIONS),
                *(echo for echo, _needs in self.echoes),
            )
        ]

    def guard(self, needed):
        async def guard(connection):
            try:
                self.security.level(connection).check(needed)
            except att.ATT_Error:
                await asyncio.sleep(ANSWER_TIME)
                raise

        return guard

    async def start(self):
        await super().start()
        # Bumble makes the client configuration by itself, for everyone to write.
        for echo, needs in self.echoes:
            self.guard_configuration(echo, needs)

    def guard_configuration(self, echo, needs):
        configuration = self.device.gatt_server.get_attribute(echo.handle + 1)
        assert configuration.type == gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
        write, guard = configuration.value.write, self.guard(needs)

        async def write_guarded(bearer, value):
            await guard(self.connection)
            return write(bearer, value)

        configuration.value.write = write_guarded


class JustWorks(PairingDevice):
    name = 'Just Works'
    address = 'C7:B0:4D:00:00:01'


class PasskeyShown(PairingDevice):
    name = 'Passkey Shown'
    address = 'C7:B0:4D:00:00:02'
    manners = Manners(IO.DISPLAY_OUTPUT_ONLY, mitm=True, passkey=42017)


class PasskeyTyped(PairingDevice):
    name = 'Passkey Typed'
    address = 'C7:B0:4D:00:00:03'
    manners = Manners(IO.KEYBOARD_INPUT_ONLY, mitm=True)


class Comparison(PairingDevice):
    name = 'Comparison'
    address = 'C7:B0:4D:00:00:04'
    manners = Manners(IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, mitm=True)


class ComparisonNo(PairingDevice):
    name = 'Comparison No'
    address = 'C7:B0:4D:00:00:05'
    manners = Manners(IO.DISPLAY_OUTPUT_AND_YES_NO_INPUT, mitm=True, confirms=False)


class Refuses(PairingDevice):
    name = 'Refuses'
    address = 'C7:B0:4D:00:00:06'
    manners = Manners(accepts=False)


class Silent(PairingDevice):
    name = 'Silent'
    address = 'C7:B0:4D:00:00:07'
    manners = Manners(accepts=None)


class Legacy(PairingDevice):
    name = 'Legacy'
    address = 'C7:B0:4D:00:00:08'
    manners = Manners(
        IO.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT, secure_connections=False, mitm=True, passkey=42017
    )


class DemandsMITM(PairingDevice):
    name = 'Demands MITM'
    address = 'C7:B0:4D:00:00:09'
    manners = Manners(
        IO.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT, mitm=True, demands_mitm=True, passkey=42017
    )


class PasskeyShown2(PairingDevice):
    name = 'Passkey Shown 2'
    address = 'C7:B0:4D:00:00:0A'
    manners = Manners(IO.DISPLAY_OUTPUT_ONLY, mitm=True, passkey=999999)


class Private(PairingDevice):
    name = 'Private'
    address = 'C7:B0:4D:00:00:0B'
    private = bytes.fromhex('b1ec0000000000000000000000000b0b'), '7A:B0:0D:08:50:77'


PAIRING_DEVICES = [
    JustWorks,
    PasskeyShown,
    PasskeyTyped,
    Comparison,
    ComparisonNo,
    Refuses,
    Silent,
    Legacy,
    DemandsMITM,
    PasskeyShown2,
    Private,
]
