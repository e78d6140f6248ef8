// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import NIOCore
internal import NIOPosix

/// The thread of a page, on which everything of it happens.
final class PageThread: Sendable {
  let loop: any NIOCore.EventLoop
  private let group: MultiThreadedEventLoopGroup
  private let isOver = Lock(false)

  init() {
    group = WorkerThread.withSignalsBlocked { MultiThreadedEventLoopGroup(numberOfThreads: 1) }
    loop = group.next()
  }

  /// Runs a closure on the thread, and waits for it; call on another thread.
  ///
  /// - Returns: nil after ``end()``.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let result = isOver.withLock { $0 ? nil : loop.submit(body) }
    return try? result?.wait()
  }

  /// Runs a closure on the thread later, on any thread; not after ``end()``.
  func post(_ body: @escaping @Sendable () -> Void) {
    isOver.withLock { if !$0 { loop.execute(body) } }
  }

  /// Ends the thread, and all connections with it.
  func end() {
    let wasOver = isOver.exchange(true)
    if !wasOver { group.shutdownGracefully { _ in } }
  }
}
