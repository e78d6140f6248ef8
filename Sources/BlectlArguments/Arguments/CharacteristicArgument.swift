// SPDX-License-Identifier: MIT
package import BLECentral

/// A characteristic on the command line: CHAR.
package enum CharacteristicArgument: Sendable, Hashable {
  /// The characteristic with that UUID, in any service.
  case uuid(BluetoothUUID)
  /// The characteristic with that UUID in that service.
  case inService(BluetoothUUID, BluetoothUUID)
  /// The characteristic with that attribute handle.
  case handle(UInt16)

  /// The characteristic that a text names.
  ///
  /// - Parameter text: `2a37`, `battery-level`, `180d/2a37`, `@002a`.
  /// - Throws: an error about the part that is not a UUID, a name or a handle.
  package init(parsing text: String) throws(ArgumentError) {
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
    case 1: self = .uuid(try BluetoothUUID(parsingCharacteristic: text))
    case 2:
      self = .inService(
        try BluetoothUUID(parsingService: parts[0]), try BluetoothUUID(parsingCharacteristic: parts[1]))
    default: throw ArgumentError(text, "is not a characteristic; use CHAR or SERVICE/CHAR")
    }
  }

  /// The UUID, if given; the UUID of a handle is known only on the device.
  package var writtenUUID: BluetoothUUID? {
    switch self {
    case .uuid(let uuid), .inService(_, let uuid): uuid
    case .handle: nil
    }
  }

  /// Whether this means a characteristic.
  package func matches(_ candidate: some CharacteristicCandidate) -> Bool {
    switch self {
    case .uuid(let uuid): candidate.uuid == uuid
    case .inService(let service, let uuid): candidate.service == service && candidate.uuid == uuid
    case .handle(let handle): candidate.handle == handle
    }
  }

  /// Finds the characteristic among those of a device.
  ///
  /// - Parameter candidates: the characteristics, in the order of their handles.
  /// - Returns: `many` when the text is ambiguous; the handles of the candidates differ.
  package func select<Candidate: CharacteristicCandidate>(
    from candidates: [Candidate]
  ) -> Selection<Candidate> {
    Selection(candidates.filter(matches))
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

/// A characteristic that CHAR on the command line may mean.
package protocol CharacteristicCandidate {
  /// The UUID of its service.
  var service: BluetoothUUID { get }
  /// Its own UUID.
  var uuid: BluetoothUUID { get }
  /// The handle of its declaration, as `services` prints it.
  var handle: UInt16 { get }
}

extension CharacteristicCandidate {
  /// Its label in a list of candidates: `180d/2a37 @002a`.
  package var label: String {
    "\(service)/\(uuid) @\(Hex.string([UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)]))"
  }
}
