// SPDX-License-Identifier: MIT
package import BlectlArguments
internal import ValueStreams

/// The rules for the values of a stream before they reach the outputs.
package struct StageRules: Sendable {
  /// The length of windows of which one record is passed on; nil passes on every value.
  package var window: Duration?
  /// True if the record of a window is the mean of its values, instead of the last of them.
  package var averages = false
  /// The changes that values must show to be passed on; empty passes on every value.
  package var changes: [ChangeArgument] = []
  package var alarms: [AlarmArgument] = []
  /// The devices of alarms that nobody else misses if they are never heard.
  package var awaited: [DeviceArgument] = []
  /// The silence after which a device is absent; nil does not watch.
  package var silence: Duration?
  /// True if nothing can be heard until a record of the reception says so.
  package var awaitsReception = false
  /// The devices that should be there from the beginning.
  package var expected: [DeviceArgument] = []

  package init() {}

  /// True if fewer values are passed on than come.
  package var thinsOut: Bool { window != nil || !changes.isEmpty }
  /// True if there can be alarms or absences.
  package var hasNotices: Bool { !alarms.isEmpty || silence != nil }

  /// The columns for values with these columns when they are passed on.
  package func columns(of columns: [String]) -> [String] {
    averages ? AverageRecord.keys(of: columns) : columns
  }
}
