// SPDX-License-Identifier: MIT
package import BlectlArguments

/// The functions of the keys of a console.
package struct ConsoleKeys: Sendable, Hashable {
  /// A key that ends the console: Ctrl and a letter, or none.
  package struct Escape: Sendable, Hashable, CustomStringConvertible {
    package let byte: UInt8?

    /// Ctrl-], as in telnet.
    package static let standard = Escape(byte: 0x1d)

    init(byte: UInt8?) { self.byte = byte }

    /// Parses `^]`, `^a`, `ctrl-a` or `none`.
    package init(parsing text: String) throws(ArgumentError) {
      let lower = text.lowercased()
      if lower == "none" {
        byte = nil
        return
      }
      let prefix = ["^", "ctrl-"].first { lower.hasPrefix($0) }
      guard let prefix, case let rest = lower.utf8.dropFirst(prefix.utf8.count), rest.count == 1,
        let key = rest.first,
        (0x61...0x7a).contains(key) || (0x5b...0x5f).contains(key)
      else {
        throw ArgumentError(text, "is not a key with Ctrl; use ^] or ^a, or none")
      }
      byte = key & 0x1f
    }

    /// `Ctrl-]`.
    package var description: String {
      guard let byte else { return "no key" }
      return "Ctrl-" + String(UnicodeScalar(byte | 0x40))
    }
  }

  package var escape = Escape.standard
  /// True if the terminal collects a line before it is sent.
  package var sendsLines = false
  /// True if a line ends with CR LF.
  package var endsWithBoth = false
  /// True if typed keys are shown.
  package var echoes = false

  package init() {}

  /// Returns the bytes to send for typed bytes, and whether the key that ends the console was among them.
  func sent(for typed: [UInt8]) -> (bytes: [UInt8], isOver: Bool) {
    let end = sendsLines ? nil : escape.byte.flatMap { typed.firstIndex(of: $0) }
    var bytes: [UInt8] = []
    for byte in typed[..<(end ?? typed.endIndex)] {
      if endsWithBoth, byte == (sendsLines ? 0x0a : 0x0d) {
        bytes += [0x0d, 0x0a]
      } else {
        bytes.append(byte)
      }
    }
    return (bytes, end != nil)
  }

  /// Returns the bytes that the terminal shows for sent bytes.
  func shown(for sent: [UInt8]) -> [UInt8] {
    if endsWithBoth { return sent }
    return sent.flatMap { $0 == 0x0d ? [0x0d, 0x0a] : [$0] }
  }
}
