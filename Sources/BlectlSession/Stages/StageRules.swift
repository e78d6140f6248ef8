// SPDX-License-Identifier: MIT
package import BlectlArguments
internal import ValueStreams

/// What happens to the values of a stream on their way to the outputs.
package struct StageRules: Sendable {
  /// The length of windows of which one record is passed on; nil passes on every value.
  package var window: Duration?
  /// Whether the record of a window is the mean of its values, instead of the last of them.
  package var averages = false
  /// How much values have to change to be passed on; empty passes on every value.
  package var changes: [ChangeArgument] = []
  package var alarms: [AlarmArgument] = []
  /// The silence after which a device is absent; nil does not watch.
  package var silence: Duration?
  /// Whether nothing can be heard until a record of the reception says so.
  package var awaitsReception = false
  /// The devices that should be there from the beginning.
  package var expected: [DeviceArgument] = []

  package init() {}

  /// Whether fewer values are passed on than come.
  package var thinsOut: Bool { window != nil || !changes.isEmpty }
  /// Whether there can be alarms or absences.
  package var hasNotices: Bool { !alarms.isEmpty || silence != nil }

  /// The keys that values can have when they are passed on.
  package func keys(of keys: [String]) -> [String] { averages ? AverageRecord.keys(of: keys) : keys }
}
