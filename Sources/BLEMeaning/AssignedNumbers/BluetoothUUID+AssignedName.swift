// SPDX-License-Identifier: MIT

extension BluetoothUUID {
  /// The name that the Bluetooth SIG, or the vendor whose UUID it is, has given it; nil when none is known.
  ///
  /// What kind of thing it is does not show: ``AssignedNumbers/assigned(_:)`` tells that too.
  public var name: String? { AssignedNumbers.assigned(self).first?.name }

  /// The UUID that has a name: `heart-rate`, `Heart Rate Measurement`.
  ///
  /// Nil when nothing has the name, or several UUIDs do, as those of members of the SIG.
  ///
  /// - Parameters:
  ///   - name: the whole name; only letters and digits count, and not their case.
  ///   - kinds: which kinds to look among; an earlier one goes before a later one.
  public init?(
    name: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) {
    let found = AssignedNumbers.named(name, kinds: kinds.filter(\.isUUID))
    let same = found.filter { $0.kind == found[0].kind }
    guard let uuid = same.first?.uuid, same.allSatisfy({ $0.uuid == uuid }) else { return nil }
    self = uuid
  }
}
