// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ConnectCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", _superCommandName: Blectl.name,
    abstract: "Connect to a device; the link stays open afterwards.",
    discussion: """
      blectl connect 'MI Band*' --simulate
      blectl connect F0:F1:F2:F3:F4:F5 --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Flag(help: "Hold the link, and reopen it when it is lost, until Ctrl-C.")
  var stay = false
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  var scriptProblem: String? { stay ? "'--stay' never ends" : nil }

  func run(in context: CommandContext) async throws {
    if stay {
      // A reader that does not read must not keep a lost link from being opened again.
      let outputs = StreamOutputs.ofRecords(in: context)
      return try await outputs.collect { try await stay(with: outputs, in: context) }
    }
    let link = try await open(in: context) { record, info in
      try context.report(record, record.event.rawValue, of: info)
    }
    // The script that opened the link also closes it.
    if context.connection == nil { await link.peripheral.keepLink() }
  }

  /// Opens the link, and reports it.
  private func open(
    in context: CommandContext, _ report: (LinkRecord, PeripheralInfo) throws -> Void
  ) async throws -> DeviceConnection {
    let link = try await DeviceConnection.open(target.choice, in: context)
    if context.connection != nil { try await link.reopen(target.choice) }
    try report(LinkRecord(event: .connected, address: link.info.lastingAddress), link.info)
    if context.options.verbose > 0, let mtu = await link.peripheral.mtu {
      context.remark("the MTU of the link is \(mtu) bytes")
    }
    return link
  }

  private func stay(with outputs: StreamOutputs, in context: CommandContext) async throws {
    func report(_ record: LinkRecord, of info: PeripheralInfo) {
      outputs.send(.link(record))
      if !context.options.json { context.remark(record.event.rawValue, of: info) }
    }
    let link = try await open(in: context, report)
    let reconnector = Reconnector(policy: ReconnectPolicy(), context: context)
    var gap = LinkGap()
    _ = gap.end(at: Moment())
    while true {
      try await waitForLoss(of: link)
      let loss = Moment()
      _ = gap.begin(at: loss)
      let linkEnd = try? await link.peripheral.info.linkEnd
      report(
        LinkRecord(
          event: .disconnected, time: loss.time, address: link.info.lastingAddress,
          reason: linkEnd?.explanation, linkEnd: linkEnd), of: link.info)
      try await reconnector.reopen(link)
      let now = Moment()
      report(
        LinkRecord(
          event: .reconnected, time: now.time, address: link.info.lastingAddress, gapSeconds: gap.end(at: now)
        ),
        of: link.info)
    }
  }

  private func waitForLoss(of link: DeviceConnection) async throws(BLEError) {
    do {
      try await link.peripheral.waitUntilDisconnected()
    } catch  where Reconnector.isHealable(error) {
      // Without the daemon or the bus, the link is lost too.
    }
  }
}

struct DisconnectCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect", _superCommandName: Blectl.name,
    abstract: "Close the link to a device, whoever opened it.",
    discussion: """
      blectl simulate -- sh -c 'blectl connect Piano; blectl disconnect Piano'
      blectl simulate -- sh -c 'blectl connect Piano; blectl disconnect Piano -q'
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var step: ScriptStep { .disconnect(self) }

  func run(in context: CommandContext) async throws {
    let info = try await target.locator(in: context)
      .known(for: "disconnect from", hint: "blectl devices --connected")
    let timeout = context.timeout
    try await context.showingProgress("disconnecting") {
      try await info.peripheral.disconnect(timeout: timeout)
    }
    try context.report(
      LinkRecord(event: .disconnected, address: info.lastingAddress), "disconnected", of: info)
  }
}
