// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// The command that is run for records.
struct ExecOptions: ParsableArguments {
  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp("Run this shell command for each record instead of printing it.", valueName: "cmd"))
  var command: String?
  @Option(help: ArgumentHelp("Run up to this many commands of --exec at once. (default: 1)", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...64).contains(jobs) {
      throw ValidationError("--jobs must be between 1 and 64, not \(jobs).")
    }
    if jobs != nil, command == nil { throw ValidationError("--jobs needs --exec.") }
  }
}
