// SPDX-License-Identifier: MIT

/// A kind of object in BTHome, and the format of its bytes; one instance for each number.
final class BTHomeKind: Sendable {
  /// The encoding of the value.
  enum Shape: Sendable {
    case number(NumberShape)
    case state
    /// A number that represents a word.
    case event([Int: String])
    /// A word and a number of steps.
    case dimmer
    /// A length, a number that represents a word, and its arguments.
    case command
    /// A length, and that many bytes of UTF-8.
    case text
    /// A length, and that many bytes.
    case raw
    /// Several numbers, the least significant first.
    case version(Int)
  }

  /// The measured quantity: `temperature`.
  let name: String
  /// The symbol of the unit; empty if there is none.
  let symbol: String
  let shape: Shape
  /// The name for people, before a value in text; empty if the unit shows what is measured.
  let label: String
  /// The name of the value, with its unit at the end.
  let key: String

  /// `title` is the name for people where it differs from the other by more than spaces, and `key` the one in JSON where
  /// it is not the name with the unit.
  init(_ name: String, _ unit: BTHomeUnit?, _ shape: Shape, title: String? = nil, key: String? = nil) {
    (self.name, self.shape) = (name, shape)
    symbol = unit?.symbol ?? ""
    let label = title ?? name.split(separator: "_").joined(separator: " ")
    self.label = unit?.needsLabel ?? true ? label : ""
    self.key = key ?? unit.map { "\(name)_\($0.rawValue)" } ?? name
  }

  /// Reads the value after the number of the kind; returns nil if there are too few bytes.
  func value(_ reader: inout ByteReader) -> DecodedValue? {
    switch shape {
    case .number(let shape):
      let (size, isSigned) = (shape.width.size, shape.width.isSigned)
      guard let raw = isSigned ? reader.signed(size) : reader.unsigned(size) else { return nil }
      return shape.value(of: raw)
    case .state: return reader.unsigned(1).map { .bool($0 != 0) }
    case .event(let names): return reader.unsigned(1).map { .text(names[$0] ?? "event \($0)") }
    case .dimmer:
      guard let event = reader.unsigned(1), let steps = reader.unsigned(1) else { return nil }
      switch event {
      case 0: return "none"
      case 1: return .integer(-steps)
      case 2: return .integer(steps)
      default: return .text("event \(event)")
      }
    case .command:
      // Only the low bits are the length, which is that of the arguments.
      guard let length = reader.unsigned(1), let command = reader.unsigned(1),
        let arguments = reader.bytes(length & 0x1f)
      else { return nil }
      let name = Self.commands[command] ?? "command \(command)"
      return .text(arguments.isEmpty ? name : "\(name) \(Hex.string(arguments))")
    case .text:
      guard let length = reader.unsigned(1), let bytes = reader.bytes(length) else { return nil }
      return .text(String(decoding: bytes, as: UTF8.self))
    case .raw:
      guard let length = reader.unsigned(1), let bytes = reader.bytes(length) else { return nil }
      return .bytes(bytes)
    case .version(let count):
      return reader.bytes(count).map { .text($0.reversed().map(String.init).joined(separator: ".")) }
    }
  }
}

extension BTHomeKind: Hashable {
  static func == (left: BTHomeKind, right: BTHomeKind) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
