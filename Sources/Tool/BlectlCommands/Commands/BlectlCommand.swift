// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput

/// A command, parsed by ArgumentParser and run in a context.
protocol BlectlCommand: ParsableCommand, ScriptCommand {
  var common: CommonOptions { get }
  /// The DEVICE of the command, for hints.
  var deviceText: String? { get }
}

extension BlectlCommand {
  var options: GlobalOptions { common.values }
  var deviceText: String? { nil }
}

/// A command that does not use Bluetooth: it refuses the options that choose a bus, or limit its waits.
protocol OfflineCommand: BlectlCommand {}

extension OfflineCommand {
  /// Call when validating.
  func refuseOptionsOfBluetooth() throws {
    guard let option = common.givenForBluetooth else { return }
    throw ValidationError("\(option) has no meaning here: '\(Self._commandName)' does not use Bluetooth.")
  }
}

/// A command that can be a line of a script.
protocol StepDeclaration: ParsableCommand {
  var step: ScriptStep { get throws }
}

/// A command about one device: scripts and the shell can run it over an open link.
protocol DeviceCommand: BlectlCommand, StepDeclaration {
  var target: TargetOptions { get }
  /// The reason why the command cannot be a line of a script with these options; nil if it can.
  var scriptProblem: String? { get }
}

extension DeviceCommand {
  var deviceText: String? { target.device.description }
  var scriptProblem: String? { nil }
  var step: ScriptStep { .command(self) }
}

extension CommandContext {
  /// Prints a record with `--json`, a remark otherwise.
  func report(_ record: some Record, _ event: String, of info: PeripheralInfo) throws {
    if options.json { try console.write(record) } else { remark(event, of: info) }
  }
}
