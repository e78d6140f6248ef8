// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments

/// The results of each line of a script.
struct ScriptResults: Sendable {
  /// All runs of one line: in a loop, there are several.
  struct Line: Sendable {
    var runs = 0
    var time = Duration.zero
    var failure: CommandError?
  }

  private(set) var lines: [Int: Line] = [:]
  private(set) var firstFailure: CommandError?
  private(set) var failureCount = 0
  private(set) var runs = 0
  /// The line that was under way when the run was ended from outside.
  private(set) var interruptedLine: Int?

  mutating func add(_ line: ScriptLine, taking time: Duration, failure: CommandError?) {
    runs += 1
    var result = lines[line.place.line] ?? Line()
    result.runs += 1
    result.time += time
    result.failure = result.failure ?? failure
    lines[line.place.line] = result
    if let failure { count(failure) }
  }

  /// Adds the run of a line that was ended from outside.
  mutating func addInterrupted(_ line: ScriptLine, after time: Duration) {
    add(line, taking: time, failure: nil)
    interruptedLine = line.place.line
  }

  /// Adds the failure of a statement that is not a step.
  mutating func add(_ failure: CommandError) {
    runs += 1
    count(failure)
  }

  private mutating func count(_ failure: CommandError) {
    firstFailure = firstFailure ?? failure
    failureCount += 1
  }
}

/// One run of a script on one device, for reports.
struct DeviceResult: Sendable {
  /// The device as the user typed it; its name and address, if that stands for several devices.
  let device: String
  /// Nil if the device was not found.
  var address: String?
  /// The number of the run, from 1.
  let repetition: Int
  let start: Timestamp
  let time: Duration
  let lines: ScriptResults
  /// The reason why the script did not begin, or was ended from outside.
  let obstacle: CommandError?
  var hasBegun = true
}

/// The results so far; they outlive a run that is ended from outside.
final class ResultStore: Sendable {
  /// Without a report nothing is kept: a script may be repeated for days.
  private let isKept: Bool
  private let results = Lock<[DeviceResult]>([])

  init(isKept: Bool) { self.isKept = isKept }

  func add(_ result: DeviceResult) { if isKept { results.withLock { $0.append(result) } } }

  /// The results, sorted by device and repetition.
  var all: [DeviceResult] {
    results.withLock(\.self).sorted { ($0.device, $0.repetition) < ($1.device, $1.repetition) }
  }

  /// Adds a device on which the script did not begin.
  func addObstacle(_ error: any Error, _ device: String, on host: String?, since start: Timestamp) {
    add(
      DeviceResult(
        device: device, repetition: 1, start: start, time: .zero, lines: ScriptResults(),
        obstacle: Self.understood(error, device, on: host), hasBegun: false))
  }

  /// Turns an error into what a report shows.
  static func understood(_ error: any Error, _ device: String, on host: String?) -> CommandError {
    if !Task.isCancelled, let known = ErrorReport.understood(error, device: device, on: host) { return known }
    return .endedFromOutside
  }
}

extension CommandError {
  /// The outcome of a run, and of its last step, that a signal or closed output has ended.
  static let endedFromOutside = CommandError(status: .failed, message: "the run was ended from outside")
}
