// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// Where a stream goes beside the output, and how much may wait for it.
struct LogOptions: ParsableArguments {
  @Option(
    name: .customLong("log"),
    help: ArgumentHelp(
      "Write a log too, appending: .ndjson, .csv or .sqlite by its ending; several are possible.",
      valueName: "file"), completion: .file(), transform: LogArgument.init(parsing:))
  var logs: [LogArgument] = []

  @Option(
    name: .customLong("log-rotate"),
    help: ArgumentHelp(
      "Put a log aside, under a name with the time, when it has this size or its period is over: 100M, 24h.",
      valueName: "size|duration"), transform: LogRotation.init(parsing:))
  var rotation: LogRotation?

  @Option(
    help: ArgumentHelp(
      "How much may wait in memory for the output, and for each log; more is dropped and counted. (default: 16M)",
      valueName: "size"), transform: SizeArgument.init(parsing:))
  var buffer = SizeArgument(16 << 20)

  func validate() throws {
    if rotation != nil, logs.isEmpty { throw ValidationError("--log-rotate is for a --log.") }
    if buffer.bytes < 1024 { throw ValidationError("--buffer begins at 1K.") }
  }
}

extension LogOptions {
  /// Opens the logs, in the order in which they were given.
  ///
  /// - Parameters:
  ///   - characteristics: whose decoded values get columns in a table.
  ///   - session: the run of the command.
  /// - Returns: what writes to them.
  /// - Throws: ``CommandError`` for the first that cannot be written.
  func sinks(
    for characteristics: [CharacteristicArgument], in session: Session
  ) throws(CommandError) -> [any OutputSink] {
    var sinks: [any OutputSink] = []
    let uuids = characteristics.compactMap(\.writtenUUID)
    for log in logs {
      do throws(OutputError) {
        sinks.append(try open(log, uuids, session.console.warn))
      } catch {
        throw CommandError(status: .failed, message: "cannot write \(log.path): \(error)")
      }
    }
    return sinks
  }

  private func open(
    _ log: LogArgument, _ characteristics: [BluetoothUUID], _ report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) -> any OutputSink {
    switch log.kind {
    case .ndjson: try TextLog(path: log.path, format: EventJSON(), rotation: rotation, report: report)
    case .csv:
      try TextLog(path: log.path, format: CSVTable(for: characteristics), rotation: rotation, report: report)
    case .sqlite: try SQLiteLog(path: log.path, rotation: rotation, report: report)
    }
  }
}
