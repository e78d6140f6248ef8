// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput

/// A record that a command can be run for.
protocol HookRecord: Record, Sendable {
  /// What happened: BLECTL_EVENT.
  var hookEvent: String { get }
  /// The device that it is about.
  var hookAddress: BluetoothAddress? { get }
  /// The environment of the command, besides BLECTL_EVENT and BLECTL_ADDRESS; text from the air is unescaped.
  var hookVariables: [String: String] { get }
}
