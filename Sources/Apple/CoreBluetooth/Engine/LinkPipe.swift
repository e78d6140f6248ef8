// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The commands to one peripheral over one link.
///
/// Each command waits for the answers to earlier ones. Only writes without response, which have no answer, do
/// not: as in ATT, they overtake an unanswered request. All writes keep their order.
final class LinkPipe: Sendable {
  enum Kind {
    case commandWrite
    case requestWrite
    case other
  }

  private let requests: CommandPipe
  private let commandWrites: CommandPipe
  /// Held while a command is added to both pipes, which must agree on the order.
  private let order = Lock(false)

  init(on loop: EventLoop) {
    requests = CommandPipe(on: loop)
    commandWrites = CommandPipe(on: loop)
  }

  func add(_ kind: Kind = .other, _ command: @escaping @Sendable () async -> Void) {
    let turn = Promise<Void>()
    order.withLock { _ in
      switch kind {
      case .commandWrite:
        commandWrites.add {
          await command()
          turn.fulfil(())
        }
        requests.wait(for: turn)
      case .requestWrite:
        commandWrites.wait(for: turn)
        requests.add {
          turn.fulfil(())
          await command()
        }
      case .other: requests.add(command)
      }
    }
  }

  /// Drops waiting commands.
  func close() {
    // Both: the one must not wait for a write that the other has dropped.
    order.withLock { _ in
      requests.close()
      commandWrites.close()
    }
  }

  /// Drops waiting commands, and returns when the current ones have ended.
  func finish() async {
    close()
    await commandWrites.cancel()
    await requests.finish()
  }

  /// Does the same, and cancels the current ones.
  func cancel() async {
    close()
    await commandWrites.cancel()
    await requests.cancel()
  }
}
