// SPDX-License-Identifier: MIT
import ArgumentParser
import BLECentral

/// Which characteristic is meant: CHAR on the command line.
enum CharacteristicArgument: Sendable, Hashable {
  /// The characteristic with that UUID, in whatever service it stands.
  case uuid(BluetoothUUID)
  /// The characteristic with that UUID in that service.
  case inService(BluetoothUUID, BluetoothUUID)
  /// The characteristic with that attribute handle.
  case handle(UInt16)

  /// The characteristic that a text names.
  ///
  /// - Parameter text: `2a37`, `battery-level`, `180d/2a37`, `@002a`.
  /// - Throws: an error that says which part is not a UUID or a name, or not a handle.
  init(parsing text: String) throws(ArgumentError) {
    if text.hasPrefix("@") {
      let digits = text.hasPrefix("@0x") ? text.dropFirst(3) : text.dropFirst()
      guard !digits.isEmpty, digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }),
        let handle = UInt16(digits, radix: 16), handle > 0
      else {
        throw ArgumentError(text, "is not a handle; write @ and up to four hexadecimal digits, such as @002a")
      }
      self = .handle(handle)
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: self = .uuid(try BluetoothUUID(parsingCharacteristic: text))
    case 2:
      self = .inService(
        try BluetoothUUID(parsingService: parts[0]), try BluetoothUUID(parsingCharacteristic: parts[1]))
    default: throw ArgumentError(text, "is not a characteristic; write CHAR or SERVICE/CHAR")
    }
  }

  /// The UUID, where it is written; a handle tells it only on the device.
  var writtenUUID: BluetoothUUID? {
    switch self {
    case .uuid(let uuid), .inService(_, let uuid): uuid
    case .handle: nil
    }
  }

  /// Whether a characteristic is meant.
  func matches(_ candidate: some CharacteristicCandidate) -> Bool {
    switch self {
    case .uuid(let uuid): candidate.uuid == uuid
    case .inService(let service, let uuid): candidate.service == service && candidate.uuid == uuid
    case .handle(let handle): candidate.handle == handle
    }
  }

  /// The characteristic that is meant among those of a device.
  ///
  /// - Parameter candidates: the characteristics, in the order of their handles.
  /// - Returns: `many` when the text is ambiguous; their handles tell them apart.
  func select<Candidate: CharacteristicCandidate>(from candidates: [Candidate]) -> Selection<Candidate> {
    Selection(candidates.filter(matches))
  }
}

extension CharacteristicArgument: CustomStringConvertible {
  /// The shortest spelling: `2a37`, `180d/2a37`, `@002a`.
  var description: String {
    switch self {
    case .uuid(let uuid): uuid.description
    case .inService(let service, let uuid): "\(service)/\(uuid)"
    case .handle(let handle): "@\(handle.fourDigits)"
    }
  }
}

extension CharacteristicArgument: ExpressibleByArgument {
  /// For the reason of a refusal use `transform: CharacteristicArgument.init(parsing:)`.
  init?(argument: String) {
    try? self.init(parsing: argument)
  }
}
