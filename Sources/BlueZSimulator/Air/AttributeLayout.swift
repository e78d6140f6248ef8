// SPDX-License-Identifier: MIT

/// The attributes of a peripheral's GATT server, numbered as such servers do: services one after another from handle
/// 1, each characteristic with its declaration, its value and its descriptors, the client configuration last.
struct AttributeLayout {
  struct Service {
    let handle: UInt16
    let uuid: AttributeUUID
    var characteristics: [Characteristic] = []
  }

  struct Characteristic {
    /// The handle of the declaration; the value's is the next.
    let handle: UInt16
    let spec: CharacteristicSpec
    var descriptors: [Descriptor] = []
    var valueHandle: UInt16 { handle + 1 }
  }

  struct Descriptor {
    let handle: UInt16
    let spec: DescriptorSpec
  }

  static let clientConfiguration = AttributeUUID(0x2902)

  private(set) var services: [Service] = []

  init(_ spec: PeripheralSpec) {
    var next: UInt16 = 1
    func take() -> UInt16 {
      defer { next += 1 }
      return next
    }
    for service in AttributeLayout.common(of: spec) + spec.services {
      var placed = Service(handle: take(), uuid: service.uuid)
      for characteristic in service.characteristics {
        var entry = Characteristic(handle: take(), spec: characteristic)
        _ = take()
        for descriptor in characteristic.descriptors {
          entry.descriptors.append(Descriptor(handle: take(), spec: descriptor))
        }
        if characteristic.properties.isSubscribable {
          let configuration = DescriptorSpec(
            AttributeLayout.clientConfiguration, value: [0, 0], isWritable: true)
          entry.descriptors.append(Descriptor(handle: take(), spec: configuration))
        }
        placed.characteristics.append(entry)
      }
      services.append(placed)
    }
  }

  /// The services that are not the device's own: Generic Access, and Generic Attribute where there is one.
  private static func common(of spec: PeripheralSpec) -> [ServiceSpec] {
    let appearance = spec.advertisement.appearance ?? 0
    let access = [
      ServiceSpec(
        AttributeUUID(0x1800),
        [
          CharacteristicSpec(AttributeUUID(0x2A00), 0x02, value: Array((spec.advertisement.name ?? "").utf8)),
          CharacteristicSpec(
            AttributeUUID(0x2A01), 0x02, value: [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]),
        ])
    ]
    guard spec.hasGenericAttribute else { return access }
    return access + [
      ServiceSpec(AttributeUUID(0x1801), [CharacteristicSpec(AttributeUUID(0x2A05), 0x20, value: [])])
    ]
  }
}
