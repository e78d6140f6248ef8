// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import ValueStreams

struct ExpectStep: ScriptStep {
  static let configuration = CommandConfiguration(
    commandName: "expect", abstract: "Wait for a notification whose value matches.",
    discussion: """
      expect ffe2 9f54??
      expect 2a6e i16 2000..2500 --within 5s
      expect 2a37 heart_rate_bpm > 40 --count 3
      expect 2a19 u8 > 20 --read
      """)

  @Argument(
    help: "The characteristic: a UUID or its name, SERVICE/CHAR, or @HANDLE.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristic: CharacteristicArgument
  @Argument(
    parsing: .allUnrecognized,
    help: "A VALUE with ? for any digit, FORMAT A..B, FORMAT > N, or FIELD > N; also <, <=, >=, = and !=.")
  var pattern: [String]
  @Option(
    help: ArgumentHelp("Wait at most this long. (default: --timeout)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var within: DurationArgument?
  @Option(help: ArgumentHelp("Wait for this many values that match. (default: 1)", valueName: "n"))
  var count: Int?
  @Flag(help: "Read the value instead; with --within, again and again until it matches.")
  var read = false

  func validate() throws {
    if let option = pattern.first(where: { $0.hasPrefix("--") }) {
      throw ValidationError("unknown option '\(option)'")
    }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if read, count != nil { throw ValidationError("--read and --count cannot be used together.") }
    _ = try matcher
  }

  /// What the words of the pattern mean.
  var matcher: ValuePattern {
    get throws(ArgumentError) { try ValuePattern(pattern, for: characteristic.writtenUUID) }
  }

  func perform(on device: any ScriptDevice) async throws { try await device.expect(self) }

  /// The error when what came does not match.
  ///
  /// - Parameters:
  ///   - pattern: what was expected.
  ///   - characteristic: where it was expected.
  ///   - values: the last values that came, oldest first.
  ///   - count: how many came that did not match, and how many that did.
  ///   - forgotten: how many of the others were never looked at, because too many waited.
  ///   - wanted: how many were expected.
  ///   - limit: how long was waited; nil where there was no wait.
  /// - Returns: the error, which shows the values.
  static func unmet(
    _ pattern: ValuePattern, of characteristic: GATTCharacteristic, last values: [ReceivedValue],
    count: (others: Int, matches: Int), forgotten: Int = 0, wanted: Int, within limit: DurationArgument?
  ) -> CommandError {
    let meaning = ValueMeaning(of: characteristic.uuid)
    let times = wanted == 1 ? "" : " \(wanted) times"
    let time = limit.map { " within \($0)" } ?? ""
    let why =
      switch (count.matches, count.others) {
      case (0, 0): "no value came"
      case (0, 1): "the value was \(values.last.map { pattern.shown($0.value, meaning) } ?? "lost")"
      case (0, let others):
        "\(others) other values came, the last \(values.last.map { pattern.shown($0.value, meaning) } ?? "lost")"
      case (let matches, let others): "\(matches) came, and \(others) other\(others == 1 ? "" : "s")"
      }
    return CommandError(
      status: .failed,
      message: "cannot get \(pattern.text)\(times) from \(characteristic.uuid)\(time): \(why)",
      details: (forgotten == 0
        ? []
        : ["the first \(forgotten) were not looked at: at most \(ValueWatch.capacity) values wait for expect"])
        + (values.count < 2 ? [] : values.map { "\($0.time.local) \(pattern.shown($0.value, meaning))" }))
  }
}
