// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BLEWorld

/// A service of an emulated peripheral, with the handles of its attributes.
package struct EmulatedService {
  package let spec: ServiceSpec
  /// Its characteristics, in order.
  package let characteristics: [EmulatedCharacteristic]
  /// The services that it includes, by their indices in ``EmulatedPeripheral/services``.
  package let includes: [Int]
}

package struct EmulatedCharacteristic {
  package let spec: CharacteristicSpec
  /// The handle of its value.
  package let handle: UInt16
  /// Its descriptors, without 2902.
  package let descriptors: [EmulatedDescriptor]
}

package struct EmulatedDescriptor {
  package let spec: DescriptorSpec
  package let handle: UInt16
}

extension EmulatedPeripheral {
  /// The services, without those that BlueZ adds by itself.
  package var services: [EmulatedService] {
    let own = server.layout.services.filter { !$0.spec.isOwnedByBlueZ }
    return own.map { service in
      EmulatedService(
        spec: service.spec,
        characteristics: service.characteristics.map { characteristic in
          EmulatedCharacteristic(
            spec: characteristic.spec, handle: characteristic.valueHandle,
            descriptors: characteristic.descriptors
              .filter { $0.spec.uuid != AttributeLayout.clientConfiguration }
              .map { EmulatedDescriptor(spec: $0.spec, handle: $0.handle) })
        },
        includes: service.includes.compactMap { handle in own.firstIndex { $0.handle == handle } })
    }
  }

  /// Returns whether an answer for a characteristic may come later than the request, or never.
  package static func isLate(_ spec: CharacteristicSpec) -> Bool {
    let isFaulty = spec.faults.contains { action in
      if case .error? = action.answerFault?.answer { false } else { true }
    }
    return isFaulty || spec.reading.isLate || spec.writing == .stall
  }
}

extension ServiceSpec {
  /// The PnP ID of BlueZ without the version: vendor 1d6b (Linux Foundation), product 0246.
  private static let blueZProduct: [UInt8] = [0x02, 0x6B, 0x1D, 0x46, 0x02]

  /// True if BlueZ has it on every adapter: Generic Access, Generic Attribute, or a Device Information that
  /// names BlueZ, as in a snapshot of another computer.
  package var isOwnedByBlueZ: Bool {
    if [AttributeLayout.genericAccess, AttributeLayout.genericAttribute].contains(uuid) { return true }
    guard uuid == BluetoothUUID(0x180A), characteristics.count == 1 else { return false }
    return characteristics[0].uuid == BluetoothUUID(0x2A50)
      && characteristics[0].value.starts(with: Self.blueZProduct)
  }
}

extension ReadBehaviour {
  /// True if the answer comes later than the request, or never.
  package var isLate: Bool {
    switch self {
    case .slow, .stall: true
    case .value, .fails, .next: false
    }
  }
}
