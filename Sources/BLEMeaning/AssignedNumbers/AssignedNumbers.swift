// SPDX-License-Identifier: MIT

/// Looks up names and numbers: those that the Bluetooth SIG assigns, and UUIDs that vendors have published.
///
/// The lists are read-only text in the program: nothing is parsed or allocated at start. Finding a number takes a few steps.
/// Finding a name takes one pass over the list, some tens of microseconds.
///
/// ```swift
/// AssignedNumbers.name(ofService: .heartRate)         // "Heart Rate"
/// AssignedNumbers.companyName(0x004c)                 // "Apple, Inc."
/// AssignedNumbers.named("battery-level").first?.uuid  // 2a19
/// ```
public enum AssignedNumbers {
  /// The name of a service.
  ///
  /// For UUIDs that members of the SIG and other organisations bought, this is the name of the member, such as `Google LLC`,
  /// unless the use of the UUID is known.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil if it is unknown.
  public static func name(ofService uuid: BluetoothUUID) -> String? {
    name(of: uuid, serviceKinds)
  }

  /// The name of a characteristic.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil if it is unknown.
  public static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
    name(of: uuid, [.characteristic])
  }

  /// The name of a descriptor.
  ///
  /// - Parameter uuid: its UUID, of any length.
  /// - Returns: the name, or nil if the SIG has assigned none.
  public static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
    name(of: uuid, [.descriptor])
  }

  /// The name of a unit of Characteristic Presentation Format: `thermodynamic temperature (degree Celsius)`.
  ///
  /// - Parameter number: the 16-bit number, from `0x2700` on.
  /// - Returns: the name, or nil if the SIG has assigned none.
  public static func name(ofUnit number: UInt16) -> String? {
    AssignedNumbers.units.name(of: UInt128(number))
  }

  /// The name of a company, by the identifier in manufacturer data.
  ///
  /// - Parameter identifier: the company identifier, such as `0x004c`.
  /// - Returns: the name, or nil if the SIG has assigned none.
  public static func companyName(_ identifier: UInt16) -> String? {
    AssignedNumbers.companies.name(of: UInt128(identifier))
  }

  /// Everything that is known about a UUID.
  ///
  /// - Parameter uuid: the UUID, of any length.
  /// - Returns: one element for each kind of thing that it identifies; usually one or none.
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
  /// - Returns: nil if it is not assigned, or if the kind is one of UUIDs.
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
