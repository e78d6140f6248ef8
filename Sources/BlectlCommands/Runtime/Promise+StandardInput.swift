// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

extension Promise {
  /// The value, which comes from standard input.
  ///
  /// - Parameters:
  ///   - loop: the loop, on whose thread the caller runs.
  ///   - end: the value if the task is cancelled.
  ///   - read: called whenever there is something to read; fulfils the promise at some time.
  /// - Returns: the value.
  func value(on loop: EventLoop, ifCancelled end: Value, reading read: @escaping () -> Void) async -> Value {
    let source = loop.watch(STDIN_FILENO, for: .readable) { _ in read() }
    defer { loop.unwatch(source) }
    return await value(ifCancelled: end)
  }
}
