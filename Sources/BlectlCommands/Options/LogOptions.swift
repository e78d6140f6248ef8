// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import ValueLogs

/// The logs of a stream, and how much may be buffered for them.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log"),
    help: ArgumentHelp(
      "Also append to a log; its extension chooses .ndjson, .csv or .sqlite. May be repeated.",
      valueName: "file"), completion: .file(), transform: LogArgument.init(parsing:))
  var logs: [LogArgument] = []

  @Option(
    name: .customLong("log-rotate"),
    help: ArgumentHelp(
      "Rename a log to a name with the time when it reaches this size or age: 100M, 24h.",
      valueName: "size|duration"), transform: LogRotation.init(parsing:))
  var rotation: LogRotation?

  @Option(
    help: ArgumentHelp(
      "Memory to buffer for the output and for each log; more is dropped and counted. (default: 16M)",
      valueName: "size"), transform: SizeArgument.init(parsing:))
  var buffer = SizeArgument(16 << 20)

  func validate() throws {
    if rotation != nil, logs.isEmpty { throw ValidationError("--log-rotate needs --log.") }
    if buffer.bytes < 1024 { throw ValidationError("--buffer must be at least 1K.") }
  }
}
