// SPDX-License-Identifier: MIT

/// The entries of one profile, by what they are looked up by.
struct ProfileTable: Sendable {
  let profile: Profile
  private(set) var characteristics: [BluetoothUUID: [ProfileCharacteristic]] = [:]
  private(set) var descriptors: [BluetoothUUID: [ProfileCharacteristic]] = [:]
  private(set) var advertisements: [AdvertisedData.Sender: [ProfileAdvertisement]] = [:]

  init(_ profile: Profile) {
    self.profile = profile
    Self.add(profile.characteristics, to: &characteristics)
    Self.add(profile.descriptors, to: &descriptors)
    // The longest prefix first, and first of all what is meant for certain devices.
    let ordered = profile.advertisements.enumerated().sorted { left, right in
      (left.element.specificity, -left.offset) > (right.element.specificity, -right.offset)
    }
    for (_, advertisement) in ordered {
      advertisements[advertisement.sender, default: []].append(advertisement)
    }
  }

  /// Adds entries: first what is restricted most, and what is restricted as much in the order of the file.
  private static func add(
    _ entries: [ProfileCharacteristic], to table: inout [BluetoothUUID: [ProfileCharacteristic]]
  ) {
    for specificity in (0...3).reversed() {
      for entry in entries where entry.specificity == specificity {
        table[entry.uuid, default: []].append(entry)
      }
    }
  }

  func serviceName(_ uuid: BluetoothUUID) -> String? { profile.services.first { $0.uuid == uuid }?.name }

  /// The index of the profile's contents, without their meaning.
  var index: ProfileIndex {
    ProfileIndex(
      characteristics: profile.characteristics.map { .init(uuid: $0.uuid, text: $0.name) },
      descriptors: profile.descriptors.map { .init(uuid: $0.uuid, text: $0.name) },
      services: profile.services.map { .init(uuid: $0.uuid, text: $0.name) },
      senders: profile.advertisements.map(\.sender), hasDevices: !profile.devices.isEmpty)
  }
}

/// The index of a profile: enough to know whether the rest is needed.
struct ProfileIndex: Sendable {
  struct Entry: Sendable {
    let uuid: BluetoothUUID
    /// The name as it is written.
    let text: String
  }

  var characteristics: [Entry] = []
  var descriptors: [Entry] = []
  var services: [Entry] = []
  var senders: [AdvertisedData.Sender] = []
  var hasDevices = false

  /// The entries of one kind; those of kinds that profiles do not have are none.
  func entries(_ kind: AssignedNumber.Kind) -> [Entry] {
    switch kind {
    case .service: services
    case .characteristic: characteristics
    case .descriptor: descriptors
    default: []
    }
  }
}
