// SPDX-License-Identifier: MIT

/// Several profiles in the order of their precedence, and which of them may have an entry.
final class ProfileLookup: Sendable {
  enum Part: Sendable {
    case table(ProfileTable)
    case file(ProfileFile)

    var table: ProfileTable {
      switch self {
      case .table(let table): table
      case .file(let file): file.table
      }
    }

    var index: ProfileIndex {
      switch self {
      case .table(let table): table.index
      case .file(let file): file.index
      }
    }
  }

  let parts: [Part]
  /// The index of each part.
  let indices: [ProfileIndex]
  let characteristics: [BluetoothUUID: Places]
  let descriptors: [BluetoothUUID: Places]
  let services: [BluetoothUUID: Places]
  let advertisements: [AdvertisedData.Sender: Places]
  /// The places in ``parts`` that may have devices.
  let devices: [Int]

  init(_ parts: [Part]) {
    self.parts = parts
    let indices = parts.map(\.index)
    self.indices = indices
    characteristics = Self.places(indices) { $0.characteristics.lazy.map(\.uuid) }
    descriptors = Self.places(indices) { $0.descriptors.lazy.map(\.uuid) }
    services = Self.places(indices) { $0.services.lazy.map(\.uuid) }
    advertisements = Self.places(indices) { $0.senders }
    devices = indices.indices.filter { indices[$0].hasDevices }
  }

  private static func places<Keys: Sequence>(
    _ indices: [ProfileIndex], _ keys: (ProfileIndex) -> Keys
  ) -> [Keys.Element: Places] where Keys.Element: Hashable {
    var places: [Keys.Element: Places] = [:]
    for (place, index) in indices.enumerated() {
      for key in keys(index) { places[key, default: Places(place)].insert(place) }
    }
    return places
  }

  func tables(_ places: Places?) -> some Sequence<ProfileTable> {
    (places ?? Places()).lazy.map { self.parts[$0].table }
  }

  /// Places in ``parts``, in their order; a single one, as usual, is kept without an allocation.
  struct Places: RandomAccessCollection {
    private let first: Int?
    private var others: [Int] = []

    init(_ first: Int? = nil) { self.first = first }

    /// Adds a place behind the others, unless it is the last one.
    mutating func insert(_ place: Int) { if last != place { others.append(place) } }

    var startIndex: Int { 0 }
    var endIndex: Int { first == nil ? 0 : others.count + 1 }

    subscript(position: Int) -> Int {
      guard position == 0, let first else { return others[position - 1] }
      return first
    }
  }
}
