// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import BlectlSession

/// A command on a pseudo-terminal of its own.
final class CommandPort: SerialPort {
  /// How long it may take to end, before it is killed.
  private static let endTime = Duration.seconds(1)

  private let terminal: PseudoTerminal
  private let child: ChildCommand

  /// Starts the command.
  init(_ command: [String], on loop: EventLoop) throws(CommandError) {
    terminal = try PseudoTerminal(link: nil, on: loop)
    terminal.becomeInteractive()
    child = try ChildCommand(
      command, environment: ["TERM": "xterm"], group: .session(terminal: terminal.path))
  }

  func read(_ most: Int) async -> [UInt8]? { await terminal.read(most) }

  func write(_ bytes: [UInt8]) async throws { try await terminal.write(bytes) }

  func end() { terminal.end() }

  /// Waits until the command ends; cancellation ends it.
  func wait(on loop: EventLoop) async throws { _ = try await child.wait(on: loop, limit: Self.endTime) }
}
