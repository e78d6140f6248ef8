// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// The queue on which a manager changes what the program sees of it, and calls delegates.
///
/// A serial queue in front of the program's: the order holds even over a concurrent one.
final class CallbackQueue: Sendable {
  private let queue: DispatchQueue

  /// - Parameter target: the program's queue; nil is the main one.
  init(target: DispatchQueue?) {
    queue = DispatchQueue(label: "CoreBluetooth", target: target ?? .main)
  }

  func post(_ body: @escaping @Sendable () -> Void) {
    let work = LoopClock.workElsewhere()
    queue.async {
      body()
      work?.end()
    }
  }
}
