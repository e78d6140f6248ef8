// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// Closes the links of a process that ends (unless it is killed): BlueZ would keep them.
///
/// No events are reported during the cleanup: the program does not expect them.
enum ExitCleanup {
  /// The time by which the cleanup may delay the end of the process.
  private static let limit = DispatchTimeInterval.seconds(2)

  private static let open = Lock<[ObjectIdentifier: CentralManager]>([:])
  private static let isRegistered: Bool = atexit { ExitCleanup.closeAll() } == 0

  static func note(_ central: CentralManager) {
    _ = isRegistered
    open.withLock { $0[ObjectIdentifier(central)] = central }
  }

  /// Closes a central that is no longer used.
  static func close(_ central: CentralManager) {
    Task {
      await central.close()
      _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(central)) }
    }
  }

  private static func closeAll() {
    CallbackQueue.silence()
    // The loop's own thread cannot wait for the loop.
    guard !EventLoop.shared.isCurrent else { return }
    let centrals = open.withLock { Array($0.values) }
    guard !centrals.isEmpty else { return }
    let isDone = DispatchSemaphore(value: 0)
    Task {
      for central in centrals { await central.close() }
      isDone.signal()
    }
    _ = isDone.wait(timeout: .now() + limit)
  }
}
