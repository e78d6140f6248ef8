// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats

/// The words that the user typed for characteristics, for messages about them.
package enum TypedNames {
  /// Nil in a process that remembers none, such as that of tests.
  private static let names = Lock<[BluetoothUUID: String]?>(nil)

  /// Remembers the words from now on: called once, before the first argument is parsed.
  package static func remember() { names.withLock { $0 = $0 ?? [:] } }

  /// Takes a word that stands for a UUID; the first one stays.
  package static func note(_ word: some StringProtocol, for uuid: BluetoothUUID) {
    names.withLock { if $0 != nil, $0?[uuid] == nil { $0?[uuid] = String(word) } }
  }

  /// Returns the word that was typed; nil if that was the UUID.
  static func name(of uuid: BluetoothUUID) -> String? { names.withLock { $0?[uuid] } }
}
