// SPDX-License-Identifier: MIT

/// Looks up names and numbers: those that the Bluetooth SIG assigns, and UUIDs that vendors have published.
///
/// The lists are read-only text in the program, so nothing is parsed or allocated at start. Finding a number
/// takes a few steps; finding a name takes one pass over the list, some tens of microseconds.
///
/// ```swift
/// AssignedNumbers.name(ofService: .heartRate)         // "Heart Rate"
/// AssignedNumbers.companyName(0x004c)                 // "Apple, Inc."
/// AssignedNumbers.named("battery-level").first?.uuid  // 2a19
/// ```
public enum AssignedNumbers {
  /// Returns the name of a service, by its UUID of any length; nil if it is unknown.
  ///
  /// For UUIDs that members of the SIG and other organisations bought, this is the name of the member, such
  /// as `Google LLC`, unless the use of the UUID is known.
  public static func name(ofService uuid: BluetoothUUID) -> String? { name(of: uuid, serviceKinds) }

  /// Returns the name of a characteristic, by its UUID of any length; nil if it is unknown.
  public static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
    name(of: uuid, [.characteristic])
  }

  /// Returns the name of a descriptor, by its UUID of any length; nil if the SIG has assigned none.
  public static func name(ofDescriptor uuid: BluetoothUUID) -> String? { name(of: uuid, [.descriptor]) }

  /// Returns the name of a unit of Characteristic Presentation Format, from `0x2700` on; nil if unknown.
  ///
  /// For example, `thermodynamic temperature (degree Celsius)`.
  public static func name(ofUnit number: UInt16) -> String? {
    AssignedNumbers.units.name(of: UInt128(number))
  }

  /// Returns the name of a company by its identifier, such as `0x004c`; nil if the SIG has assigned none.
  public static func companyName(_ identifier: UInt16) -> String? {
    AssignedNumbers.companies.name(of: UInt128(identifier))
  }

  /// Returns one element for each kind of thing that a UUID of any length identifies; usually one or none.
  public static func assigned(_ uuid: BluetoothUUID) -> [AssignedNumber] {
    AssignedNumber.Kind.allCases.compactMap { kind in
      kind.name(of: uuid).map {
        AssignedNumber(kind: kind, number: .uuid(uuid), name: $0.name, origin: $0.origin)
      }
    }
  }

  /// Returns the company or the appearance with a number; nil if it is not assigned, or for a kind of UUIDs.
  public static func assigned(_ value: UInt16, kind: AssignedNumber.Kind) -> AssignedNumber? {
    guard !kind.isUUID, let name = kind.table.name(of: UInt128(value)) else { return nil }
    return AssignedNumber(kind: kind, number: .value(value), name: name, origin: .sig)
  }

  /// The kinds that the UUID of a service can have, the likeliest first.
  public static let serviceKinds: [AssignedNumber.Kind] = [
    .service, .member, .standard, .meshProfile, .serviceClass, .networkProtocol,
  ]

  private static func name(of uuid: BluetoothUUID, _ kinds: [AssignedNumber.Kind]) -> String? {
    for kind in kinds {
      if let name = kind.name(of: uuid)?.name { return name }
    }
    return nil
  }
}

extension AssignedNumbers {
  /// Finds the numbers with a whole name, in the order of the kinds; several if it is ambiguous.
  ///
  /// Compares only letters and digits, ignoring case: `heart-rate`, `Heart Rate` and `heart_rate` are equal.
  public static func named(
    _ name: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) -> [AssignedNumber] {
    let key = NameKey(name)
    guard !key.bytes.isEmpty else { return [] }
    var found: [AssignedNumber] = []
    for kind in kinds {
      kind.visit { line, origin in
        if key.equals(line.name) { found.append(kind.assigned(line, origin)) }
      }
    }
    return found
  }

  /// Finds the numbers whose name contains a text, compared as in ``named(_:kinds:)``.
  ///
  /// - Returns: first exact matches, then names that start with the text, then the others.
  public static func containing(
    _ part: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) -> [AssignedNumber] {
    let key = NameKey(part)
    guard !key.bytes.isEmpty else { return [] }
    var (exact, beginning, other): ([AssignedNumber], [AssignedNumber], [AssignedNumber]) = ([], [], [])
    for kind in kinds {
      kind.visit(holding: key) { line, origin, fit in
        let number = kind.assigned(line, origin)
        switch fit {
        case .exact: exact.append(number)
        case .beginning: beginning.append(number)
        case .part: other.append(number)
        }
      }
    }
    return exact + beginning + other
  }

  /// Suggests names for a misspelt one, at most `limit`, the likeliest first, in the form `heart-rate`.
  public static func suggestions(
    for text: some StringProtocol, kinds: [AssignedNumber.Kind], limit: Int = 3
  ) -> [String] {
    let key = NameKey(text)
    guard key.bytes.count > 1, key.bytes.count <= 64 else { return [] }
    let allowance = max(1, key.bytes.count / 3)
    let mayBeInitials = key.bytes.count <= 4
    var found: [(rank: Int, name: String)] = []
    for kind in kinds {
      kind.visit { line, _ in
        if mayBeInitials, key.areInitials(of: line.name) {
          // Before all others, the older numbers first: they are of what most devices have.
          found.append((Int(truncatingIfNeeded: min(line.number, 0xffff)) - 0x10000, line.nameText))
        } else if let fit = key.fit(line.name) {
          // A match with a part is less likely than a typo in the whole name, and less so the longer the rest.
          found.append((allowance + fit.rawValue * 100 + line.name.count, line.nameText))
        } else if line.name.count <= 2 * key.bytes.count + 4 {
          let distance = key.distance(to: NameKey(utf8: line.name))
          if distance <= allowance { found.append((distance, line.nameText)) }
        }
      }
    }
    var names: [String] = []
    for candidate in found.sorted(by: { ($0.rank, $0.name) < ($1.rank, $1.name) }) {
      let name = hyphenated(candidate.name)
      if !names.contains(name) { names.append(name) }
      if names.count == limit { break }
    }
    return names
  }

  /// Returns a name in a form that needs no quotes: `Heart Rate` becomes `heart-rate`.
  public static func hyphenated(_ name: some StringProtocol) -> String {
    name.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }
}

// UUIDs that are missing in the package from which the other tables are generated. Each is in the vendor's public
// documentation, or was documented by users; 2a1f, 2a56 and 2a58 are in the SIG's earlier lists, and devices use them.
// Sorted by number, as every table must be.

extension AssignedNumbers {
  /// Services; the short UUIDs were bought from the SIG, which lists only the name of the member.
  static var moreServices: NumberTable {
    NumberTable(
      digits: 36,
      text: """
        00001530-0000-3512-2118-0009af100700 Mi Band Firmware
        00001f10-0000-1000-8000-00805f9b34fb ATC/pvvx Thermometer Settings
        0000fcd2-0000-1000-8000-00805f9b34fb BTHome
        0000fd6f-0000-1000-8000-00805f9b34fb Exposure Notification
        0000fe2c-0000-1000-8000-00805f9b34fb Google Fast Pair
        0000fe59-0000-1000-8000-00805f9b34fb Nordic Secure DFU
        0000fe95-0000-1000-8000-00805f9b34fb Xiaomi MiBeacon
        0000feaa-0000-1000-8000-00805f9b34fb Eddystone
        03b80e5a-ede8-4b33-a751-6ce34ec4c700 MIDI over Bluetooth LE
        49535343-fe7d-4ae5-8fa9-9fafd205e455 Microchip Transparent UART
        ebe0ccb0-7a0a-4b0c-8a1a-6ff2997da3a6 Xiaomi Thermometer
        f000aa00-0451-4000-b000-000000000000 SensorTag IR Temperature
        f000aa10-0451-4000-b000-000000000000 SensorTag Accelerometer
        f000aa20-0451-4000-b000-000000000000 SensorTag Humidity
        f000aa30-0451-4000-b000-000000000000 SensorTag Magnetometer
        f000aa40-0451-4000-b000-000000000000 SensorTag Barometer
        f000aa50-0451-4000-b000-000000000000 SensorTag Gyroscope
        f000aa64-0451-4000-b000-000000000000 SensorTag IO
        f000aa70-0451-4000-b000-000000000000 SensorTag Light
        f000aa80-0451-4000-b000-000000000000 SensorTag Movement

        """)
  }

  static var moreCharacteristics: NumberTable {
    NumberTable(
      digits: 36,
      text: """
        00001531-0000-3512-2118-0009af100700 Mi Band Firmware Control Point
        00001532-0000-3512-2118-0009af100700 Mi Band Firmware Data
        00002a1f-0000-1000-8000-00805f9b34fb Temperature Celsius
        00002a56-0000-1000-8000-00805f9b34fb Digital
        00002a58-0000-1000-8000-00805f9b34fb Analog
        49535343-1e4d-4bd9-ba61-23c647249616 Microchip Transparent UART TX
        49535343-8841-43f4-a8d4-ecbe34729bb3 Microchip Transparent UART RX
        7772e5db-3868-4112-a1a9-f2669d106bf3 MIDI Data
        ebe0ccc1-7a0a-4b0c-8a1a-6ff2997da3a6 Xiaomi Temperature and Humidity
        f000aa01-0451-4000-b000-000000000000 SensorTag IR Temperature Data
        f000aa11-0451-4000-b000-000000000000 SensorTag Accelerometer Data
        f000aa21-0451-4000-b000-000000000000 SensorTag Humidity Data
        f000aa31-0451-4000-b000-000000000000 SensorTag Magnetometer Data
        f000aa41-0451-4000-b000-000000000000 SensorTag Barometer Data
        f000aa51-0451-4000-b000-000000000000 SensorTag Gyroscope Data
        f000aa65-0451-4000-b000-000000000000 SensorTag IO Data
        f000aa71-0451-4000-b000-000000000000 SensorTag Light Data
        f000aa81-0451-4000-b000-000000000000 SensorTag Movement Data

        """)
  }
}

extension BluetoothUUID {
  /// The name that the Bluetooth SIG or the vendor has assigned; nil if none is known.
  ///
  /// ``AssignedNumbers/assigned(_:)`` also returns the kind of thing that it identifies.
  public var name: String? { AssignedNumbers.assigned(self).first?.name }

  /// Finds the UUID with a whole name: `heart-rate`, `Heart Rate Measurement`; earlier kinds take precedence.
  ///
  /// Only letters and digits are compared, ignoring case. Returns nil if no UUID has the name, or several
  /// have it, such as those of SIG members.
  public init?(
    name: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) {
    let found = AssignedNumbers.named(name, kinds: kinds.filter(\.isUUID))
    let same = found.filter { $0.kind == found[0].kind }
    guard let uuid = same.first?.uuid, same.allSatisfy({ $0.uuid == uuid }) else { return nil }
    self = uuid
  }
}
