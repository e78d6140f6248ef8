// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

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

/// A command that does not use Bluetooth: it accepts the options that choose a bus, and they have no effect.
protocol OfflineCommand: BlectlCommand {}

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

/// Learns what the commands of a session send and receive.
protocol SessionObserver: AnyObject, Sendable {
  /// Values were read, or notified.
  func received(_ batch: ValueBatch)
  /// A value was written for certain.
  func wrote(_ record: WrittenRecord)
  /// Notifications are on: what is sent from now on is received.
  func subscribed(to characteristics: [GATTCharacteristic])
}
