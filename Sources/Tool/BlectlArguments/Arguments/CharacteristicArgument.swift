// SPDX-License-Identifier: MIT
package import BLECentral
package import ValueStreams

/// A characteristic on the command line: CHAR.
package enum CharacteristicArgument: Sendable, Hashable {
  /// A UUID, in any service.
  case uuid(UUIDArgument)
  /// The service, then the characteristic.
  case inService(UUIDArgument, UUIDArgument)
  case handle(UInt16)

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
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    if parts.count > 1, parts.allSatisfy({ (try? CharacteristicArgument(String($0))) != nil }) {
      return ArgumentError(text, "names several characteristics: put blanks between them")
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
    case 1: self = .uuid(try UUIDArgument(parsingCharacteristic: text))
    case 2:
      self = .inService(
        try UUIDArgument(parsingService: parts[0]), try UUIDArgument(parsingCharacteristic: parts[1]))
    default: throw ArgumentError(text, "is not a characteristic; use CHAR or SERVICE/CHAR")
    }
  }

  /// The UUID, or the beginning of one; nil for a handle.
  private var written: UUIDArgument? {
    switch self {
    case .uuid(let uuid), .inService(_, let uuid): uuid
    case .handle: nil
    }
  }

  /// Returns the identity of the characteristic as known before a link is open; nil for a handle or a part of a UUID.
  package func identity(of device: ProfileSubject? = nil) -> AttributeIdentity? {
    guard let uuid = written?.uuid else { return nil }
    guard case .inService(let service, _) = self else { return AttributeIdentity(uuid, of: device) }
    return service.uuid.map { AttributeIdentity(uuid, in: $0, of: device) }
  }

  /// Returns whether it may mean this characteristic, if none of the others has exactly that UUID.
  package func matches(_ candidate: some CharacteristicCandidate) -> Bool {
    switch self {
    case .uuid: isWritten(for: candidate.uuid)
    case .inService(let service, let uuid): service.means(candidate.service) && uuid.means(candidate.uuid)
    case .handle(let handle): candidate.handle == handle
    }
  }

  /// Returns whether it is a UUID, or the beginning of one, whatever kind of attribute has it.
  package func isWritten(for uuid: BluetoothUUID) -> Bool {
    if case .uuid(let wanted) = self { wanted.means(uuid) } else { false }
  }

  /// The beginning that was written, if it is not the whole UUID of a characteristic: messages call it so.
  package func shorthand(for uuid: BluetoothUUID) -> String? {
    written.flatMap { $0.exact == uuid ? nil : "\($0)" }
  }

  /// Returns those with a long UUID that begins with the four digits that were written: too few to name it.
  package func longer<Candidate: CharacteristicCandidate>(among candidates: [Candidate]) -> [Candidate] {
    guard case .uuid(.whole(let wanted)) = self, wanted.description.utf8.count == 4 else { return [] }
    return candidates.filter { candidate in
      candidate.uuid.description.utf8.count > 8
        && Hex.string(candidate.uuid.bytes).hasPrefix(wanted.description)
    }
  }

  /// Finds the characteristic among those of a device; `many` if the text is ambiguous.
  package func select<Candidate: CharacteristicCandidate>(
    from candidates: [Candidate]
  ) -> Selection<Candidate> {
    let matching = candidates.filter(matches)
    let whole = written?.exact
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
    }
  }
}

extension CharacteristicArgument {
  /// The name that a profile gives it, or that was typed, or else the shortest spelling: for messages.
  package var title: String {
    written?.uuid.flatMap { Vocabulary.known.ownName(ofCharacteristic: $0) } ?? description
  }
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
