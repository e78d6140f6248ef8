// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BLEWorld

extension World {
  /// Returns many devices with realistic advertisements, to measure how listings and scans scale.
  package static func crowd(devices: Int, interval: Duration = .seconds(1)) -> World {
    World(
      peripherals: (0..<max(0, devices)).map { index in
        var advertisement = AdvertisementSpec(interval: interval, rssi: Int16(-40 - index % 55), rssiDrift: 5)
        switch index % 4 {
        case 0:
          advertisement.name = "Sensor \(index)"
          advertisement.services = [BluetoothUUID(0x180F), BluetoothUUID(0x181A)]
          advertisement.txPower = 4
        case 1:
          advertisement.manufacturerData = [
            .init(
              company: 0x004C, bytes: [0x10, 0x05, UInt8(truncatingIfNeeded: index), 0x1C, 0x6A, 0x42, 0x00])
          ]
        case 2:
          advertisement.services = [BluetoothUUID(0xFE9F)]
          advertisement.serviceData = [
            .init(
              service: BluetoothUUID(0xFE9F), bytes: (0..<20).map { UInt8(truncatingIfNeeded: $0 &* index) })
          ]
          advertisement.isConnectable = false
        default:
          advertisement.name = "Watch \(index)"
          advertisement.services = [BluetoothUUID(0x180D)]
          advertisement.manufacturerData = [
            .init(company: 0x0157, bytes: (0..<8).map { UInt8(truncatingIfNeeded: $0 &+ index) })
          ]
          advertisement.appearance = 0x00C1
        }
        return PeripheralSpec(address: crowdAddress(index), advertisement: advertisement)
      })
  }

  /// Returns sensors that count each packet, and send each `interval`: BTHome with a battery and a temperature.
  package static func sensors(_ count: Int, interval: Duration) -> World {
    let values = (0..<256).map { number in
      // 0.01 °C a packet, from 20 °C.
      let temperature = 2000 + number
      return TimedData(
        [0x40, 0x00, UInt8(number), 0x01, 0x5D, 0x02, UInt8(temperature & 0xFF), UInt8(temperature >> 8)],
        for: interval)
    }
    return World(
      peripherals: (0..<count).map { index in
        let advertisement = AdvertisementSpec(
          name: "Sensor \(index)",
          serviceData: [.init(service: BluetoothUUID(0xFCD2), .changing(.sequence(values)))],
          interval: interval, rssi: Int16(-40 - index % 55), rssiDrift: 5)
        return PeripheralSpec(address: crowdAddress(index), advertisement: advertisement)
      })
  }

  /// Returns one device whose characteristic 2A37 notifies a subscriber `perSecond`, or as fast as possible.
  package static func flood(notifications: Int, perSecond: Int? = nil) -> World {
    World(peripherals: [
      PeripheralSpec(
        address: "C2:F1:00:D0:00:01",
        advertisement: AdvertisementSpec(name: "Flood", services: [BluetoothUUID(0x180D)], rssi: -45),
        services: [
          ServiceSpec(
            BluetoothUUID(0x180D),
            [
              CharacteristicSpec(
                BluetoothUUID(0x2A37), 0x12, notifying: .flood(count: notifications, perSecond: perSecond))
            ])
        ])
    ])
  }

  /// Returns the random static address for a number.
  private static func crowdAddress(_ index: Int) -> String {
    let low = [16, 8, 0].map { Hex.string([UInt8(truncatingIfNeeded: index >> $0)]) }.joined(separator: ":")
    return "C4:0D:ED:" + low.uppercased()
  }
}
