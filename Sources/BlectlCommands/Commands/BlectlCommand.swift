// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import ValueStreams

/// A command, parsed by ArgumentParser and run in a context.
protocol BlectlCommand: ParsableCommand {
  var common: CommonOptions { get }
  /// The DEVICE of the command, for hints.
  var deviceText: String? { get }
  func run(in context: CommandContext) async throws
}

extension BlectlCommand {
  var deviceText: String? { nil }
}

/// A command that does not use Bluetooth: the options that choose a bus have no effect.
protocol OfflineCommand: BlectlCommand {}

/// A command about one device: scripts and the shell can run it over an open link.
protocol DeviceCommand: BlectlCommand {
  var target: TargetOptions { get }
  /// Why the command cannot be a line of a script with these options; nil if it can.
  var scriptProblem: String? { get }
}

extension DeviceCommand {
  var deviceText: String? { target.device.description }
  var scriptProblem: String? { nil }
}
