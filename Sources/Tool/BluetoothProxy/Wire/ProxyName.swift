// SPDX-License-Identifier: MIT

/// The name of a proxy on the network: up to 31 of `a`–`z`, `0`–`9` and `-`.
package struct ProxyName: Sendable, Hashable {
  package let text: String

  /// The most characters, which ESPHome allows.
  static let limit = 31

  /// Creates a name; nil if the text is none.
  package init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.count <= Self.limit, text.utf8.allSatisfy(Self.allows) else { return nil }
    self.text = String(text)
  }

  /// Makes a name of a host's name or another text: `Attic Pi` becomes `attic-pi`; nil if nothing of it can stand in
  /// one.
  package init?(from text: some StringProtocol) {
    var name: [UInt8] = []
    for byte in text.lowercased().utf8 {
      if Self.allows(byte), byte != UInt8(ascii: "-") {
        name.append(byte)
      } else if name.last != UInt8(ascii: "-"), !name.isEmpty {
        name.append(UInt8(ascii: "-"))
      }
    }
    name.removeLast(max(0, name.count - Self.limit))
    while name.last == UInt8(ascii: "-") { name.removeLast() }
    self.init(String(decoding: name, as: UTF8.self))
  }

  private static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

extension ProxyName: CustomStringConvertible {
  package var description: String { text }
}
