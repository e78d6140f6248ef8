// SPDX-License-Identifier: MIT
package import BLECentral
internal import ValueStreams

/// The first digits of a UUID of 128 bits, eight or more: `ac3e0002` or `ac3e0002-00`.
package struct UUIDBeginning: Sendable, Hashable {
  /// The digits, in lower case and without dashes.
  private let digits: String

  /// Nil for a text that is none, such as a whole UUID of 128 bits.
  ///
  /// Without a dash, other numbers of digits are more likely a VALUE at the wrong place, and eight also a UUID of 32 bits.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard text.prefixMatch(of: /[0-9A-Fa-f]{8}(-|$)/) != nil else { return nil }
    digits = text.lowercased().replacing("-", with: "")
    guard digits.utf8.count < 32, digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else {
      return nil
    }
  }

  /// Returns whether a UUID begins so.
  package func begins(_ uuid: BluetoothUUID) -> Bool { Hex.string(uuid.bytes).hasPrefix(digits) }

  /// The UUID of 32 bits with the same digits; nil if they are more.
  package var whole: BluetoothUUID? { BluetoothUUID(digits) }

  /// The only UUID in profiles, of one of these kinds, that begins so; nil without one.
  package func own(_ kinds: [AssignedNumber.Kind]) -> BluetoothUUID? {
    let found = Set(
      Vocabulary.known.profiles.profiles.flatMap { profile in
        (kinds.contains(.service) ? profile.services.map(\.uuid) : [])
          + (kinds.contains(.characteristic) ? profile.characteristics.map(\.uuid) : [])
          + (kinds.contains(.descriptor) ? profile.descriptors.map(\.uuid) : [])
      }
    ).filter(begins)
    return found.count == 1 ? found.first : nil
  }
}

extension UUIDBeginning: CustomStringConvertible {
  package var description: String {
    digits.utf8.count > 8 ? "\(digits.prefix(8))-\(digits.dropFirst(8))" : digits
  }
}

/// A UUID on the command line, or the beginning of one.
package enum UUIDArgument: Sendable, Hashable {
  case whole(BluetoothUUID)
  case beginning(UUIDBeginning)

  /// Returns whether it means a UUID; eight digits may also be the first ones of a long UUID.
  package func means(_ uuid: BluetoothUUID) -> Bool {
    switch self {
    case .whole(let wanted):
      uuid == wanted
        || wanted.description.utf8.count == 8 && UUIDBeginning(wanted.description)?.begins(uuid) == true
    case .beginning(let beginning): beginning.begins(uuid)
    }
  }

  /// The UUID, as far as it is known before there is a link.
  var uuid: BluetoothUUID? {
    switch self {
    case .whole(let uuid): uuid
    case .beginning: nil
    }
  }

  /// The UUID that it is if no other one is meant.
  var exact: BluetoothUUID? {
    switch self {
    case .whole(let uuid): uuid
    case .beginning(let beginning): beginning.whole
    }
  }
}

extension UUIDArgument: CustomStringConvertible {
  package var description: String {
    switch self {
    case .whole(let uuid): uuid.description
    case .beginning(let beginning): beginning.description
    }
  }
}

extension UUIDArgument {
  /// Parses a characteristic by number, beginning or name; messages call it by the name.
  init(parsingCharacteristic text: some StringProtocol) throws(ArgumentError) {
    if let beginning = Self.beginning(text, [.characteristic]) {
      self = beginning
      return
    }
    let uuid = try BluetoothUUID(parsingCharacteristic: text)
    if BluetoothUUID(text) == nil { TypedNames.note(text, for: uuid) }
    self = .whole(uuid)
  }

  /// Parses a service by number, beginning or name.
  init(parsingService text: some StringProtocol) throws(ArgumentError) {
    if let beginning = Self.beginning(text, AssignedNumbers.serviceKinds) {
      self = beginning
    } else {
      self = .whole(try BluetoothUUID(parsingService: text))
    }
  }

  /// Reads a beginning; of one in a profile, it stands for the whole.
  private static func beginning(
    _ text: some StringProtocol, _ kinds: [AssignedNumber.Kind]
  ) -> UUIDArgument? {
    guard let beginning = UUIDBeginning(text) else { return nil }
    if let uuid = beginning.own(kinds) { return .whole(uuid) }
    if text.contains("-") { return .beginning(beginning) }
    // Eight digits that begin with zeros would be a UUID of 16 bits; those of an unknown one more likely begin a long one.
    guard let short = beginning.whole, short.description.utf8.count < 8,
      !AssignedNumbers.assigned(short).contains(where: { (kinds + [.descriptor]).contains($0.kind) })
    else { return nil }
    return .beginning(beginning)
  }
}

extension BluetoothUUID {
  /// Parses a service that devices advertise: BlueZ and a profile must say all of a UUID of which the beginning is written.
  package init(parsingAdvertisedService text: some StringProtocol) throws(ArgumentError) {
    guard let beginning = UUIDBeginning(text) else {
      try self.init(parsingService: text)
      return
    }
    if let own = beginning.own(AssignedNumbers.serviceKinds) {
      self = own
    } else if let short = beginning.whole, short.description.utf8.count < 8 {
      self = short
    } else {
      throw ArgumentError(
        text, "is only the beginning of a UUID, which no profile completes; write all of its 32 digits")
    }
  }
}
