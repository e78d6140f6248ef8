// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// A command, parsed by ArgumentParser and run in a session.
protocol BlectlCommand: ParsableCommand {
  var common: CommonOptions { get }
  /// The DEVICE of the command, for hints.
  var deviceText: String? { get }
  func run(in session: Session) async throws
}

extension BlectlCommand {
  var deviceText: String? { nil }
}
