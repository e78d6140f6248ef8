// SPDX-License-Identifier: MIT
internal import BLECentral

/// The attributes of a device by the handles that clients use: characteristics by those of their values.
struct HandleTable {
  enum Attribute {
    case characteristic(GATTCharacteristic)
    case descriptor(GATTDescriptor)
  }

  /// As they go to clients.
  let services: [ForwardedService]
  private let attributes: [UInt16: Attribute]

  /// Without attributes of which BlueZ does not tell the handle.
  init(_ services: [GATTService]) {
    var attributes: [UInt16: Attribute] = [:]
    self.services = services.filter { $0.handle != 0 }.map { service in
      ForwardedService(
        uuid: service.uuid, handle: service.handle,
        characteristics: service.characteristics.filter { $0.valueHandle != 0 }.map { characteristic in
          attributes[characteristic.valueHandle] = .characteristic(characteristic)
          return ForwardedCharacteristic(
            uuid: characteristic.uuid, handle: characteristic.valueHandle,
            properties: UInt8(truncatingIfNeeded: characteristic.properties.rawValue),
            descriptors: characteristic.descriptors.filter { $0.handle != 0 }.map { descriptor in
              attributes[descriptor.handle] = .descriptor(descriptor)
              return ForwardedDescriptor(uuid: descriptor.uuid, handle: descriptor.handle)
            })
        })
    }
    self.attributes = attributes
  }

  /// - Throws: ``ATTError/invalidHandle`` if the handle is that of no characteristic.
  func characteristic(_ handle: UInt16) throws(ATTError) -> GATTCharacteristic {
    if case .characteristic(let found) = attributes[handle] { found } else { throw .invalidHandle }
  }

  /// - Throws: ``ATTError/invalidHandle`` if the handle is that of no descriptor.
  func descriptor(_ handle: UInt16) throws(ATTError) -> GATTDescriptor {
    if case .descriptor(let found) = attributes[handle] { found } else { throw .invalidHandle }
  }

  /// The services in the order of their handles, as many in each message as it should have; nil if one has no room in
  /// any message.
  func messages(_ address: BluetoothAddress, usesShortUUIDs: Bool) -> [ServerMessage]? {
    var parts: [(services: [ForwardedService], size: Int)] = []
    for service in services {
      let size = service.mostBytes
      if size > ProxyTransport.longestBody - 64 { return nil }
      if let last = parts.last, last.size + size <= Self.usualBytes {
        parts[parts.count - 1].services.append(service)
        parts[parts.count - 1].size += size
      } else {
        parts.append(([service], size))
      }
    }
    return parts.map { .services(address, $0.services, usesShortUUIDs: usesShortUUIDs) }
  }

  /// The size of the messages of ESPHome.
  private static let usualBytes = 1360
}

extension ForwardedService {
  /// The most bytes that it takes in a message: each UUID up to 22, and the keys, handles and sizes.
  fileprivate var mostBytes: Int {
    characteristics.reduce(34) { $0 + 40 + 34 * $1.descriptors.count }
  }
}
