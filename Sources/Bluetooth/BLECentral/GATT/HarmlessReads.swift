// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The attributes of one device that can be read just to get an answer.
///
/// Descriptor 2902 can be read on any device, without pairing or side effects. A device refuses at once to
/// read a characteristic that is not readable.
struct HarmlessReads {
  let device: DeviceSession

  private var core: CentralCore { device.core }

  /// Returns up to three attributes, the most harmless ones first.
  func attributes() -> [AttributeSession] {
    var ranked: [(rank: Int, path: String, interface: String)] = []
    for characteristic in core.client.model.characteristics(of: device.path) {
      let isQuiet = characteristic.properties.isDisjoint(with: [.notify, .indicate])
      let isUnreadable = !characteristic.properties.contains(.read)
      ranked.append((isQuiet ? (isUnreadable ? 2 : 3) : 4, characteristic.path, BlueZ.gattCharacteristic))
    }
    for descriptor in descriptors() {
      let isConfiguration = descriptor.uuid == .clientCharacteristicConfiguration
      ranked.append((isConfiguration ? 0 : 1, descriptor.path, BlueZ.gattDescriptor))
    }
    return ranked.sorted { ($0.rank, $0.path) < ($1.rank, $1.path) }.prefix(3).map {
      core.sessions.attribute($0.path, $0.interface, of: device)
    }
  }

  func configuration() -> AttributeSession? {
    descriptors().filter { $0.uuid == .clientCharacteristicConfiguration }.map(\.path).min().map {
      core.sessions.attribute($0, BlueZ.gattDescriptor, of: device)
    }
  }

  private func descriptors() -> [DescriptorState] {
    let owners = Set(core.client.model.characteristics(of: device.path).map(\.path))
    return core.client.model.descriptors.values.filter { owners.contains($0.characteristicPath) }
  }
}
