// SPDX-License-Identifier: MIT
import BLECentral

// The identifiers are public and ArgumentParser is not ours to show, so they are parsed by
// `transform: BluetoothUUID.init(parsing:)`, which also tells people what is wrong.

extension BluetoothUUID {
  /// The UUID that a text on the command line spells or names, of a characteristic, a descriptor or a service.
  ///
  /// - Throws: an error that names the text, and names that resemble it.
  init(parsing text: some StringProtocol) throws(ArgumentError) {
    let kinds: [AssignedNumber.Kind] = [.characteristic, .descriptor] + AssignedNumbers.serviceKinds
    try self.init(text, kinds: kinds, wanted: nil)
  }

  /// The UUID of a service that a text on the command line spells or names.
  ///
  /// - Throws: an error that names the text, and names that resemble it.
  init(parsingService text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: AssignedNumbers.serviceKinds, wanted: "service")
  }

  /// The UUID of a characteristic that a text on the command line spells or names.
  ///
  /// - Throws: an error that names the text, and names that resemble it.
  init(parsingCharacteristic text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.characteristic], wanted: "characteristic")
  }

  /// The UUID of a descriptor that a text on the command line spells or names.
  ///
  /// - Throws: an error that names the text, and names that resemble it.
  init(parsingDescriptor text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.descriptor], wanted: "descriptor")
  }

  private init(
    _ text: some StringProtocol, kinds: [AssignedNumber.Kind], wanted: String?
  ) throws(ArgumentError) {
    if let uuid = BluetoothUUID(text) ?? BluetoothUUID(name: text, kinds: kinds) {
      self = uuid
      return
    }
    let several = AssignedNumbers.named(text, kinds: kinds).compactMap { $0.uuid?.description }
    if !several.isEmpty {
      let list = several.prefix(8).joined(separator: ", ") + (several.count > 8 ? ", …" : "")
      throw ArgumentError(text, "is the name of several UUIDs; write one of them: \(list)")
    }
    var reason = "is not a UUID"
    if let wanted { reason += ", nor the name of a \(wanted)" } else { reason += ", nor the name of one" }
    if let other = AssignedNumbers.named(text).first(where: { $0.uuid != nil }) {
      let kind = other.kind.rawValue.replacing("-", with: " ")
      throw ArgumentError(text, reason + ", but of a \(kind): \(other.uuid?.description ?? "")")
    }
    let similar = AssignedNumbers.suggestions(for: text, kinds: kinds)
    if !similar.isEmpty { reason += "; did you mean \(similar.joined(separator: ", or "))?" }
    throw ArgumentError(text, reason)
  }
}

extension BluetoothAddress {
  /// The address that a text on the command line names.
  ///
  /// - Throws: an error that names the text, when it is not six pairs of hexadecimal digits.
  init(parsing text: some StringProtocol) throws(ArgumentError) {
    guard let address = BluetoothAddress(text) else {
      throw ArgumentError(text, "is not a Bluetooth address")
    }
    self = address
  }
}
