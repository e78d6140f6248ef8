// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECore
internal import Foundation
internal import Synchronization

/// The queue on which a manager changes what the program sees of it, and calls delegates.
///
/// A serial queue in front of the program's: the order holds even over a concurrent one.
final class CallbackQueue: Sendable {
  private static let isSilent = Atomic(false)

  private let queue: DispatchQueue

  /// - Parameter target: the program's queue; nil is the main one.
  init(target: DispatchQueue?) {
    queue = DispatchQueue(label: "CoreBluetooth", target: target ?? .main)
  }

  /// Begins no block any more, on any queue: the process ends.
  static func silence() { isSilent.store(true, ordering: .releasing) }

  func post(_ body: @escaping @Sendable () -> Void) {
    let work = LoopClock.workElsewhere()
    queue.async {
      if !Self.isSilent.load(ordering: .acquiring) { body() }
      work?.end()
    }
  }
}

/// Which BlueZ a manager uses, and which adapter of it.
///
/// `DBUS_SYSTEM_BUS_ADDRESS` and `BLECTL_ADAPTER` say so for a whole program; the options `blectl.bus` and
/// `blectl.adapter` for one manager.
struct EnginePlace: Hashable {
  let bus: Bus
  let adapter: String?

  init(_ options: [String: Any]?) {
    bus = (options?["blectl.bus"] as? String).map { .address($0) } ?? .system
    let variable = ProcessInfo.processInfo.environment["BLECTL_ADAPTER"]
    adapter = options?["blectl.adapter"] as? String ?? (variable?.isEmpty == false ? variable : nil)
  }
}

/// What a program does wrong, or cannot have on Linux, on standard error.
enum Misuse {
  private static let noticed = Lock<Set<String>>([])
  private static let output = Lock<@Sendable (String) -> Void>(standardError)

  static let standardError: @Sendable (String) -> Void = { line in
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Sends the lines elsewhere from now on.
  static func redirect(to sink: @escaping @Sendable (String) -> Void) { output.exchange(sink) }

  /// Reports a call that the interface forbids.
  static func report(_ text: String) { print("API MISUSE: \(text)") }

  /// Reports something once in the life of the process.
  static func noticeOnce(_ text: String) {
    if noticed.withLock({ $0.insert(text).inserted }) { print(text) }
  }

  /// Reports something.
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
