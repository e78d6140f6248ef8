// SPDX-License-Identifier: MIT
package import BLECentral
package import ValueStreams

/// A characteristic on the command line: CHAR.
package enum CharacteristicArgument: Sendable, Hashable {
  /// A UUID, in any service.
  case uuid(BluetoothUUID)
  /// The service, then the characteristic.
  case inService(BluetoothUUID, BluetoothUUID)
  case handle(UInt16)
  /// The first hexadecimal digits of a UUID of 128 bits, in lower case and without dashes.
  case beginning(String)

  /// Parses `2a37`, `battery-level`, `180d/2a37` or `@002a`.
  package init(parsing text: String) throws(ArgumentError) {
    do throws(ArgumentError) {
      try self.init(text)
    } catch {
      throw Self.mistake(in: text) ?? error
    }
  }

  /// The error about a text that looks like something else; nil if it does not.
  private static func mistake(in text: String) -> ArgumentError? {
    if text.wholeMatch(of: /[0-9A-Fa-f]{5,7}/) != nil {
      return ArgumentError(text, "is not a UUID; of a long one, write the first eight digits, or all")
    }
    guard text.contains(where: { $0 == "." || $0 == "/" }), FileStatus.exists(text) else { return nil }
    return ArgumentError(text, "is a file; a characteristic is a UUID or its name, SERVICE/CHAR or @HANDLE")
  }

  private init(_ text: String) throws(ArgumentError) {
    if text.hasPrefix("@") {
      let digits = text.hasPrefix("@0x") ? text.dropFirst(3) : text.dropFirst()
      guard !digits.isEmpty, digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }),
        let handle = UInt16(digits, radix: 16), handle > 0
      else {
        throw ArgumentError(text, "is not a handle; use @ and up to four hexadecimal digits, such as @002a")
      }
      self = .handle(handle)
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    switch parts.count {
    case 1:
      if let beginning = Self.beginning(of: text) {
        self = beginning
      } else {
        self = .uuid(try Self.characteristic(text))
      }
    case 2:
      self = .inService(
        try BluetoothUUID(parsingService: parts[0]), try Self.characteristic(parts[1]))
    default: throw ArgumentError(text, "is not a characteristic; use CHAR or SERVICE/CHAR")
    }
  }

  /// Parses a characteristic by number or name; messages call it by the name.
  private static func characteristic(_ text: some StringProtocol) throws(ArgumentError) -> BluetoothUUID {
    let uuid = try BluetoothUUID(parsingCharacteristic: text)
    if BluetoothUUID(text) == nil { TypedNames.note(text, for: uuid) }
    return uuid
  }

  /// Reads the beginning of a UUID of 128 bits, `ac3e0002` or `ac3e0002-00`; of one in a profile, it stands for the whole.
  ///
  /// Without a dash, other numbers of digits are more likely a VALUE at the wrong place, and eight also a UUID of 32 bits.
  private static func beginning(of text: String) -> CharacteristicArgument? {
    guard text.prefixMatch(of: /[0-9A-Fa-f]{8}(-|$)/) != nil else { return nil }
    let digits = text.lowercased().replacing("-", with: "")
    guard digits.utf8.count < 32, digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else {
      return nil
    }
    let own = Set(Vocabulary.known.profiles.profiles.flatMap { $0.characteristics.map(\.uuid) })
      .filter { $0.begins(with: digits) }
    if own.count == 1, let uuid = own.first { return .uuid(uuid) }
    if text.contains("-") { return .beginning(digits) }
    // Eight digits that begin with zeros would be a UUID of 16 bits; those of an unknown one more likely begin a long one.
    guard let short = BluetoothUUID(text), short.description.utf8.count < 8,
      !AssignedNumbers.assigned(short).contains(where: { [.characteristic, .descriptor].contains($0.kind) })
    else { return nil }
    return .beginning(digits)
  }

  /// Returns the identity of the characteristic as known before a link is open; nil for a handle or a part of a UUID.
  package func identity(of device: ProfileSubject? = nil) -> AttributeIdentity? {
    switch self {
    case .uuid(let uuid): AttributeIdentity(uuid, of: device)
    case .inService(let service, let uuid): AttributeIdentity(uuid, in: service, of: device)
    case .handle, .beginning: nil
    }
  }

  /// Returns whether it may mean this characteristic, if none of the others has exactly that UUID.
  package func matches(_ candidate: some CharacteristicCandidate) -> Bool {
    switch self {
    case .uuid, .beginning: isWritten(for: candidate.uuid)
    case .inService(let service, let uuid): candidate.service == service && candidate.uuid == uuid
    case .handle(let handle): candidate.handle == handle
    }
  }

  /// Returns whether it is a UUID, or the beginning of one, whatever kind of attribute has it.
  package func isWritten(for uuid: BluetoothUUID) -> Bool {
    switch self {
    case .uuid(let wanted): uuid == wanted || wanted.isBeginning && uuid.begins(with: wanted.description)
    case .beginning(let digits): uuid.begins(with: digits)
    case .inService, .handle: false
    }
  }

  /// Returns those with a long UUID that begins with the four digits that were written: too few to name it.
  package func longer<Candidate: CharacteristicCandidate>(among candidates: [Candidate]) -> [Candidate] {
    guard case .uuid(let wanted) = self, wanted.description.utf8.count == 4 else { return [] }
    return candidates.filter { candidate in
      candidate.uuid.description.utf8.count > 8 && candidate.uuid.begins(with: wanted.description)
    }
  }

  /// Finds the characteristic among those of a device; `many` if the text is ambiguous.
  package func select<Candidate: CharacteristicCandidate>(
    from candidates: [Candidate]
  ) -> Selection<Candidate> {
    let matching = candidates.filter(matches)
    let whole: BluetoothUUID? =
      switch self {
      case .uuid(let uuid): uuid
      case .beginning(let digits): BluetoothUUID(digits)
      case .inService, .handle: nil
      }
    let exact = matching.filter { $0.uuid == whole }
    return Selection(exact.isEmpty ? matching : exact)
  }
}

extension CharacteristicArgument: CustomStringConvertible {
  /// The shortest spelling: `2a37`, `180d/2a37`, `@002a`.
  package var description: String {
    switch self {
    case .uuid(let uuid): uuid.description
    case .inService(let service, let uuid): "\(service)/\(uuid)"
    case .handle(let handle): "@\(handle.fourDigits)"
    case .beginning(let digits):
      digits.utf8.count > 8 ? "\(digits.prefix(8))-\(digits.dropFirst(8))" : digits
    }
  }
}

extension CharacteristicArgument {
  /// The name that a profile gives it, or that was typed, or else the shortest spelling: for messages.
  package var title: String {
    switch self {
    case .uuid(let uuid), .inService(_, let uuid):
      Vocabulary.known.ownName(ofCharacteristic: uuid) ?? description
    case .handle, .beginning: description
    }
  }
}

extension BluetoothUUID {
  /// True if it is written with eight digits: those may also be the first ones of a UUID of 128 bits.
  fileprivate var isBeginning: Bool { description.utf8.count == 8 }

  /// Returns whether it begins with these digits, in lower case and without dashes.
  fileprivate func begins(with digits: String) -> Bool { Hex.string(bytes).hasPrefix(digits) }
}

/// A characteristic that CHAR on the command line may mean.
package protocol CharacteristicCandidate {
  /// The UUID of its service.
  var service: BluetoothUUID { get }
  var uuid: BluetoothUUID { get }
  /// The handle of its declaration, as `services` prints it.
  var handle: UInt16 { get }
}

extension CharacteristicCandidate {
  /// The name that a profile gives it, or that was typed, or else its UUID: for messages.
  package var title: String { Vocabulary.known.title(ofCharacteristic: uuid) }

  /// The label in a list of candidates: `180d/2a37 @002a`.
  package var label: String {
    "\(service)/\(uuid) \(handleArgument)"
  }

  /// The argument that names it by its handle, such as `@002a`.
  package var handleArgument: String {
    "@\(Hex.string([UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)]))"
  }
}

/// The subject of `expect`: a characteristic, or one of its fields, as in
/// `heart-rate-measurement.heart_rate_bpm`.
package struct ExpectSubject: Sendable, Hashable {
  package let characteristic: CharacteristicArgument
  /// The first word of the pattern, if it was written behind the characteristic.
  package let field: String?

  package init(parsing text: String) throws(ArgumentError) {
    if let dot = text.firstIndex(of: "."), dot > text.startIndex, text.index(after: dot) < text.endIndex {
      characteristic = try CharacteristicArgument(parsing: String(text[..<dot]))
      field = String(text[text.index(after: dot)...])
    } else {
      characteristic = try CharacteristicArgument(parsing: text)
      field = nil
    }
  }
}
