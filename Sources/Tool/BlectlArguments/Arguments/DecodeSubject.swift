// SPDX-License-Identifier: MIT
package import BLECentral
package import ValueStreams

/// The argument of `decode`.
package enum DecodeSubject: Sendable {
  /// A characteristic or a descriptor.
  case attribute(BluetoothUUID)
  /// The data of an advertisement or a scan response.
  case advertisement

  /// Parses a UUID, a name, or `advert`; errors contain similar names.
  package init(parsing text: some StringProtocol) throws(ArgumentError) {
    if text.lowercased() == "advert" {
      self = .advertisement
    } else if let own = UUIDBeginning(text)?.own([.characteristic, .descriptor]) {
      self = .attribute(own)
    } else {
      self = .attribute(try BluetoothUUID(parsing: text))
    }
  }

  package var attribute: AttributeIdentity? {
    if case .attribute(let uuid) = self { AttributeIdentity(uuid) } else { nil }
  }
}

/// Finds assigned numbers by number or name, among all kinds or one.
package struct UUIDLookup {
  /// Nil means all kinds.
  package let kind: AssignedNumber.Kind?

  package init(kind: AssignedNumber.Kind?) { self.kind = kind }

  /// The numbers that a text spells, or else those whose names contain it.
  package func find(_ text: String) -> [AssignedNumber] {
    let numbers = numbered(text)
    if !numbers.isEmpty { return numbers }
    return Vocabulary.known.profiles.containing(text, kinds: kinds)
      + AssignedNumbers.containing(text, kinds: kinds)
  }

  private var kinds: [AssignedNumber.Kind] { kind.map { [$0] } ?? AssignedNumber.Kind.allCases }

  private func numbered(_ text: String) -> [AssignedNumber] {
    var found: [AssignedNumber] = []
    if let uuid = BluetoothUUID(text) {
      found =
        Vocabulary.known.profiles.assigned(uuid, kinds: kinds)
        + AssignedNumbers.assigned(uuid).filter { kinds.contains($0.kind) }
    }
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }),
      let value = UInt16(digits, radix: 16)
    else { return found }
    if kinds.contains(.company) {
      found += AssignedNumbers.assigned(value, kind: .company).map { [$0] } ?? []
    }
    // Appearances are low numbers, which most searches would match: only on request.
    if kind == .appearance { found += AssignedNumbers.assigned(value, kind: .appearance).map { [$0] } ?? [] }
    return found
  }

  package static func form(of uuid: BluetoothUUID) -> String {
    if let short = uuid.shortForm {
      return short > 0xffff ? "a 32-bit UUID of the Bluetooth Base UUID" : "a 16-bit UUID, not assigned"
    }
    let bytes = uuid.bytes
    guard bytes[8] & 0xc0 == 0x80 else { return "a custom 128-bit UUID" }
    switch bytes[6] >> 4 {
    case 1, 6: return "a custom 128-bit UUID, time-based"
    case 3, 5, 8: return "a custom 128-bit UUID, name-based"
    case 4: return "a custom 128-bit UUID, random"
    case 7: return "a custom 128-bit UUID, time-based and random"
    default: return "a custom 128-bit UUID"
    }
  }
}
