// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import Doctor
internal import TerminalOutput

struct DoctorCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", _superCommandName: Blectl.name,
    abstract: "Check Bluetooth, or one device, and print what helps.",
    discussion: """
      blectl doctor --simulate
      blectl doctor --json --simulate
      blectl doctor 'Heart Strap' --simulate

      Without a device, it changes and starts nothing. Each line is ok, warn or fail; the status is 3 if any line is fail.

      With a device, it makes one attempt to use it: it listens, connects, reads some values and disconnects, and prints \
      each step and how long it took. At the end it prints the likely causes of what went wrong, the evidence, and what \
      helps; the status is then 1, or 3 if Bluetooth is not available. What is warn does not keep the device from being used.
      """)

  @Argument(
    help: "A device: its address, its name, a pattern such as 'MI Band*', or part of the name.",
    completion: LiveCompletion.device, transform: DeviceArgument.init(parsing:))
  var device: DeviceArgument?
  @Option(
    help: ArgumentHelp("Which device to take if several match: strongest or first.", valueName: "which"),
    completion: .list(PickRule.allWords), transform: { try PickRule(word: $0, of: "rule") })
  var pick: PickRule?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  var deviceText: String? { device?.description }

  func validate() throws {
    if pick != nil, device == nil { throw ValidationError("--pick needs a device.") }
  }

  func run(in context: CommandContext) async throws {
    if let device { return try await DeviceCheckup(device: device, pick: pick).run(in: context) }
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
