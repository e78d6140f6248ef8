# SPDX-License-Identifier: MIT
"""How a peripheral pairs, and what its links are then good for."""

import asyncio
import dataclasses
import enum

from bumble import att, smp
from bumble.pairing import PairingConfig, PairingDelegate

IO = PairingDelegate.IoCapability


class Level(enum.IntEnum):
    """How secure a link is, or has to be."""

    PLAIN, ENCRYPTED, AUTHENTICATED, SECURE_CONNECTIONS = range(4)

    def check(self, needed):
        """Raises what an attribute answers that needs more."""
        if self < needed:
            raise att.ATT_Error(
                att.ATT_INSUFFICIENT_ENCRYPTION_ERROR
                if needed is Level.ENCRYPTED
                else att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR
            )


@dataclasses.dataclass
class Bond:
    key: bytes
    level: Level


@dataclasses.dataclass
class Manners:
    """The behaviour of a device that must pair."""

    capability: IO = IO.NO_OUTPUT_NO_INPUT
    secure_connections: bool = True
    mitm: bool = False
    demands_mitm: bool = False
    accepts: bool | None = True
    """None: it does not answer."""
    passkey: int | None = None
    confirms: bool = True


class User(PairingDelegate):
    """The device's display and keyboard, and who uses them."""

    def __init__(self, manners):
        super().__init__(manners.capability)
        self.manners = manners
        self.number = None
        self.digits = None
        self.changed = asyncio.Condition()

    async def _set(self, **values):
        async with self.changed:
            for name, value in values.items():
                setattr(self, name, value)
            self.changed.notify_all()

    async def type(self, digits):
        await self._set(digits=digits)

    async def shown(self, patience=10):
        """The number on the device's display, once there is one."""
        async with asyncio.timeout(patience), self.changed:
            await self.changed.wait_for(lambda: self.number is not None)
            return self.number

    async def reset(self):
        await self._set(number=None, digits=None)

    async def pairing_ended(self):
        await self._set(number=None)

    # The questions of Bumble

    async def accept(self):
        if self.manners.accepts is None:
            await asyncio.Event().wait()
        return self.manners.accepts

    async def compare_numbers(self, number, digits):
        await self._set(number=number)
        return self.manners.confirms

    async def generate_passkey(self):
        if self.manners.passkey is not None:
            return self.manners.passkey
        return await super().generate_passkey()

    async def display_number(self, number, digits):
        await self._set(number=number)

    async def get_number(self):
        async with self.changed:
            await self.changed.wait_for(lambda: self.digits is not None)
            digits, self.digits = self.digits, None
            return digits


class Session(smp.Session):
    """A pairing that can be refused when it would be Just Works."""

    async def on_smp_pairing_request_command_async(self, command):
        manners = self.pairing_config.delegate.manners
        self.decide_pairing_method(command.auth_req, command.io_capability, self.io_capability)
        if manners.demands_mitm and self.pairing_method is smp.PairingMethod.JUST_WORKS:
            self.send_pairing_failed(smp.ErrorCode.AUTHENTICATION_REQUIREMENTS)
            return
        await super().on_smp_pairing_request_command_async(command)

    @property
    def level(self):
        if self.pairing_method is smp.PairingMethod.JUST_WORKS:
            return Level.ENCRYPTED
        return Level.SECURE_CONNECTIONS if self.sc else Level.AUTHENTICATED


class SecurityManager(smp.Manager):
    """Keeps the bonds, and pairs as often as it is asked to: Bumble's own pairs once for each link."""

    def __init__(self, device, manners):
        self.user = User(manners)
        self.manners = manners
        self.bonds = {}
        super().__init__(device, self._config)
        self.session_proxy = Session

    def _config(self, _connection):
        return PairingConfig(
            sc=self.manners.secure_connections,
            mitm=self.manners.mitm,
            bonding=True,
            delegate=self.user,
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )

    def level(self, connection):
        if not connection.is_encrypted:
            return Level.PLAIN
        if session := self.sessions.get(connection.handle):
            return session.level
        bond = self.bonds.get(str(connection.peer_address))
        return bond.level if bond else Level.PLAIN

    def forget(self):
        self.bonds.clear()

    def on_smp_pdu(self, connection, pdu):
        session = self.sessions.get(connection.handle)
        if session and session.completed and pdu[0] == smp.CommandCode.PAIRING_REQUEST:
            session.on_disconnection(0)  # ends the session, not the link
        super().on_smp_pdu(connection, pdu)

    def get_long_term_key(self, connection, rand, ediv):
        if key := super().get_long_term_key(connection, rand, ediv):
            return key
        bond = self.bonds.get(str(connection.peer_address))
        return bond.key if bond else None

    async def on_pairing(self, session, identity_address, keys):
        if session.bonding:
            self.bonds[str(identity_address)] = Bond(session.ltk, session.level)
        self.device.on_pairing(session.connection, identity_address, keys, session.sc)
        await self.user.pairing_ended()

    def on_pairing_failure(self, session, reason):
        session.on_disconnection(0)
        super().on_pairing_failure(session, reason)

    def on_session_end(self, session):
        super().on_session_end(session)
        asyncio.get_running_loop().create_task(self.user.pairing_ended())
