// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Executes commands one at a time, in the order of the calls.
final class CommandPipe: Sendable {
  private let commands = BatchChannel<@Sendable () async -> Void>()
  private let isClosed = Lock(false)
  private let task: Task<Void, Never>

  init(on loop: EventLoop) {
    task = Task(executorPreference: loop) { [commands, isClosed] in
      while let batch = await commands.next() {
        for command in batch.elements {
          if isClosed.withLock({ $0 }) { return }
          await command()
        }
      }
    }
  }

  func add(_ command: @escaping @Sendable () async -> Void) { commands.send(command) }

  /// Drops waiting commands, and returns when the current one has ended.
  func finish() async {
    isClosed.withLock { $0 = true }
    commands.finish()
    await task.value
  }

  /// Does the same, and cancels the current one.
  func cancel() async {
    isClosed.withLock { $0 = true }
    task.cancel()
    await finish()
  }
}
