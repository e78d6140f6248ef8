# SPDX-License-Identifier: MIT
"""`MI Band 2`."""

import itertools

from .peripheral import (
    Peripheral,
    characteristic,
    complete_name,
    flags,
    manufacturer_data,
    service,
    services16,
)


def vendor(short):
    return f'{short}-0000-3512-2118-0009AF100700'


def heart_rates():
    """A heart that beats faster and faster, from 60 to 99 a minute, and then begins again."""
    return (bytes([0, rate]) for rate in itertools.cycle(range(60, 100)))


class Wristband(Peripheral):
    name = 'MI Band 2'
    address = 'C8:0F:10:01:02:03'
    rssi = -58

    def advertisement(self):
        return (
            flags()
            + complete_name(self.name)
            + services16('FEE0')
            + manufacturer_data(0x0157, '0100c80f10010203')
        )

    def services(self):
        heart_rate = characteristic('2A37', 0x10)
        self.repeat(heart_rate, 0.5, heart_rates)
        return [
            service(
                '180A',
                characteristic('2A25', 0x02, b'0123456789ab'),
                characteristic('2A27', 0x02, b'V0.1.3.3'),
                characteristic('2A28', 0x02, b'V1.0.1.81'),
                characteristic('2A23', 0x02, bytes.fromhex('c80f10fffe010203')),
                characteristic('2A50', 0x02, bytes.fromhex('01570108008101')),
            ),
            service(
                vendor('00001530'),
                characteristic(vendor('00001531'), 0x18),
                characteristic(vendor('00001532'), 0x04),
            ),
            service('1811', characteristic('2A46', 0x08), characteristic('2A44', 0x1A)),
            service('1802', characteristic('2A06', 0x04)),
            service('180D', heart_rate, characteristic('2A39', 0x0A)),
            service(
                'FEE0',
                characteristic('2A2B', 0x1A, bytes.fromhex('e207040c0c222901000020')),
                characteristic(vendor('00000001'), 0x14),
                characteristic(vendor('00000002'), 0x10),
                characteristic(vendor('00000003'), 0x14),
                characteristic('2A04', 0x16),
                characteristic(vendor('00000004'), 0x16),
                characteristic(vendor('00000005'), 0x10),
                characteristic(vendor('00000006'), 0x12, bytes.fromhex('0f5a00e20704')),
            ),
            service(
                'FEE1',
                characteristic(vendor('00000009'), 0x16),
                characteristic('FEDD', 0x08),
                characteristic('FEDE', 0x02),
                characteristic('FEDF', 0x02),
                characteristic('FED0', 0x0A),
                characteristic('FED1', 0x0A),
                characteristic('FED2', 0x02),
                characteristic('FED3', 0x0A),
                characteristic(vendor('0000FEC1'), 0x1A),
            ),
        ]
