// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// Reports misuse of the interface, and functions that Linux lacks, on standard error.
enum Misuse {
  private static let noticed = Lock<Set<String>>([])
  private static let observers = Lock<[@Sendable (String) -> Void]>([])

  /// Passes all further lines to a test as well; tests run at the same time.
  static func observe(_ observer: @escaping @Sendable (String) -> Void) {
    observers.withLock { $0.append(observer) }
  }

  static func report(_ text: String) { print("API MISUSE: \(text)") }

  /// Reports a text once in the life of the process.
  static func noticeOnce(_ text: String) {
    if noticed.withLock({ $0.insert(text).inserted }) { print(text) }
  }

  static func notice(_ text: String) { print(text) }

  private static func print(_ text: String) {
    // Names come from the air.
    let plain = text.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        "\\u{" + String(scalar.value, radix: 16) + "}"
      default: String(scalar)
      }
    }
    let line = "[CoreBluetooth] " + plain.joined()
    FileHandle.standardError.write(Data((line + "\n").utf8))
    for observer in observers.withLock({ $0 }) { observer(line) }
  }
}
