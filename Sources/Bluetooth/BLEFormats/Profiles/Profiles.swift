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
  /// By reference: profiles are copied for each value that is decoded.
  private let lookup: ProfileLookup

  /// Creates the collection; the first profile takes precedence.
  public init(_ profiles: [Profile] = []) { self.init(profiles, files: []) }

  /// Creates the collection of some profiles, which take precedence, and of files that are read when they are needed.
  package init(_ profiles: [Profile], files: [ProfileFile]) {
    lookup = ProfileLookup(profiles.map { .table(ProfileTable($0)) } + files.map { .file($0) })
  }

  private var parts: [ProfileLookup.Part] { lookup.parts }

  /// The profiles, in the order of their precedence.
  public var profiles: [Profile] { parts.map(\.table.profile) }

  /// The indices of the profiles, in the order of their precedence.
  ///
  /// Reads no layouts.
  var indices: [ProfileIndex] { lookup.indices }

  /// Devices with names of your own, in the order of precedence.
  public var devices: [ProfileDevice] { lookup.devices.flatMap { parts[$0].table.profile.devices } }

  /// True if there is nothing but what is published.
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
    guard let places = lookup.characteristics[uuid] else { return nil }
    for table in lookup.tables(places) {
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
    guard let places = lookup.descriptors[uuid] else { return nil }
    for table in lookup.tables(places) {
      if let entry = table.descriptors[uuid]?.first(where: { $0.applies(in: service, on: device) }) {
        return entry
      }
    }
    return nil
  }

  /// Returns all entries with a UUID, in the order of precedence.
  package func characteristics(with uuid: BluetoothUUID) -> [ProfileCharacteristic] {
    lookup.tables(lookup.characteristics[uuid]).flatMap { $0.characteristics[uuid] ?? [] }
  }

  /// Returns all entries with a UUID, in the order of precedence.
  package func descriptors(with uuid: BluetoothUUID) -> [ProfileCharacteristic] {
    lookup.tables(lookup.descriptors[uuid]).flatMap { $0.descriptors[uuid] ?? [] }
  }

  /// Returns the layout of a characteristic: that of a profile, or else the standard one; nil if there is none.
  public func layout(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ValueLayout? {
    let entry =
      lookup.characteristics.isEmpty ? nil : characteristic(for: uuid, service: service, device: device)
    return entry?.layout ?? ValueLayout(for: uuid)
  }

  /// Returns the layout of a descriptor: that of a profile, or else the standard one; nil if there is none.
  public func layout(
    forDescriptor uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ValueLayout? {
    let entry =
      lookup.descriptors.isEmpty ? nil : descriptor(for: uuid, service: service, device: device)
    return entry?.layout ?? ValueLayout(for: uuid)
  }
}

// MARK: Names

extension Profiles {
  /// Returns the name of a characteristic: that of a profile, or else the published one; nil if there is none.
  public func name(
    ofCharacteristic uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> String? {
    let entry =
      lookup.characteristics.isEmpty ? nil : characteristic(for: uuid, service: service, device: device)
    return entry?.name ?? AssignedNumbers.name(ofCharacteristic: uuid)
  }

  /// Returns the name of a descriptor: that of a profile, or else the published one; nil if there is none.
  public func name(
    ofDescriptor uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> String? {
    let entry =
      lookup.descriptors.isEmpty ? nil : descriptor(for: uuid, service: service, device: device)
    return entry?.name ?? AssignedNumbers.name(ofDescriptor: uuid)
  }

  /// Returns the name of a service: that of a profile, or else the published one; nil if there is none.
  public func name(ofService uuid: BluetoothUUID) -> String? {
    ownName(ofService: uuid) ?? AssignedNumbers.name(ofService: uuid)
  }

  /// Returns the name that a profile gives a service; nil if none does.
  package func ownName(ofService uuid: BluetoothUUID) -> String? {
    lookup.tables(lookup.services[uuid]).compactMap { $0.serviceName(uuid) }.first
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
    uuids(.characteristic, name) { $0.characteristics.map { ($0.name, $0.uuid) } }
  }

  /// Returns the UUIDs of the descriptors that profiles give a name, compared as in ``characteristics(named:)``.
  public func descriptors(named name: some StringProtocol) -> [BluetoothUUID] {
    uuids(.descriptor, name) { $0.descriptors.map { ($0.name, $0.uuid) } }
  }

  /// Returns the UUIDs of the services that profiles give a name, compared as in ``characteristics(named:)``.
  public func services(named name: some StringProtocol) -> [BluetoothUUID] {
    uuids(.service, name) { $0.services.map { ($0.name, $0.uuid) } }
  }

  private func uuids(
    _ kind: AssignedNumber.Kind, _ name: some StringProtocol,
    _ entries: (Profile) -> [(name: String, uuid: BluetoothUUID)]
  ) -> [BluetoothUUID] {
    if isEmpty { return [] }
    let key = NameKey(name)
    var uuids: [BluetoothUUID] = []
    for (part, index) in zip(parts, indices)
    where index.entries(kind).contains(where: { key.equals($0.text) }) {
      for entry in entries(part.table.profile) where key.equals(entry.name) && !uuids.contains(entry.uuid) {
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
  ) -> (any AdvertisedFormat)? { own(data, context, device) ?? AdvertisedFormats.decode(data, in: context) }

  /// Decodes all data of an advertisement of which a format is known, in its order.
  public func formats(
    in context: AdvertisedContext, of device: ProfileSubject? = nil
  ) -> [any AdvertisedFormat] { context.data.compactMap { decode($0, in: context, of: device) } }

  private func own(
    _ data: AdvertisedData, _ context: AdvertisedContext, _ device: ProfileSubject?
  ) -> ProfileFormat? {
    guard !lookup.advertisements.isEmpty else { return nil }
    let sender = data.sender
    guard let places = lookup.advertisements[sender] else { return nil }
    var device = device ?? ProfileSubject()
    if let name = context.localName, !device.names.contains(name) { device.names.append(name) }
    for table in lookup.tables(places) {
      for candidate in table.advertisements[sender] ?? [] {
        if let format = candidate.decode(data, of: device) { return format }
      }
    }
    return nil
  }
}
