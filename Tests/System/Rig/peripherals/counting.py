# SPDX-License-Identifier: MIT
"""What a peripheral has received and sent, as it counts itself."""

import collections

from bumble import att
from bumble.core import UUID

SENT = att.Opcode.ATT_HANDLE_VALUE_NOTIFICATION, att.Opcode.ATT_HANDLE_VALUE_INDICATION


class Counting:
    """For a peripheral with a Bumble `device` whose characteristics note what they have `received`."""

    def count_sent(self):
        """Begins to count what is sent: Bumble sends nothing to a central that has not subscribed."""
        server = self.device.gatt_server
        send = server.send_gatt_pdu
        self.sent = collections.Counter()

        def send_counted(bearer, pdu):
            if pdu[0] in SENT:
                handle = int.from_bytes(pdu[1:3], 'little')
                self.sent[server.get_attribute(handle)] += 1
            send(bearer, pdu)

        server.send_gatt_pdu = send_counted

    def sent_count(self, uuid):
        """How many notifications and indications the first characteristic with this UUID has sent; None if there is none."""
        attribute = self._characteristic(uuid)
        return None if attribute is None else self.sent[attribute]

    def received(self, uuid):
        """The values that were written to the first characteristic with this UUID, in order; None if there is none."""
        attribute = self._characteristic(uuid)
        return None if attribute is None else attribute.received

    def forget_received(self):
        for attribute in self._characteristics():
            attribute.received.clear()

    def _characteristics(self):
        return [a for a in self.device.gatt_server.attributes if hasattr(a, 'received')]

    def _characteristic(self, uuid):
        return next((a for a in self._characteristics() if a.type == UUID(uuid)), None)
