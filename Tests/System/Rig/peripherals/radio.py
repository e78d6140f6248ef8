# SPDX-License-Identifier: MIT
"""The air, the controllers that BlueZ sees as hci0 and hci1, and those of the peripherals.

Bumble's own virtual controllers know only connectable advertising, answer a scan request with the advertisement,
and never cancel a connection attempt. The ones here do what a scanner can tell from a radio: four kinds of
advertisement, scan responses of their own, an RSSI for each advertiser, and the filter accept list.
"""

import asyncio
import collections
import dataclasses
import logging

from bumble import hci, ll
from bumble.controller import LegacyAdvertiser
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

from .linkcommands import LinkCommands

log = logging.getLogger(__name__)

Kind = hci.HCI_LE_Advertising_Report_Event.EventType
CONNECTABLE, SCANNABLE, BROADCAST = Kind.ADV_IND, Kind.ADV_SCAN_IND, Kind.ADV_NONCONN_IND

ADVERTISING_INTERVAL = 0.2
"""Seconds between two advertisements of one device."""


@dataclasses.dataclass
class Advertisement(ll.AdvertisingPdu):
    """One advertising event, with the answer that an active scanner gets."""

    kind: int
    address: hci.Address
    data: bytes
    scan_response: bytes
    rssi: int


class Air(LocalLink):
    """The state that all controllers share."""

    packet_time = 0.0
    """Seconds that each ACL packet of a link is under way, one at a time in each direction."""

    def set_packet_time(self, seconds):
        """Applies to what is under way too."""
        self.packet_time = seconds
        for controller in self.controllers:
            for link in controller.le_connections.values():
                if lane := getattr(link, 'lane', None):
                    lane.retime()

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # BlueZ scans with a random address and connects with its public one: what counts is the link's own address.
        link = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if link is not None and receiver is not None:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, link.self_address, PhysicalTransport.LE, data
            )

    def send_advertising_pdu(self, sender_controller, packet):
        # Peripherals do not listen to advertisements.
        for controller in self.controllers:
            if controller is not sender_controller and (
                isinstance(controller, ScanningController) or not isinstance(packet, Advertisement)
            ):
                asyncio.get_running_loop().call_soon(controller.on_ll_advertising_pdu, packet)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # Both ends may close a link at once; the second then has no receiver.
        if self.find_le_controller(receiver_address) is None:
            log.info('no receiver at %s for %s', receiver_address, packet)
            return
        super().send_ll_control_pdu(sender_address, receiver_address, packet)


class Lane:
    """One direction of a link while packets take time."""

    def __init__(self, air):
        self.air = air
        self.waiting = collections.deque()
        self.due = 0.0
        self.timer = None

    def send(self, arrive):
        self.waiting.append(arrive)
        if len(self.waiting) == 1:
            self._expect(asyncio.get_running_loop().time())

    def _expect(self, start):
        # From when the one before was due: what timers lose does not add up.
        self.due = start + self.air.packet_time
        self.timer = asyncio.get_running_loop().call_at(self.due, self._arrive)

    def retime(self):
        """The packet time is another one."""
        if self.waiting:
            self.timer.cancel()
            self._expect(asyncio.get_running_loop().time())

    def _arrive(self):
        self.waiting[0]()
        self.waiting.popleft()
        if self.waiting:
            self._expect(self.due)


class RigController(LinkCommands):
    """A controller whose peers' names for it are kept apart, which advertises, and which can lose a link."""

    # Long packets: the defaults of 27 bytes would make every transfer many small ones. And neither of these two
    # features: with them claimed, Linux waits for events that Bumble does not send, and gives links up after 4 s.
    le_acl_data_packet_length = 251
    supported_max_tx_octets = supported_max_rx_octets = suggested_max_tx_octets = 251
    le_features = LinkCommands.le_features & ~(
        hci.LeFeatureMask.LL_PRIVACY | hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    )

    def __init__(self, *arguments, rssi, **named):
        super().__init__(*arguments, **named)
        self.le_legacy_advertiser = Advertiser(self)
        self.rssi = rssi

    def on_hci_acl_data_packet(self, packet):
        """Takes a packet of the host: it counts as completed, and gets to the other end, when its time has passed.

        So the queues of the host fill as they do over a radio. What has not left when the link ends is lost.
        """
        link = self.find_connection_by_handle(packet.connection_handle)
        lane = getattr(link, 'lane', None)
        if link is None or not (self.link.packet_time or (lane and lane.waiting)):
            super().on_hci_acl_data_packet(packet)
            return
        if lane is None:
            lane = link.lane = Lane(self.link)

        def arrive():
            if self.le_connections.get(link.peer_address) is link:
                link.on_hci_acl_data_packet(packet)

        lane.send(arrive)

    def is_sending(self):
        """Whether packets are under way from here."""
        lanes = [getattr(link, 'lane', None) for link in self.le_connections.values()]
        return any(lane and lane.waiting for lane in lanes)

    def on_ll_control_pdu(self, sender_address, packet):
        if sender_address in self.le_connections:
            super().on_ll_control_pdu(sender_address, packet)

    def lose_links(self):
        """Both ends find, as after the supervision timeout, that the other one is gone."""
        for link in list(self.le_connections.values()):
            link.send_ll_control_pdu(ll.TerminateInd(hci.HCI_CONNECTION_TIMEOUT_ERROR))
            self.on_le_disconnected(link, hci.HCI_CONNECTION_TIMEOUT_ERROR)

    def on_hci_disconnect_command(self, command):
        link = self.find_le_connection_by_handle(command.connection_handle)
        if link is None:
            self._send_hci_command_status(
                hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.op_code
            )
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        link.send_ll_control_pdu(ll.TerminateInd(command.reason))
        self.on_le_disconnected(link, hci.HCI_CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def on_hci_reset_command(self, command):
        self.lose_links()
        self.le_scan_enable = False
        self.le_legacy_advertiser.stop()
        self.pending_le_connection = None
        return super().on_hci_reset_command(command)


class ScanningController(RigController):
    """One that listens, too: those that BlueZ drives, through /dev/vhci, and those of centrals."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.accept_list = set()

    def on_ll_advertising_pdu(self, packet):
        if not isinstance(packet, Advertisement):
            super().on_ll_advertising_pdu(packet)
            return
        self.report(packet)
        pending = self.pending_le_connection
        if pending and packet.kind == CONNECTABLE and pending.peer_address == packet.address:
            self.create_le_connection(packet.address)

    def report(self, advertisement):
        if not self.le_scan_enable:
            return
        if self.le_scanning_filter_policy & 1 and advertisement.address not in self.accept_list:
            return
        reports = [(advertisement.kind, advertisement.data)]
        if self.le_scan_type == 1 and advertisement.kind in (CONNECTABLE, SCANNABLE):
            reports.append((Kind.SCAN_RSP, advertisement.scan_response))
        for kind, data in reports:
            self.send_hci_packet(
                hci.HCI_LE_Advertising_Report_Event(
                    [
                        hci.HCI_LE_Advertising_Report_Event.Report(
                            event_type=kind,
                            address_type=advertisement.address.address_type,
                            address=advertisement.address,
                            data=data,
                            rssi=advertisement.rssi,
                        )
                    ]
                )
            )

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=hci.Role.CENTRAL,
                peer_address_type=pending.peer_address.address_type,
                peer_address=pending.peer_address,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            ),
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.add(command.address)
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list.discard(command.address)
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)


class Advertiser(LegacyAdvertiser):
    """Advertises at the rig's pace, as what the host has asked for, with its own scan response."""

    KINDS = {0: CONNECTABLE, 2: SCANNABLE, 3: BROADCAST}
    """By the types of HCI_LE_Set_Advertising_Parameters that are not directed."""

    def _on_timer_fired(self):
        self.send_advertising_data()
        self.timer_handle = asyncio.get_running_loop().call_later(
            ADVERTISING_INTERVAL, self._on_timer_fired
        )

    def send_advertising_data(self):
        if self.enabled:
            self.controller.send_advertising_pdu(
                Advertisement(
                    self.KINDS[self.advertising_type],
                    self.address,
                    self.advertising_data,
                    self.scan_response_data,
                    self.controller.rssi,
                )
            )
