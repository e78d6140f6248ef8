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
  /// The profiles, in the order of their precedence.
  public let profiles: [Profile]

  /// Devices with names of your own, in the order of precedence.
  public var devices: [ProfileDevice] { profiles.flatMap(\.devices) }

  private var characteristics: [BluetoothUUID: [ProfileCharacteristic]] = [:]
  private var descriptors: [BluetoothUUID: [ProfileCharacteristic]] = [:]
  private var services: [BluetoothUUID: String] = [:]
  private var characteristicNames: [NameKey: [BluetoothUUID]] = [:]
  private var descriptorNames: [NameKey: [BluetoothUUID]] = [:]
  private var serviceNames: [NameKey: [BluetoothUUID]] = [:]
  private var advertisements: [ProfileAdvertisement.Sender: [ProfileAdvertisement]] = [:]

  /// Creates the collection; the first profile takes precedence.
  public init(_ profiles: [Profile] = []) {
    self.profiles = profiles
    for profile in profiles {
      Self.add(profile.characteristics, to: &characteristics, names: &characteristicNames)
      Self.add(profile.descriptors, to: &descriptors, names: &descriptorNames)
      for service in profile.services {
        if services[service.uuid] == nil { services[service.uuid] = service.name }
        Self.add(service.uuid, to: &serviceNames[NameKey(service.name), default: []])
      }
      // The longest prefix first, and first of all what is meant for certain devices.
      let ordered = profile.advertisements.enumerated().sorted { left, right in
        (left.element.specificity, -left.offset) > (right.element.specificity, -right.offset)
      }
      for (_, advertisement) in ordered {
        advertisements[advertisement.sender, default: []].append(advertisement)
      }
    }
  }

  private static func add(
    _ entries: [ProfileCharacteristic], to table: inout [BluetoothUUID: [ProfileCharacteristic]],
    names: inout [NameKey: [BluetoothUUID]]
  ) {
    // In the order of the file among those that are restricted as much.
    for specificity in (0...3).reversed() {
      for entry in entries where entry.specificity == specificity {
        table[entry.uuid, default: []].append(entry)
      }
    }
    for entry in entries { add(entry.uuid, to: &names[NameKey(entry.name), default: []]) }
  }

  private static func add(_ uuid: BluetoothUUID, to uuids: inout [BluetoothUUID]) {
    if !uuids.contains(uuid) { uuids.append(uuid) }
  }

  /// Whether there is nothing but what is published.
  public var isEmpty: Bool { profiles.isEmpty }
}

// MARK: Characteristics and descriptors

extension Profiles {
  /// Returns the entry for a characteristic; nil if no profile has one.
  ///
  /// A service or a device that is nil is unknown: entries that depend on it do not apply.
  public func characteristic(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ProfileCharacteristic? {
    characteristics[uuid]?.first { $0.applies(in: service, on: device) }
  }

  /// Returns the entry for a descriptor in a service; nil if no profile has one.
  public func descriptor(
    for uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: ProfileSubject? = nil
  ) -> ProfileCharacteristic? {
    descriptors[uuid]?.first { $0.applies(in: service, on: device) }
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
    services[uuid] ?? AssignedNumbers.name(ofService: uuid)
  }

  /// Returns the UUIDs of the characteristics that profiles give a name; several if devices differ.
  ///
  /// Only letters and digits are compared, ignoring case. Published names are not searched:
  /// ``BluetoothUUID/init(name:kinds:)`` does that.
  public func characteristics(named name: some StringProtocol) -> [BluetoothUUID] {
    characteristicNames.isEmpty ? [] : characteristicNames[NameKey(name)] ?? []
  }

  /// Returns the UUIDs of the descriptors that profiles give a name, compared as in ``characteristics(named:)``.
  public func descriptors(named name: some StringProtocol) -> [BluetoothUUID] {
    descriptorNames.isEmpty ? [] : descriptorNames[NameKey(name)] ?? []
  }

  /// Returns the UUIDs of the services that profiles give a name, compared as in ``characteristics(named:)``.
  public func services(named name: some StringProtocol) -> [BluetoothUUID] {
    serviceNames.isEmpty ? [] : serviceNames[NameKey(name)] ?? []
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
    let sender: ProfileAdvertisement.Sender =
      switch data {
      case .manufacturer(let company, _): .company(company)
      case .service(let service, _): .service(service)
      }
    guard let candidates = advertisements[sender] else { return nil }
    var device = device ?? ProfileSubject()
    if let name = context.localName, !device.names.contains(name) { device.names.append(name) }
    return candidates.lazy.compactMap { $0.decode(data, of: device) }.first
  }
}
