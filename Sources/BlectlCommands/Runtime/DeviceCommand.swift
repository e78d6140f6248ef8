// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// A command about one device: scripts and the shell can run it over a link that is already open.
protocol DeviceCommand: BlectlCommand {
  var target: TargetOptions { get }
  /// Why the command cannot be a line of a script with these options; nil if it can.
  var scriptProblem: String? { get }
}

extension DeviceCommand {
  var deviceText: String? { target.device.description }
  var scriptProblem: String? { nil }
}
