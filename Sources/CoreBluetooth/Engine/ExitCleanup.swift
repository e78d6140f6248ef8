// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// Closes the links of a process that ends: BlueZ would keep them.
///
/// A process that is killed has no such chance. Nothing is reported any more meanwhile: the program does not expect it.
enum ExitCleanup {
  /// How long the end of the process may take.
  private static let limit = DispatchTimeInterval.seconds(2)

  private static let open = Lock<[ObjectIdentifier: CentralManager]>([:])
  private static let isRegistered: Bool = atexit { ExitCleanup.closeAll() } == 0

  static func note(_ central: CentralManager) {
    _ = isRegistered
    open.withLock { $0[ObjectIdentifier(central)] = central }
  }

  /// Closes a central that nobody uses any more.
  static func close(_ central: CentralManager) {
    Task {
      await central.close()
      _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(central)) }
    }
  }

  private static func closeAll() {
    CallbackQueue.silence()
    // On the loop's own thread nothing can be waited for.
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
