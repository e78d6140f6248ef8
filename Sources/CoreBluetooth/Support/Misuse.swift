// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// Reports misuse of the interface, and functions that Linux lacks, on standard error.
enum Misuse {
  private static let noticed = Lock<Set<String>>([])
  private static let output = Lock<@Sendable (String) -> Void>(standardError)

  static let standardError: @Sendable (String) -> Void = { line in
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  static func redirect(to sink: @escaping @Sendable (String) -> Void) { output.exchange(sink) }

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
    output.withLock { $0 }("[CoreBluetooth] " + plain.joined())
  }
}
