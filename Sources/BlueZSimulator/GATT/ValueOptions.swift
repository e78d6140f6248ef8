// SPDX-License-Identifier: MIT
internal import DBus

/// The options of ReadValue and WriteValue.
///
/// Unknown ones are ignored.
struct ValueOptions {
  var offset = 0
  /// The type of write, in lower case.
  var type: String?

  /// - Throws: ``BlueZError`` when a known option has the wrong type.
  init(_ value: DBusValue?, forWriting: Bool) throws(BlueZError) {
    guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
    for entry in entries {
      switch (entry.key.text, entry.value.unwrapped) {
      case ("offset", .uint16(let offset)): self.offset = Int(offset)
      case ("type", .string(let type)): self.type = type.lowercased()
      case ("offset", _): throw .invalidArguments
      case ("type", _) where forWriting: throw .invalidArguments
      default: break
      }
    }
  }
}
