// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments

/// The fields of an alarm that no value has had yet: a condition on them is never decided.
struct AbsentFields: Sendable {
  private let device: DeviceArgument?
  private var names: [String]
  /// The keys that the values had instead, in the order of their appearance.
  private var seen: [String] = []
  private var hasValues = false

  /// Devices may invent objects with keys of their own.
  private static let mostKeys = 8

  init(_ alarm: AlarmArgument) {
    (device, names) = (alarm.device, alarm.condition.names)
  }

  /// Takes a value of a device that the alarm is for.
  mutating func take(_ sample: StreamSample) {
    if names.isEmpty { return }
    hasValues = true
    names.removeAll { sample.field(named: $0) != nil }
    for field in sample.averaged where seen.count < Self.mostKeys && !seen.contains(field.key) {
      seen.append(field.key)
    }
  }

  /// Returns a sentence about the fields that are missing, once; nil if there are none, or no values.
  mutating func takeRemark() -> String? {
    guard hasValues, !names.isEmpty else { return nil }
    defer { names = [] }
    let whose = device.map { " of \($0)" } ?? ""
    let others = seen.isEmpty ? "" : "; they had \(seen.joined(separator: ", "))"
    return "--when: no values\(whose) had \(names.joined(separator: " or "))\(others)"
  }
}
