// SPDX-License-Identifier: MIT

/// A number with an assigned meaning: a UUID, a company identifier or an appearance value.
public struct AssignedNumber: Sendable, Hashable {
  /// The kind of thing that a number identifies.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A GATT service.
    case service
    /// A GATT characteristic.
    case characteristic
    /// A GATT descriptor.
    case descriptor
    /// An attribute that declares a service, an include or a characteristic.
    case declaration
    /// A UUID that a member of the SIG bought, usually for its own service; the name is that of the member.
    case member
    /// A UUID of another standards organisation.
    case standard
    /// A unit of Characteristic Presentation Format.
    case unit
    /// A type of object in the Object Transfer service.
    case objectType = "object-type"
    /// A profile of Bluetooth Mesh.
    case meshProfile = "mesh-profile"
    /// A service class or profile of BR/EDR.
    case serviceClass = "service-class"
    /// A protocol of BR/EDR.
    case networkProtocol = "protocol"
    /// A company identifier, as in manufacturer data; not a UUID.
    case company
    /// An appearance value; not a UUID.
    case appearance

    /// True if the numbers of this kind are UUIDs.
    public var isUUID: Bool { self != .company && self != .appearance }
  }

  /// The party that assigned the number.
  public enum Origin: String, Sendable, Hashable {
    /// The Bluetooth SIG.
    case sig
    /// A vendor that has published the meaning of its UUID.
    case vendor
    /// The user, in a profile.
    case own
  }

  /// The number itself.
  public enum Number: Sendable, Hashable {
    /// A UUID.
    case uuid(BluetoothUUID)
    /// A company identifier or an appearance value.
    case value(UInt16)
  }

  /// The kind of thing that the number identifies.
  public let kind: Kind
  /// The number.
  public let number: Number
  /// Its name: `Heart Rate`.
  public let name: String
  /// The party that assigned it.
  public let origin: Origin

  /// The UUID; nil for companies and appearances.
  public var uuid: BluetoothUUID? { if case .uuid(let uuid) = number { uuid } else { nil } }
}

extension AssignedNumber.Kind {
  /// The table of the 16-bit numbers of this kind.
  var table: NumberTable {
    switch self {
    case .service: AssignedNumbers.services
    case .characteristic: AssignedNumbers.characteristics
    case .descriptor: AssignedNumbers.descriptors
    case .declaration: AssignedNumbers.declarations
    case .member: AssignedNumbers.members
    case .standard: AssignedNumbers.standards
    case .unit: AssignedNumbers.units
    case .objectType: AssignedNumbers.objectTypes
    case .meshProfile: AssignedNumbers.meshProfiles
    case .serviceClass: AssignedNumbers.serviceClasses
    case .networkProtocol: AssignedNumbers.protocols
    case .company: AssignedNumbers.companies
    case .appearance: AssignedNumbers.appearances
    }
  }

  /// The tables of the vendors' UUIDs of this kind: long ones, and 16-bit ones that they bought.
  var vendorTables: [NumberTable] {
    switch self {
    case .service: [AssignedNumbers.vendorServices, AssignedNumbers.moreServices]
    case .characteristic:
      [AssignedNumbers.vendorCharacteristics, AssignedNumbers.moreCharacteristics]
    default: []
    }
  }

  func name(of uuid: BluetoothUUID) -> (name: String, origin: AssignedNumber.Origin)? {
    guard isUUID else { return nil }
    if let short = uuid.shortForm, let name = table.name(of: UInt128(short)) { return (name, .sig) }
    for table in vendorTables {
      if let name = table.name(of: uuid.bits) { return (name, .vendor) }
    }
    return nil
  }

  func visit(_ body: (NumberTable.Line, AssignedNumber.Origin) -> Void) {
    table.visit { body($0, .sig) }
    for table in vendorTables { table.visit { body($0, .vendor) } }
  }

  func visit(
    holding key: NameKey, _ body: (NumberTable.Line, AssignedNumber.Origin, NameKey.Fit) -> Void
  ) {
    table.visit(holding: key) { body($0, .sig, $1) }
    for table in vendorTables { table.visit(holding: key) { body($0, .vendor, $1) } }
  }

  func assigned(_ line: NumberTable.Line, _ origin: AssignedNumber.Origin) -> AssignedNumber {
    let number: AssignedNumber.Number =
      if !isUUID {
        .value(UInt16(truncatingIfNeeded: line.number))
      } else if origin == .sig {
        .uuid(BluetoothUUID(UInt32(truncatingIfNeeded: line.number)))
      } else {
        .uuid(BluetoothUUID(bits: line.number))
      }
    return AssignedNumber(kind: self, number: number, name: line.nameText, origin: origin)
  }
}
