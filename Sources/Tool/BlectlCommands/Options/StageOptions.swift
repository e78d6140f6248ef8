// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import ValueStreams

/// The options for the processing of a stream's values before they are printed and logged.
struct StageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only the last value of each such time, of each source. Windows are multiples of it since 1970, UTC: 1m, 15m, 24h. A gap \
      ends a window.
      """, valueName: "duration"), transform: DurationArgument.init(parsing:))
  var every: DurationArgument?

  @Flag(help: "With --every, the mean, the minimum and the maximum of each number instead of the last value.")
  var average = false

  @Option(
    help: ArgumentHelp(
      """
      Only values of which a number differs by this from the last one that was printed: 0.2, or temperature_celsius=0.2 for \
      one field; others then count if they differ at all. May be repeated.
      """, valueName: "change"), transform: ChangeArgument.init(parsing:))
  var change: [ChangeArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Report when a device fulfils a condition (alarm), and when it no longer does (cleared): 'temperature_celsius > 25 for \
      5m', 'temperature_celsius > 25 until < 24', with and, or, not and parentheses; \
      'Freezer: temperature_celsius > -15' is for this DEVICE: a name, a part of one, a pattern or an address. --exec then runs for \
      reports only. May be repeated.
      """, valueName: "condition"), transform: AlarmArgument.init(parsing:))
  var when: [AlarmArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Report when a device has not been heard for this long (absent), also if it never was, and when it is back (returned). \
      --exec then runs for reports only.
      """, valueName: "duration"), transform: DurationArgument.init(parsing:))
  var absent: DurationArgument?

  func validate() throws {
    if let every, every.limit == nil { throw ValidationError("--every must be longer than 0.") }
    if average, every == nil { throw ValidationError("--average needs --every.") }
    if let absent, absent.limit == nil { throw ValidationError("--absent must be longer than 0.") }
  }

  /// Refuses the names of fields that no value can have, and comparisons with what no such field can be.
  ///
  /// `fields` returns the names in the values of a device that an alarm is for, or of all devices.
  func require(_ fields: (DeviceArgument?) -> FieldNames) throws {
    for alarm in when {
      let names = fields(alarm.device)
      try Self.require(alarm.condition.names, in: names)
      if let problem = alarm.condition.problem(names.values(of:)) { throw ValidationError("\(problem)") }
    }
    let changing = change.compactMap(\.field)
    if changing.isEmpty { return }
    let names = fields(nil)
    try Self.require(changing, in: names)
    for field in changing where !names.values(of: field).hasOrder {
      let values = names.values(of: field)
      throw ValidationError(
        "\(ArgumentError(field, "is no number that changes by an amount: it is \(values)"))")
    }
  }

  private static func require(_ fields: [String], in names: FieldNames) throws {
    for field in fields {
      if let problem = names.problem(with: field) {
        throw ValidationError("\(ArgumentError(field, problem))")
      }
    }
  }

  /// Refuses an alarm for a device that is certainly none of those that the command names, if it names any.
  func require(among named: [DeviceArgument]) throws {
    for device in when.compactMap(\.device) where !named.isEmpty && named.allSatisfy(device.excludes) {
      if (named + [device]).contains(where: \.mayBeOwnName) { continue }
      let names = named.map { "\($0)" }
      let advice =
        Spelling.advice(for: "\(device)", amongNames: names) ?? "they are \(names.joined(separator: ", "))"
      let reason = "is none of the devices of this command (--when); \(advice)"
      throw ValidationError("\(ArgumentError("\(device)", reason))")
    }
  }

  /// The rules for a stream of which something is expected, of the devices that are named; nil without options.
  func rules(expecting expected: ExpectedValues, naming named: [DeviceArgument]) -> StageRules? {
    var rules = StageRules()
    (rules.window, rules.averages, rules.changes) = (every?.limit, average, change)
    (rules.alarms, rules.silence, rules.expected) = (when, absent?.limit, expected.devices)
    rules.awaitsReception = expected.areAdvertised
    rules.awaited = when.compactMap(\.device).filter { !(named + expected.devices).contains($0) }
    return rules.thinsOut || rules.hasNotices ? rules : nil
  }
}
