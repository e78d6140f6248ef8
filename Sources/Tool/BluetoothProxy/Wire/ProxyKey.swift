// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The key of a proxy, which its clients have, too: 32 bytes.
///
/// Only ``text`` shows it.
package struct ProxyKey: Sendable, Hashable {
  let bytes: [UInt8]

  static let count = 32

  /// Creates a key; nil for another number of bytes, and for the two keys that clients use to ask a device for its
  /// name.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    guard !bytes.allSatisfy({ $0 == 0 }), !bytes.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
    self.bytes = bytes
  }

  /// Parses 44 characters of Base64; nil for other text, and for a key that does not protect.
  package init?(parsing text: some StringProtocol) {
    guard text.utf8.count == 44, let bytes = Base64.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// Makes a key of the system's random numbers.
  package static func random() -> ProxyKey {
    var system = SystemRandomNumberGenerator()
    while true {
      if let key = ProxyKey(bytes: (0..<count).map { _ in system.next() }) { return key }
    }
  }

  /// The 44 characters that a person enters at the client.
  package var text: String { Base64.string(bytes) }
}

extension ProxyKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `ProxyKey(…)`, without the bytes.
  package var description: String { "ProxyKey(…)" }
  /// `ProxyKey(…)`, without the bytes.
  package var debugDescription: String { description }
  /// A mirror without children, so that `dump` does not print the bytes.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
