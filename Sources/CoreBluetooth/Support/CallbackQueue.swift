// SPDX-License-Identifier: MIT
internal import AsyncIO
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
