// SPDX-License-Identifier: MIT

/// The names of numbers, and the numbers of names: what the Bluetooth SIG assigns, and UUIDs that vendors have published.
///
/// The lists stand in the program as read-only text: nothing is parsed or allocated when it starts. A number is found in
/// a few steps; a name by going through the list once, some tens of microseconds.
///
/// ```swift
/// AssignedNumbers.name(ofService: .heartRate)         // "Heart Rate"
/// AssignedNumbers.companyName(0x004c)                 // "Apple, Inc."
/// AssignedNumbers.named("battery-level").first?.uuid  // 2a19
/// ```
public enum AssignedNumbers {
  /// The name of a service.
  ///
  /// For the UUIDs that members of the SIG and other organisations bought it is theirs, such as `Google LLC`, unless it is
  /// known what they use it for.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil when nobody has told it.
  public static func name(ofService uuid: BluetoothUUID) -> String? {
    name(of: uuid, serviceKinds)
  }

  /// The name of a characteristic.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil when nobody has told it.
  public static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
    name(of: uuid, [.characteristic])
  }

  /// The name of a descriptor.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil when the SIG has assigned none.
  public static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
    name(of: uuid, [.descriptor])
  }

  /// The name of a unit, as Characteristic Presentation Format gives it: `thermodynamic temperature (degree Celsius)`.
  ///
  /// - Parameter number: the 16-bit number, from `0x2700` on.
  /// - Returns: the name, or nil when the SIG has assigned none.
  public static func name(ofUnit number: UInt16) -> String? {
    AssignedNumbers.units.name(of: UInt128(number))
  }

  /// The name of a company, by the identifier that stands before manufacturer data.
  ///
  /// - Parameter identifier: the company identifier, such as `0x004c`.
  /// - Returns: the name, or nil when the SIG has assigned none.
  public static func companyName(_ identifier: UInt16) -> String? {
    AssignedNumbers.companies.name(of: UInt128(identifier))
  }

  /// Everything that is known about a UUID.
  ///
  /// - Parameter uuid: the UUID, of any length.
  /// - Returns: one element for each kind of thing that it stands for; mostly one or none.
  public static func assigned(_ uuid: BluetoothUUID) -> [AssignedNumber] {
    AssignedNumber.Kind.allCases.compactMap { kind in
      kind.name(of: uuid).map {
        AssignedNumber(kind: kind, number: .uuid(uuid), name: $0.name, origin: $0.origin)
      }
    }
  }

  /// The company or the appearance with a number.
  ///
  /// - Parameters:
  ///   - value: the number.
  ///   - kind: `company` or `appearance`.
  /// - Returns: nil when it is not assigned, or the kind is one of UUIDs.
  public static func assigned(_ value: UInt16, kind: AssignedNumber.Kind) -> AssignedNumber? {
    guard !kind.isUUID, let name = kind.table.name(of: UInt128(value)) else { return nil }
    return AssignedNumber(kind: kind, number: .value(value), name: name, origin: .sig)
  }

  /// The kinds that a service's UUID may be of, the likeliest first.
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
