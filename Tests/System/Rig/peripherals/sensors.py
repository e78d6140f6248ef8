# SPDX-License-Identifier: MIT
"""`Heart Strap` and `Thermometer`."""

import itertools

from .peripheral import (
    Peripheral,
    characteristic,
    complete_name,
    flags,
    service,
    services16,
    tx_power,
)
from .wristband import heart_rates


class HeartStrap(Peripheral):
    name = 'Heart Strap'
    address = 'F0:F1:F2:F3:F4:F5'
    rssi = -71
    scan_response = complete_name(name)

    def advertisement(self):
        return flags() + services16('180D', '180F')

    def services(self):
        heart_rate = characteristic('2A37', 0x10)
        self.repeat(heart_rate, 0.5, heart_rates)
        return [
            service(
                '180D', heart_rate, characteristic('2A38', 0x02, b'\1'), characteristic('2A39', 0x08)
            ),
            service('180F', characteristic('2A19', 0x12, b'\x57')),
            service(
                '180A',
                characteristic('2A29', 0x02, b'Example Devices'),
                characteristic('2A24', 0x02, b'HS-1'),
            ),
        ]


class Thermometer(Peripheral):
    name = 'Thermometer'
    address = 'E7:10:20:30:40:50'
    rssi = -49

    def advertisement(self):
        return flags() + complete_name(self.name) + services16('1809', '181A') + tx_power(4)

    def services(self):
        measurement = characteristic('2A1C', 0x20)
        self.repeat(measurement, 1, lambda: itertools.repeat(bytes.fromhex('006e0100ff')))
        temperature = characteristic('2A6E', 0x12, bytes.fromhex('6608'))
        self.repeat(temperature, 1, lambda: itertools.repeat(bytes.fromhex('6608')))
        return [
            service('1809', measurement, characteristic('2A1D', 0x02, b'\2')),
            service('181A', temperature, characteristic('2A6F', 0x02, bytes.fromhex('a011'))),
        ]
