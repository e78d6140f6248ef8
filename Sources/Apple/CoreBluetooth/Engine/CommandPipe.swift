// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Executes commands one at a time, in the order of the calls.
final class CommandPipe: Sendable {
  private struct State {
    var isClosed = false
    /// The turn that the pipe waits for.
    var turn: Promise<Void>?
  }

  private let commands = BatchChannel<@Sendable () async -> Void>()
  private let state = Lock(State())
  private let task: Task<Void, Never>

  init(on loop: EventLoop) {
    task = Task(executorPreference: loop) { [commands, state] in
      while let batch = await commands.next() {
        for command in batch.elements {
          if state.withLock({ $0.isClosed }) { return }
          await command()
        }
      }
    }
  }

  func add(_ command: @escaping @Sendable () async -> Void) { commands.send(command) }

  /// Lets later commands wait for a turn, which another pipe gives; ``close()`` ends the wait.
  func wait(for turn: Promise<Void>) {
    add { [state] in
      let isClosed = state.withLock { state in
        state.turn = turn
        return state.isClosed
      }
      if !isClosed { await turn.value(ifCancelled: ()) }
      state.exchange(\.turn, nil)
    }
  }

  /// Drops waiting commands.
  func close() {
    let turn = state.withLock { state in
      state.isClosed = true
      return state.turn.take()
    }
    turn?.fulfil(())
    commands.finish()
  }

  /// Drops waiting commands, and returns when the current one has ended.
  func finish() async {
    close()
    await task.value
  }

  /// Does the same, and cancels the current one.
  func cancel() async {
    close()
    task.cancel()
    await task.value
  }
}
