// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlScripting

struct ExpectStep: StepDeclaration {
  static let configuration = CommandConfiguration(
    commandName: "expect", abstract: "Wait for a notification whose value matches.",
    discussion: """
      expect ffe2 9f54??
      expect 2a6e i16 2000..2500 --within 5s
      expect 2a37 heart_rate_bpm > 40 --count 3
      expect 2a37.heart_rate_bpm 60..80
      expect ffe2 [2..4] u16 100..200
      expect 2a19 u8 > 20 --read
      """)

  @Argument(
    help: "The characteristic: a UUID or its name, SERVICE/CHAR, or @HANDLE; CHAR.FIELD is a field of it.",
    completion: LiveCompletion.characteristic, transform: ExpectSubject.init(parsing:))
  var characteristic: ExpectSubject
  @Argument(
    parsing: .allUnrecognized,
    help: """
      A VALUE with ? for any digit, FORMAT A..B, FORMAT > N, or FIELD > N; also <, <=, >=, = and !=. [2..4] before it \
      looks at these bytes only; the end is not included.
      """)
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
      let isView = option.prefix { $0 != "=" } == "--as"
      throw ValidationError(
        "unknown option '\(option)'"
          + (isView
            ? "; a FORMAT stands before the comparison, and --profile FILE of the run names fields" : ""))
    }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    if read, count != nil { throw ValidationError("--read and --count cannot be used together.") }
    _ = try step
  }

  var step: ScriptStep {
    get throws {
      let (characteristic, field) = (characteristic.characteristic, characteristic.field)
      let pattern = try ValuePattern((field.map { [$0] } ?? []) + pattern, for: characteristic.identity())
      return .expect(
        Expectation(pattern, from: characteristic, within: within, count: count ?? 1, isRead: read))
    }
  }
}

struct SleepStep: StepDeclaration {
  static let configuration = CommandConfiguration(
    commandName: "sleep", abstract: "Wait, while subscriptions go on.", discussion: "sleep 500ms")

  @Argument(help: "How long: 500ms, 10s, 2m.", transform: DurationArgument.init(parsing:))
  var duration: DurationArgument

  func validate() throws {
    if duration.limit == nil { throw ValidationError("the duration must be more than 0.") }
  }

  var step: ScriptStep { .sleep(duration.limit ?? .zero) }
}

struct UnsubscribeStep: StepDeclaration {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe", abstract: "End subscriptions.", discussion: "unsubscribe 2a37")

  @Argument(
    help: "The characteristics. (default: all)", completion: LiveCompletion.characteristic,
    transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument] = []

  var step: ScriptStep { .unsubscribe(characteristics) }
}
