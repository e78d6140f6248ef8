// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ScriptLanguage

/// What has become of each line of a script.
struct ScriptResults: Sendable {
  /// The runs of one line: a line of a loop has several.
  struct Line: Sendable {
    var runs = 0
    var time = Duration.zero
    var failure: CommandError?
  }

  private(set) var lines: [Int: Line] = [:]
  private(set) var firstFailure: CommandError?
  private(set) var failureCount = 0
  private(set) var runs = 0

  mutating func add(_ line: ScriptLine, taking time: Duration, failure: CommandError?) {
    runs += 1
    var result = lines[line.place.line] ?? Line()
    result.runs += 1
    result.time += time
    result.failure = result.failure ?? failure
    lines[line.place.line] = result
    if let failure { add(failure) }
  }

  /// Adds the failure of a statement that is no step.
  mutating func add(_ failure: CommandError) {
    firstFailure = firstFailure ?? failure
    failureCount += 1
  }
}

/// One run of a script on one device, for reports.
struct DeviceResult: Sendable {
  /// The address; what the user typed, if the device was not found.
  let device: String
  /// The number of the run, from 1.
  let repetition: Int
  let start: Timestamp
  let time: Duration
  let lines: ScriptResults
  /// Why the script did not begin, such as a device that cannot be connected to.
  let obstacle: CommandError?
}
