// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlScripting
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ConnectCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "Connect to a device; the link stays open after the command ends.",
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
    let link = try await DeviceConnection.open(target.choice, in: context)
    if context.connection != nil { try await link.reopen(target.choice) }
    try report(.connected, link.info, context)
    if context.options.verbose > 0, let mtu = await link.peripheral.mtu {
      context.remark("the MTU of the link is \(mtu) bytes")
    }
    guard stay else {
      // The script that opened the link also closes it.
      if context.connection == nil { await link.peripheral.keepLink() }
      return
    }
    let reconnector = Reconnector(policy: ReconnectPolicy(), context: context)
    var gap = LinkGap()
    _ = gap.end()
    while true {
      try await waitForLoss(of: link)
      _ = gap.begin(at: Moment())
      let linkEnd = try? await link.peripheral.info.linkEnd
      try report(.disconnected, link.info, context, linkEnd: linkEnd)
      try await reconnector.reopen(link)
      try report(.reconnected, link.info, context, gapSeconds: gap.end())
    }
  }

  private func waitForLoss(of link: DeviceConnection) async throws {
    do {
      try await link.peripheral.waitUntilDisconnected()
    } catch  where Reconnector.isHealable(error) {
      // Without the daemon or the bus, the link is lost too.
    }
  }

  private func report(
    _ event: LinkRecord.Event, _ info: PeripheralInfo, _ context: CommandContext, gapSeconds: Double? = nil,
    linkEnd: LinkEndReason? = nil
  ) throws {
    let record = LinkRecord(
      event: event, address: info.lastingAddress, reason: linkEnd?.explanation, linkEnd: linkEnd,
      gapSeconds: gapSeconds)
    try context.report(record, event.rawValue, of: info)
  }
}

struct DisconnectCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect", abstract: "Close the link to a device, even if another program opened it.",
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
