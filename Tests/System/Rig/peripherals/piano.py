# SPDX-License-Identifier: MIT
"""`Piano`: tells a program that its lamp for a key is lit by playing that key."""

from .peripheral import Peripheral, characteristic, complete_name, flags, service, services16


class Piano(Peripheral):
    name = 'Piano'
    address = 'D0:B5:C2:0A:0B:0C'
    rssi = -63

    def advertisement(self):
        return flags() + complete_name(self.name) + services16('FFE0', 'FFE1')

    def services(self):
        self.keys = characteristic('FFE2', 0x10)
        return [
            service('FFE0', self.keys),
            service('FFE1', characteristic('FFE3', 0x08, write=self.light)),
        ]

    def light(self, command):
        # f0 3d 3d NN 02 f7
        if len(command) == 6 and command[:3] == b'\xf0\x3d\x3d' and command[4:] == b'\x02\xf7':
            self.send(self.keys, bytes([0x9F, 0x54, command[3]]))
