// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlSession
internal import Doctor
internal import TerminalOutput

struct DoctorCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check all that Bluetooth needs, and print a fix for each failure.",
    discussion: """
      blectl doctor --simulate
      blectl doctor --json --simulate

      It changes and starts nothing. Each line is ok, warn or fail; the status is 3 if any line is fail.
      """)

  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let probe = BusProbe(
      address: try await context.bus.busAddress(), loop: context.loop, timeout: context.timeout,
      logger: context.logger)
    var facts = try await context.showingProgress("asking the bus") { await probe.facts() }
    facts.isOurSimulation = common.simulate
    facts.host = try context.options.wantedHosts().first?.description
    let diagnosis = Diagnosis(machine: .read(), bus: facts, wantedAdapter: context.options.wantedAdapter)
    try Task.checkCancellation()
    let findings = diagnosis.findings
    try show(findings, context.console)
    if let worst = findings.first(where: { $0.status == .fail }) {
      throw CommandError(
        status: .unavailable, message: "cannot use Bluetooth: \(worst.message)", hint: worst.fix)
    }
  }

  private func show(_ findings: [Finding], _ console: Console) throws {
    if common.json {
      for finding in findings { try console.write(finding) }
    } else if console.output.isTerminal {
      let width = console.output.size?.columns
      try console.write(
        lines: findings.flatMap { FindingText.lines($0, width: width, style: console.output.style) })
    } else {
      try console.write(
        lines: findings.map {
          TabSeparated.line([$0.status.rawValue, $0.check.rawValue, $0.message, $0.fix ?? ""])
        })
    }
  }
}
