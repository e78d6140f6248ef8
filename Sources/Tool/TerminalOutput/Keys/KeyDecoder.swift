// SPDX-License-Identifier: MIT

/// A key that views know.
package enum Key: Sendable, Hashable {
  /// A character, or a mark that belongs to the one before it.
  case character(Character)
  case enter
  case escape
  case backspace
  /// Ctrl-U.
  case clear
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
}

/// Makes keys of the bytes that a terminal sends, in whatever pieces they arrive.
///
/// It knows the sequences of ECMA-48 terminals (xterm, VTE, tmux, the console of Linux), which all terminals
/// send today. libtermkey, which would also ask terminfo, is discouraged by its author, and ncurses claims
/// the whole screen. Unknown sequences, control characters and bytes that are not UTF-8 are skipped.
package struct KeyDecoder: Sendable {
  /// The bytes of a sequence so far.
  private enum State: Sendable {
    case ground
    /// After ESC: the key Esc, or the beginning of a sequence.
    case escape
    /// After `ESC [`, with the parameters so far.
    case control([UInt8])
    /// After `ESC O`.
    case shift
    /// After `ESC [ [`, which the console of Linux sends before one letter.
    case console
    /// Within a character of several bytes.
    case character([UInt8], length: Int)
  }

  private static let escapeByte: UInt8 = 0x1b
  /// A longer sequence is not that of a key.
  private static let longestSequence = 32

  private var state = State.ground

  package init() {}

  /// True if the last byte was ESC, so that only time can show whether it was the key Esc.
  package var mayBeEscape: Bool { if case .escape = state { true } else { false } }

  /// Takes bytes, and returns the keys that they complete.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// Reports that no further byte came for a while; returns the key Esc if the last byte was ESC.
  package mutating func pause() -> [Key] {
    guard mayBeEscape else { return [] }
    state = .ground
    return [.escape]
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground: begin(byte, &keys)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .control([])
      case UInt8(ascii: "O"): state = .shift
      default:
        // Esc, and quickly another key.
        keys.append(.escape)
        begin(byte, &keys)
      }
    case .control(let parameters): control(byte, parameters, &keys)
    case .shift:
      guard (0x20...0x7e).contains(byte) else { return begin(byte, &keys) }
      state = .ground
      // The Enter of a keypad.
      let key = byte == UInt8(ascii: "M") ? .enter : KeyDecoder.key(final: byte, parameters: [])
      if let key { keys.append(key) }
    case .console:
      guard (0x20...0x7e).contains(byte) else { return begin(byte, &keys) }
      state = .ground
    case .character(let bytes, let length): character(bytes + [byte], length, &keys)
    }
  }

  private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
    state = .ground
    switch byte {
    case KeyDecoder.escapeByte: state = .escape
    case 0x0a, 0x0d: keys.append(.enter)
    case 0x08, 0x7f: keys.append(.backspace)
    case 0x15: keys.append(.clear)
    case 0x20..<0x7f: keys.append(.character(Character(Unicode.Scalar(byte))))
    case 0xc2...0xdf: state = .character([byte], length: 2)
    case 0xe0...0xef: state = .character([byte], length: 3)
    case 0xf0...0xf4: state = .character([byte], length: 4)
    default: break
    }
  }

  private mutating func character(_ bytes: [UInt8], _ length: Int, _ keys: inout [Key]) {
    if let last = bytes.last, last & 0xc0 != 0x80 { return begin(last, &keys) }
    guard bytes.count == length else { return state = .character(bytes, length: length) }
    state = .ground
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
      text.unicodeScalars.first?.properties.generalCategory != .control
    else { return }
    keys.append(.character(character))
  }

  private mutating func control(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "[") where parameters.isEmpty: state = .console
    case 0x20...0x3f where parameters.count < KeyDecoder.longestSequence:
      state = .control(parameters + [byte])
    case 0x40...0x7e:
      state = .ground
      if let key = KeyDecoder.key(final: byte, parameters: parameters) { keys.append(key) }
    default: begin(byte, &keys)
    }
  }

  /// The key of a sequence; modifiers such as Ctrl are ignored.
  private static func key(final: UInt8, parameters: [UInt8]) -> Key? {
    switch final {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "~"): break
    default: return nil
    }
    return
      switch parameters.split(separator: UInt8(ascii: ";")).first.map({ String(decoding: $0, as: UTF8.self) })
    {
    case "1", "7": .home
    case "4", "8": .end
    case "5": .pageUp
    case "6": .pageDown
    default: nil
    }
  }
}
