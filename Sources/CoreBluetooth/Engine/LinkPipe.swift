// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The commands to one peripheral over one link.
///
/// Each waits for the answers to those before it. Only writes without response, which have no answer, wait for none: as in
/// ATT, they pass a request that the device has not answered. All writes keep their order.
final class LinkPipe: Sendable {
  /// What a command is.
  enum Kind {
    /// A write without response.
    case commandWrite
    /// A write with a response.
    case requestWrite
    /// Anything else.
    case other
  }

  private let requests: CommandPipe
  private let commandWrites: CommandPipe
  /// Held while a command is added to both pipes: they must agree on the order.
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
        requests.add { await turn.value(ifCancelled: ()) }
      case .requestWrite:
        commandWrites.add { await turn.value(ifCancelled: ()) }
        requests.add {
          turn.fulfil(())
          await command()
        }
      case .other: requests.add(command)
      }
    }
  }

  /// Drops the commands that wait, and returns when those under way have ended.
  func finish() async {
    // A write that is dropped lets none behind it pass.
    await commandWrites.cancel()
    await requests.finish()
  }

  /// Does the same, and cancels those under way.
  func cancel() async {
    await commandWrites.cancel()
    await requests.cancel()
  }
}
