// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
package import BlectlSession

/// A run of a script, as `blectl run` asks for it.
package struct ScriptRun: Sendable {
  /// `-` is standard input.
  package var path = "-"
  /// The variables of `--set`.
  package var overrides: [String: String] = [:]
  package var repetitions = 1
  package var keepsGoing = false
  package static let usualJobs = DeviceJobs.usualCount
  /// On how many of all devices that match the script runs at once; nil runs it on one only.
  package var jobs: Int?
  package var junit: String?
  /// True if a TAP report is printed; the output of the steps becomes its comments.
  package var isTAP = false
  /// The file of the record.
  package var record: String?
  /// The record to check the script against, without Bluetooth.
  package var checkOnly: String?

  /// The hint of the error about a script without commands.
  package var hintIfEmpty: String?

  package init() {}

  /// Runs the script, and writes the reports.
  ///
  /// - Throws: ``CommandError`` about the script, a file, or the steps that failed; `CancellationError`.
  package func perform(
    on target: DeviceChoice, _ grammar: any ScriptGrammar, in context: CommandContext
  ) async throws {
    let reports = try ScriptReports(junit: junit, tap: isTAP, console: context.console)
    let loaded = try LoadedScript(
      ValueSource.content(of: path, most: LoadedScript.longest), named: path == "-" ? "stdin" : path, grammar,
      overriding: overrides, onSeveral: jobs != nil, context.options,
      hintIfEmpty: hintIfEmpty)
    try reports.begin()
    let plan = ScriptPlan(
      loaded: loaded, repetitions: repetitions, keepsGoing: keepsGoing, isTAP: isTAP,
      results: ResultStore(isKept: reports.areWanted))
    let start = Timestamp.now
    let failure: CommandError?
    do {
      failure = try await perform(plan, on: target, in: context)
    } catch {
      // The report has the results so far.
      if plan.results.all.isEmpty {
        plan.results.addObstacle(error, "\(target.device)", on: context.options.onlyHost, since: start)
      }
      try? reports.write(plan.results.all, of: loaded)
      throw error
    }
    try reports.write(plan.results.all, of: loaded)
    if let failure { throw failure }
  }

  private func perform(
    _ plan: ScriptPlan, on target: DeviceChoice, in context: CommandContext
  ) async throws -> CommandError? {
    if let checkOnly {
      let records = try DeviceRecords(path: checkOnly)
      return try await RecordVerifier(records: records, plan: plan, context: context).run(target.device)
    }
    return try await ScriptRunner(plan, target, context).run(
      onAllWith: jobs, recordingTo: record)
  }
}
