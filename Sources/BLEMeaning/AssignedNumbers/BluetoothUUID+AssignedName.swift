// SPDX-License-Identifier: MIT

extension BluetoothUUID {
  /// The name that the Bluetooth SIG or the vendor has assigned; nil if none is known.
  ///
  /// The name does not show the kind of thing; ``AssignedNumbers/assigned(_:)`` also returns that.
  public var name: String? { AssignedNumbers.assigned(self).first?.name }

  /// The UUID with a name: `heart-rate`, `Heart Rate Measurement`.
  ///
  /// Nil if no UUID has the name, or if several have it, such as those of SIG members.
  ///
  /// - Parameters:
  ///   - name: the whole name; only letters and digits are compared, ignoring case.
  ///   - kinds: the kinds to search; earlier ones take precedence.
  public init?(
    name: some StringProtocol, kinds: [AssignedNumber.Kind] = AssignedNumber.Kind.allCases
  ) {
    let found = AssignedNumbers.named(name, kinds: kinds.filter(\.isUUID))
    let same = found.filter { $0.kind == found[0].kind }
    guard let uuid = same.first?.uuid, same.allSatisfy({ $0.uuid == uuid }) else { return nil }
    self = uuid
  }
}
