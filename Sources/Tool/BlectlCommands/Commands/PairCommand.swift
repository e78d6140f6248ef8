// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct PairCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", _superCommandName: Blectl.name,
    abstract: "Pair with a device, so that links to it are encrypted.",
    discussion: """
      blectl pair 'Heart Strap' --simulate
      blectl pair 'Heart Strap' --yes --json --simulate

      On a terminal, it asks for the passkey, or whether two numbers are the same. Without one, it completes only pairings \
      that need no answer, or that the options answer. With --json, it prints a record for each question, and reads the \
      answers from standard input: yes, no, or digits. --timeout limits finding and connecting; a question adds 25 s.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var pairing: PairingOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let outputs = StreamOutputs.ofRecords(in: context)
    let dialogue = PairingDialogue(
      pairing.answers, PairingDialogue.channel(of: context), context: context, send: outputs.send)
    try await outputs.collect { try await pair(using: dialogue, in: context) }
  }

  private func pair(using dialogue: PairingDialogue, in context: CommandContext) async throws {
    let report = PairingReport(context: context, dialogue: dialogue)
    do {
      let (info, outcome) = try await DeviceConnection.find(
        target.choice, in: context, within: context.timeout
      ) {
        info, remaining in
        dialogue.permit(info.peripheral)
        let limit = remaining.map { $0 + dialogue.answerTime }
        return try await context.showingProgress("pairing with \(info.name ?? "\(info.address)")") {
          try await info.peripheral.pair(using: dialogue, timeout: limit)
        }
      }
      report.paired(info, outcome.method)
    } catch let error as BLEError where error.code != .cancelled {
      throw report.explained(error, device: "\(target.device)")
    }
  }
}

struct AgentCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent", _superCommandName: Blectl.name,
    abstract: "Answer pairings that devices or other programs begin.",
    discussion: """
      blectl agent --yes --trust --duration 200ms --simulate
      blectl agent --capability display-only --json --duration 200ms --simulate

      It takes the place of the default agent, such as the desktop's, until it ends. Questions and answers are those of \
      'blectl pair'; a question that no person can answer is refused. Pairings that another program begins and answers are reported, too. \
      It goes on when bluetoothd restarts.
      """)

  @OptionGroup var pairing: PairingOptions
  @Flag(help: "Also trust each device that has paired.")
  var trust = false
  @Option(
    help: ArgumentHelp("How long to answer; 0 is no limit. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @Option(help: ArgumentHelp("End after this many pairings.", valueName: "n"))
  var count: Int?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run(in context: CommandContext) async throws {
    let central = try await context.bus.central()
    let outputs = StreamOutputs.ofRecords(in: context)
    let dialogue = PairingDialogue(
      pairing.answers, PairingDialogue.channel(of: context), reportsRefusals: true, context: context,
      send: outputs.send)
    let events = await central.events()
    let report = PairingReport(context: context, dialogue: dialogue)
    let follower = PairingFollower(
      events: events, dialogue: dialogue, report: report, trusts: trust, count: count ?? .max)
    let limit = duration.limit
    try await outputs.collect {
      try await context.loop.limited(to: limit) {
        // The first to end, by its count or an error, ends all.
        try await context.loop.race(
          {
            try await central.answerPairings(using: dialogue) {
              context.remark("answering pairings; press Ctrl-C to stop")
            }
          }, { try await follower.run() })
      }
    }
  }
}

extension StreamOutputs {
  fileprivate func send(_ record: PairingRecord) {
    send(.record(LoggedRecord(record, about: .device(record.address))))
  }
}

/// Reports the devices that pair while our agent is registered, mostly after asking it.
private struct PairingFollower: Sendable {
  let events: CentralEvents
  let dialogue: PairingDialogue
  let report: PairingReport
  let trusts: Bool
  let count: Int

  func run() async throws {
    var left = count
    for try await event in events {
      // Questions from before the end of the link say nothing about the next pairing.
      if case .disconnected(let info) = event.kind { dialogue.takeMethod(of: info.peripheral) }
      guard case .changed(let info, let fields) = event.kind, fields.contains(.paired), info.isPaired else {
        continue
      }
      report.paired(info, dialogue.takeMethod(of: info.peripheral))
      if trusts { try await trust(info) }
      left -= 1
      if left == 0 { return }
    }
  }

  private func trust(_ info: PeripheralInfo) async throws {
    do {
      try await info.peripheral.setTrusted(true)
    } catch {
      if error.code == .cancelled { throw error }
      report.context.console.warn(error.description)
    }
  }
}
