// SPDX-License-Identifier: MIT

/// Names and layouts of several profiles, and behind them those that the Bluetooth SIG and vendors have published.
///
/// Where several entries apply, the first profile wins; within one profile, the entry that names device and service.
///
/// ```swift
/// let profiles = Profiles([profile])
/// profiles.layout(for: imu)                         // the layout of the profile
/// profiles.layout(for: .heartRateMeasurement)       // the standard layout
/// profiles.name(ofCharacteristic: imu)              // "imu"
/// profiles.characteristics(named: "imu")            // the UUIDs with this name
/// ```
public struct Profiles: Sendable {
  private enum Part: Sendable {
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

  private var parts: [Part] = []
  /// The places in ``parts`` that may have an entry.
  private var characteristics: [BluetoothUUID: [Int]] = [:]
  private var descriptors: [BluetoothUUID: [Int]] = [:]
  private var services: [BluetoothUUID: [Int]] = [:]
  private var characteristicNames: [NameKey: [Int]] = [:]
  private var descriptorNames: [NameKey: [Int]] = [:]
  private var serviceNames: [NameKey: [Int]] = [:]
  private var advertisements: [AdvertisedData.Sender: [Int]] = [:]
  private var placesOfDevices: [Int] = []

  /// Creates the collection; the first profile takes precedence.
  public init(_ profiles: [Profile] = []) {
    for profile in profiles {
      let table = ProfileTable(profile)
      add(.table(table), table.index)
    }
  }

  /// Creates the collection of some profiles, which take precedence, and of files that are read when they are needed.
  package init(_ profiles: [Profile], files: [ProfileFile]) {
    self.init(profiles)
    for file in files { add(.file(file), file.index) }
  }

  private mutating func add(_ part: Part, _ index: ProfileIndex) {
    let place = parts.count
    parts.append(part)
    Self.add(index.characteristics, place, to: &characteristics, names: &characteristicNames)
    Self.add(index.descriptors, place, to: &descriptors, names: &descriptorNames)
    Self.add(index.services, place, to: &services, names: &serviceNames)
    for sender in index.senders { Self.add(place, to: &advertisements[sender, default: []]) }
    if index.hasDevices { placesOfDevices.append(place) }
  }

  private static func add(
    _ entries: [ProfileIndex.Entry], _ place: Int, to places: inout [BluetoothUUID: [Int]],
    names: inout [NameKey: [Int]]
  ) {
    for entry in entries {
      add(place, to: &places[entry.uuid, default: []])
      add(place, to: &names[entry.name, default: []])
    }
  }

  private static func add(_ place: Int, to places: inout [Int]) {
    if places.last != place { places.append(place) }
  }

  private func tables(_ places: [Int]?) -> LazyMapSequence<[Int], ProfileTable> {
    (places ?? []).lazy.map { parts[$0].table }
  }

  /// The profiles, in the order of their precedence.
  public var profiles: [Profile] { parts.map(\.table.profile) }

  /// What the profiles have, in the order of their precedence; reads no layouts.
  var indices: [ProfileIndex] { parts.map(\.index) }

  /// Devices with names of your own, in the order of precedence.
  public var devices: [ProfileDevice] { tables(placesOfDevices).flatMap(\.profile.devices) }

  /// Whether there is nothing but what is published.
  public var isEmpty: Bool { parts.isEmpty }
}

// MARK: Characteristics and descriptors

extension Profiles {
  /// Returns the entry for a characteristic; nil if no profile has one.
  ///
  /// A service or a device that is nil is unknown: entries that depend on it do not apply.
  public func characteristic(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ProfileCharacteristic? {
    guard let places = characteristics[uuid] else { return nil }
    for table in tables(places) {
      if let entry = table.characteristics[uuid]?.first(where: { $0.applies(in: service, on: device) }) {
        return entry
      }
    }
    return nil
  }

  /// Returns the entry for a descriptor in a service; nil if no profile has one.
  public func descriptor(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ProfileCharacteristic? {
    guard let places = descriptors[uuid] else { return nil }
    for table in tables(places) {
      if let entry = table.descriptors[uuid]?.first(where: { $0.applies(in: service, on: device) }) {
        return entry
      }
    }
    return nil
  }

  /// Returns all entries with a UUID, in the order of precedence.
  package func characteristics(with uuid: BluetoothUUID) -> [ProfileCharacteristic] {
    tables(characteristics[uuid]).flatMap { $0.characteristics[uuid] ?? [] }
  }

  /// Returns all entries with a UUID, in the order of precedence.
  package func descriptors(with uuid: BluetoothUUID) -> [ProfileCharacteristic] {
    tables(descriptors[uuid]).flatMap { $0.descriptors[uuid] ?? [] }
  }

  /// Returns the layout of a characteristic: that of a profile, or else the standard one; nil if there is none.
  public func layout(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ValueLayout? {
    let entry = characteristics.isEmpty ? nil : characteristic(for: uuid, service: service, device: device)
    return entry?.layout ?? ValueLayout(for: uuid)
  }

  /// Returns the layout of a descriptor: that of a profile, or else the standard one; nil if there is none.
  public func layout(
    forDescriptor uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ValueLayout? {
    let entry =
      descriptors.isEmpty ? nil : descriptor(for: uuid, service: service, device: device)
    return entry?.layout ?? ValueLayout(for: uuid)
  }
}

// MARK: Names

extension Profiles {
  /// Returns the name of a characteristic: that of a profile, or else the published one; nil if there is none.
  public func name(
    ofCharacteristic uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> String? {
    let entry = characteristics.isEmpty ? nil : characteristic(for: uuid, service: service, device: device)
    return entry?.name ?? AssignedNumbers.name(ofCharacteristic: uuid)
  }

  /// Returns the name of a descriptor: that of a profile, or else the published one; nil if there is none.
  public func name(
    ofDescriptor uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> String? {
    let entry =
      descriptors.isEmpty ? nil : descriptor(for: uuid, service: service, device: device)
    return entry?.name ?? AssignedNumbers.name(ofDescriptor: uuid)
  }

  /// Returns the name of a service: that of a profile, or else the published one; nil if there is none.
  public func name(ofService uuid: BluetoothUUID) -> String? {
    ownName(ofService: uuid) ?? AssignedNumbers.name(ofService: uuid)
  }

  /// Returns the name that a profile gives a service; nil if none does.
  package func ownName(ofService uuid: BluetoothUUID) -> String? {
    tables(services[uuid]).compactMap { $0.serviceName(uuid) }.first
  }

  /// Returns the names of services, characteristics or descriptors, in the order of precedence; reads no layouts.
  package func ownNames(_ kind: AssignedNumber.Kind) -> [String] {
    indices.flatMap { $0.entries(kind) }.map(\.text)
  }

  /// Returns the UUIDs of the characteristics that profiles give a name; several if devices differ.
  ///
  /// Only letters and digits are compared, ignoring case. Published names are not searched:
  /// ``BluetoothUUID/init(name:kinds:)`` does that.
  public func characteristics(named name: some StringProtocol) -> [BluetoothUUID] {
    if characteristicNames.isEmpty { return [] }
    return uuids(characteristicNames, name) { $0.profile.characteristics.map { ($0.name, $0.uuid) } }
  }

  /// Returns the UUIDs of the descriptors that profiles give a name, compared as in ``characteristics(named:)``.
  public func descriptors(named name: some StringProtocol) -> [BluetoothUUID] {
    if descriptorNames.isEmpty { return [] }
    return uuids(descriptorNames, name) { $0.profile.descriptors.map { ($0.name, $0.uuid) } }
  }

  /// Returns the UUIDs of the services that profiles give a name, compared as in ``characteristics(named:)``.
  public func services(named name: some StringProtocol) -> [BluetoothUUID] {
    if serviceNames.isEmpty { return [] }
    return uuids(serviceNames, name) { $0.profile.services.map { ($0.name, $0.uuid) } }
  }

  private func uuids(
    _ places: [NameKey: [Int]], _ name: some StringProtocol,
    _ entries: (ProfileTable) -> [(name: String, uuid: BluetoothUUID)]
  ) -> [BluetoothUUID] {
    let key = NameKey(name)
    var uuids: [BluetoothUUID] = []
    for table in tables(places[key]) {
      for entry in entries(table) where NameKey(entry.name) == key && !uuids.contains(entry.uuid) {
        uuids.append(entry.uuid)
      }
    }
    return uuids
  }
}

// MARK: Advertisements

extension Profiles {
  /// Decodes manufacturer data or service data by a profile, or else as a published format; nil if neither knows it.
  public func decode(
    _ data: AdvertisedData, in context: AdvertisedContext = AdvertisedContext(),
    of device: ProfileSubject? = nil
  ) -> (any AdvertisedFormat)? {
    own(data, context, device) ?? AdvertisedFormats.decode(data, in: context)
  }

  /// Decodes all data of an advertisement of which a format is known, in its order.
  public func formats(
    in context: AdvertisedContext, of device: ProfileSubject? = nil
  ) -> [any AdvertisedFormat] {
    context.data.compactMap { decode($0, in: context, of: device) }
  }

  private func own(
    _ data: AdvertisedData, _ context: AdvertisedContext, _ device: ProfileSubject?
  ) -> ProfileFormat? {
    guard !advertisements.isEmpty else { return nil }
    let sender = data.sender
    guard let places = advertisements[sender] else { return nil }
    var device = device ?? ProfileSubject()
    if let name = context.localName, !device.names.contains(name) { device.names.append(name) }
    for table in tables(places) {
      for candidate in table.advertisements[sender] ?? [] {
        if let format = candidate.decode(data, of: device) { return format }
      }
    }
    return nil
  }
}
