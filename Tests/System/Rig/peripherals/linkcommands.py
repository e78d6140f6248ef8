# SPDX-License-Identifier: MIT
"""What a controller tells its host of a link, and what becomes of the host's wishes.

Bumble's own answers some of these commands not at all, and the others always alike. Linux takes a controller that does not
answer for broken.
"""

import dataclasses

from bumble import hci
from bumble.controller import Controller

TRANSMIT_POWER = 4
"""dBm."""
LONGEST_INTERVAL = 1600
"""The longest interval that a device agrees to, in units of 1.25 ms."""
FASTEST_FIRST = (hci.PhyBit.LE_2M, hci.Phy.LE_2M), (hci.PhyBit.LE_1M, hci.Phy.LE_1M)
"""The PHYs that devices have: none can do Coded."""


@dataclasses.dataclass
class ReadTransmitPowerLevel(hci.HCI_StatusReturnParameters):
    handle: int = dataclasses.field(metadata=hci.metadata(2))
    level: int = dataclasses.field(metadata=hci.metadata(-1))


@hci.HCI_SyncCommand.sync_command(ReadTransmitPowerLevel)
@dataclasses.dataclass
class HCI_Read_Transmit_Power_Level_Command(hci.HCI_SyncCommand[ReadTransmitPowerLevel]):
    """Of this command, Bumble has only the number."""

    handle: int = dataclasses.field(metadata=hci.metadata(2))
    kind: int = dataclasses.field(metadata=hci.metadata(1))


class LinkCommands(Controller):
    """The commands about a link; the controllers have an `rssi`."""

    NO_LINK = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR

    def on_hci_read_rssi_command(self, command):
        link = self.find_le_connection_by_handle(command.handle)
        peer = link and self.link.find_le_controller(link.peer_address)
        if peer is None:
            return hci.HCI_StatusReturnParameters(self.NO_LINK)
        return hci.HCI_Read_RSSI_ReturnParameters(hci.HCI_ErrorCode.SUCCESS, command.handle, peer.rssi)

    def on_hci_read_transmit_power_level_command(self, command):
        if self.find_le_connection_by_handle(command.handle) is None:
            return hci.HCI_StatusReturnParameters(self.NO_LINK)
        return ReadTransmitPowerLevel(hci.HCI_ErrorCode.SUCCESS, command.handle, TRANSMIT_POWER)

    def on_hci_le_read_phy_command(self, command):
        link = self.find_le_connection_by_handle(command.connection_handle)
        if link is None:
            return hci.HCI_StatusReturnParameters(self.NO_LINK)
        tx, rx = phys(link)
        return hci.HCI_LE_Read_PHY_ReturnParameters(
            hci.HCI_ErrorCode.SUCCESS, command.connection_handle, tx, rx
        )

    def on_hci_le_set_phy_command(self, command):
        link = self.find_le_connection_by_handle(command.connection_handle)
        if link is None:
            self._send_hci_command_status(self.NO_LINK, command.op_code)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        tx, rx = phys(link)
        link.phys = chosen(command.tx_phys, tx), chosen(command.rx_phys, rx)
        self.send_hci_packet(
            hci.HCI_LE_PHY_Update_Complete_Event(
                status=hci.HCI_ErrorCode.SUCCESS,
                connection_handle=link.handle,
                tx_phy=link.phys[0],
                rx_phy=link.phys[1],
            )
        )

    def on_hci_le_connection_update_command(self, command):
        link = self.find_le_connection_by_handle(command.connection_handle)
        if link is None or command.connection_interval_min <= LONGEST_INTERVAL:
            super().on_hci_le_connection_update_command(command)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.send_hci_packet(
            hci.HCI_LE_Connection_Update_Complete_Event(
                status=hci.HCI_ErrorCode.UNACCEPTABLE_CONNECTION_PARAMETERS_ERROR,
                connection_handle=link.handle,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
            )
        )


def phys(link):
    """Those of a link, sending and receiving."""
    return getattr(link, 'phys', (hci.Phy.LE_1M, hci.Phy.LE_1M))


def chosen(wanted, former):
    """The fastest PHY that is wanted, and that the device has; else it stays."""
    return next((phy for bit, phy in FASTEST_FIRST if wanted & bit), former)
