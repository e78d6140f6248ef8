// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import DBus
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

  func run(in session: Session) async throws {
    let probe = BusProbe(
      address: try await session.busAddress(), loop: session.loop, timeout: session.timeout,
      logger: session.logger)
    var facts = try await session.showingProgress("asking the bus") { await probe.facts() }
    facts.isOurSimulation = common.simulate
    facts.host = try common.wantedHosts().first?.description
    let diagnosis = Diagnosis(machine: .read(), bus: facts, wantedAdapter: session.wantedAdapter)
    try Task.checkCancellation()
    let findings = diagnosis.findings
    try show(findings, session.console)
    if let worst = findings.first(where: { $0.status == .fail }) {
      throw CommandError(
        status: .unavailable, message: "cannot use Bluetooth: \(worst.message)", hint: worst.fix)
    }
  }

  private func show(_ findings: [Finding], _ console: Console) throws {
    if common.json {
      for finding in findings { try console.write(finding) }
    } else if console.output.isTerminal {
      try console.write(lines: findings.flatMap { DoctorCommand.lines($0, console.output.style) })
    } else {
      try console.write(
        lines: findings.map {
          TabSeparated.line([$0.status.rawValue, $0.check.rawValue, $0.message, $0.fix ?? ""])
        })
    }
  }

  private static func lines(_ finding: Finding, _ style: Style) -> [String] {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let color: TextStyle =
      switch finding.status {
      case .ok: .green
      case .warn: .yellow
      case .fail: .red
      }
    let status =
      style.apply(color, to: finding.status.rawValue) + padded("", 6 - finding.status.rawValue.count)
    let line = status + padded(finding.check.rawValue, 12) + TerminalSafe.escaped(finding.message)
    guard let fix = finding.fix else { return [line] }
    return [line, padded("", 18) + "→ " + style.apply(.bold, to: TerminalSafe.escaped(fix))]
  }
}
