# SPDX-License-Identifier: MIT
"""Devices that can be seen and not connected."""

from .peripheral import (
    Advertiser,
    complete_name,
    flags,
    manufacturer_data,
    service_data16,
    services16,
)


class IBeacon(Advertiser):
    address = 'C1:BE:AC:00:00:01'
    rssi = -67

    def advertisement(self):
        return flags() + manufacturer_data(
            0x004C, '0215e2c56db5dffb48d2b060d0f5a71096e000010002c5'
        )


class Eddystone(Advertiser):
    address = 'C1:BE:AC:00:00:02'
    rssi = -80

    def advertisement(self):
        return flags() + services16('FEAA') + service_data16('FEAA', '10ee036578616d706c6507')


class RuuviTag(Advertiser):
    address = 'C1:BE:AC:00:00:03'
    rssi = -88

    def advertisement(self):
        return flags() + manufacturer_data(
            0x0499, '0512fc5394c37c0004fffc040cac364200cdcbb8334c884f'
        )


class BTHomeSensor(Advertiser):
    name = 'Garden'
    address = 'C5:EA:50:00:00:01'
    rssi = -75

    def advertisement(self):
        return (
            flags() + complete_name(self.name) + service_data16('FCD2', '40002a016402ca0903bf13')
        )


class AtcThermometer(Advertiser):
    address = 'E4:C1:38:56:53:84'
    rssi = -83

    def advertisement(self):
        return flags() + service_data16('181A', '84535638c1e4ccf876129a0b5a4205')


class HostileName(Advertiser):
    """A name that a terminal must not get unescaped."""

    name = 'Evil\x1b[31m\n\u202eX\tY'
    address = 'C3:EE:11:00:00:01'
    rssi = -90

    def advertisement(self):
        return flags() + complete_name(self.name)
