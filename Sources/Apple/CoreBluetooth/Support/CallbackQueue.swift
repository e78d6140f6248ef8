// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation
internal import Synchronization

/// The queue on which a manager changes the state that the program sees, and calls delegates.
///
/// It is a serial queue in front of the program's, so the order holds even on a concurrent one.
final class CallbackQueue: Sendable {
  private static let isSilent = Atomic(false)

  private let queue: DispatchQueue

  /// - Parameter target: the program's queue; nil means the main queue.
  init(target: DispatchQueue?) {
    queue = DispatchQueue(label: "CoreBluetooth", target: target ?? .main)
  }

  /// Starts no more blocks on any queue: the process is ending.
  static func silence() { isSilent.store(true, ordering: .releasing) }

  func post(_ body: @escaping @Sendable () -> Void) {
    let work = LoopClock.workElsewhere()
    queue.async {
      if !Self.isSilent.load(ordering: .acquiring) { body() }
      work?.end()
    }
  }
}
