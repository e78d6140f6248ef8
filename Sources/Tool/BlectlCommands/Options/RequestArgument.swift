// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments

/// A value that lets a device begin: `CHAR:VALUE`.
struct RequestArgument: Sendable {
  let characteristic: CharacteristicArgument
  private let value: ValueArgument

  /// Parses `CHAR:VALUE`.
  init(parsing text: String) throws(ArgumentError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw ArgumentError(text, "is not CHAR:VALUE, such as ffe3:01 or ffe3:u16:100")
    }
    characteristic = try CharacteristicArgument(parsing: String(text[..<colon]))
    value = try ValueArgument(parsing: String(text[text.index(after: colon)...]))
  }

  /// The bytes to write, for a device that a profile may describe.
  func bytes(for device: ProfileSubject?) throws -> [UInt8] {
    try ValueSource.payloads([value], from: nil, for: characteristic.identity(of: device))[0].bytes
  }
}
