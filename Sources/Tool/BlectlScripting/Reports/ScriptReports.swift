// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// The reports of a run for other programs: JUnit and TAP.
///
/// A test case is a line of the script on one device; a line of a loop has failed if it failed once.
struct ScriptReports {
  private let junit: AtomicFile?
  private let isTAP: Bool
  private let console: Console

  /// Removes an old JUnit report, which a reader would take for that of this run.
  ///
  /// - Throws: ``CommandError`` if the JUnit file could not be written later.
  init(junit path: String?, tap isTAP: Bool, console: Console) throws(CommandError) {
    self.isTAP = isTAP
    self.console = console
    do throws(OutputError) {
      junit = if let path { try AtomicFile(path: path) } else { nil }
      try junit?.remove()
    } catch {
      throw Self.failure(path ?? "", error)
    }
  }

  var areWanted: Bool { isTAP || junit != nil }

  private static func failure(_ path: String, _ error: OutputError) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(TerminalSafe.escaped(path)): \(error)")
  }

  /// Prints the first line of a TAP report, before any output of a step.
  func begin() throws(ConsoleError) { if isTAP { try console.write(line: TAPReport.version) } }

  func write(_ results: [DeviceResult], of loaded: LoadedScript) throws {
    let suites = results.map { TestSuite($0, of: loaded) }
    try writeFile(suites, loaded.name)
    if isTAP { try console.write(lines: TAPReport.lines(suites)) }
  }

  private func writeFile(_ suites: [TestSuite], _ name: String) throws(CommandError) {
    guard let junit else { return }
    do throws(OutputError) {
      try junit.write(Array(JUnitReport.text(suites, name: name).utf8))
    } catch {
      throw Self.failure(junit.path, error)
    }
  }
}

/// One run of a script on one device, as test cases.
struct TestSuite {
  struct Case {
    enum Outcome {
      case passed
      case failed(CommandError)
      /// The script did not begin, or was ended from outside.
      case broken(CommandError)
      /// The script ended before this line.
      case skipped
    }

    /// The line and its text: `4: expect ffe2 9f54??`.
    let name: String
    let time: Duration
    let outcome: Outcome
  }

  let result: DeviceResult
  let script: String
  let cases: [Case]

  init(_ result: DeviceResult, of loaded: LoadedScript) {
    self.result = result
    script = loaded.name
    let lines = loaded.script.steps.map { line in
      let run = result.lines.lines[line.place.line]
      let isInterrupted = result.lines.interruptedLine == line.place.line
      return Case(
        name: "\(line.place.line): \(line.source)", time: run?.time ?? .zero,
        outcome: isInterrupted
          ? .broken(.endedFromOutside)
          : run.map { $0.failure.map(Case.Outcome.failed) ?? .passed } ?? .skipped)
    }
    // The step that was under way says it.
    let isSaid = result.lines.interruptedLine != nil
    let obstacle = (isSaid ? nil : result.obstacle).map {
      [Case(name: result.hasBegun ? "end" : "connect", time: result.time, outcome: .broken($0))]
    }
    cases = result.hasBegun ? lines + (obstacle ?? []) : (obstacle ?? []) + lines
  }

  func count(_ isCounted: (Case.Outcome) -> Bool) -> Int { cases.count { isCounted($0.outcome) } }
}

extension TestSuite.Case.Outcome {
  var failure: CommandError? {
    switch self {
    case .failed(let error), .broken(let error): error
    case .passed, .skipped: nil
    }
  }
  var isBroken: Bool { if case .broken = self { true } else { false } }
  var isSkipped: Bool { if case .skipped = self { true } else { false } }
}
