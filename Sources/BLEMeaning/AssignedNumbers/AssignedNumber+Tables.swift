// SPDX-License-Identifier: MIT

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

  /// The table of the vendors' UUIDs of this kind: long ones, and 16-bit ones that they bought.
  var vendorTables: [NumberTable] {
    switch self {
    case .service: [AssignedNumbers.vendorServices, AssignedNumbers.moreServices]
    case .characteristic:
      [AssignedNumbers.vendorCharacteristics, AssignedNumbers.moreCharacteristics]
    default: []
    }
  }

  /// The name of a UUID of this kind, or nil.
  func name(of uuid: BluetoothUUID) -> (name: String, origin: AssignedNumber.Origin)? {
    guard isUUID else { return nil }
    if let short = uuid.shortForm, let name = table.name(of: UInt128(short)) { return (name, .sig) }
    for table in vendorTables {
      if let name = table.name(of: uuid.bits) { return (name, .vendor) }
    }
    return nil
  }

  /// Calls `body` with every number of this kind, and with the bytes of its name.
  func visit(_ body: (NumberTable.Line, AssignedNumber.Origin) -> Void) {
    table.visit { body($0, .sig) }
    for table in vendorTables { table.visit { body($0, .vendor) } }
  }

  /// Calls `body` with every number of this kind whose name contains a key.
  func visit(
    holding key: NameKey, _ body: (NumberTable.Line, AssignedNumber.Origin, NameKey.Fit) -> Void
  ) {
    table.visit(holding: key) { body($0, .sig, $1) }
    for table in vendorTables { table.visit(holding: key) { body($0, .vendor, $1) } }
  }

  /// The number in a line of one of the tables.
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
