// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// A command of the tool: parsed by ArgumentParser, run in a session.
protocol BlectlCommand: ParsableCommand {
  var common: CommonOptions { get }
  /// The DEVICE that the command is about, for hints.
  var deviceText: String? { get }
  func run(in session: Session) async throws
}

extension BlectlCommand {
  var deviceText: String? { nil }
}
