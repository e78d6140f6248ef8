// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
package import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// The serial port of a device and a near end, from the first link to the last.
package struct SerialSession: Sendable {
  /// The options of the session.
  package struct Options: Sendable {
    package var choice = SerialChoice()
    /// The L2CAP channel that carries the bytes instead of characteristics.
    package var psm: UInt16?
    /// The transport by which received bytes reach this process.
    package var transport = NotificationTransport.signal
    /// Writes with response where the device has the choice.
    package var isConfirmed = false
    /// The maximum number of bytes that wait in each direction.
    package var limit = 1 << 20
    /// Drops what is written while there is no link.
    package var drops = false
    /// The longest time for which the device may accept nothing of the data to send; nil sets no limit.
    package var patience: Duration?
    /// The time without received bytes that must pass after the end of the input; nil goes on.
    package var quiet: Duration? = .zero

    package init() {}
  }

  private let device: DeviceChoice
  private let options: Options
  private let port: any SerialPort
  private let reconnector: Reconnector?
  private let pairing: PairingOnDemand?
  private let pump: BytePump
  /// Tells one of several devices in messages; nil for the only one.
  private let name: String?
  /// True if a device took bytes for which it answers nothing.
  private let hasHandedOver = Lock(false)
  /// Get the records of links.
  private let outputs: StreamOutputs?
  private let context: CommandContext

  /// A nil `reconnector` gives up lost links; `format` makes what the near end gets of a packet; `outputs` get the records
  /// of links; `name` begins messages where there are several devices.
  package init(
    _ device: DeviceChoice, _ options: Options, named name: String? = nil, to port: any SerialPort,
    reconnector: Reconnector?,
    pairing: PairingOnDemand?, format: @escaping @Sendable ([UInt8]) -> [UInt8],
    reportingTo outputs: StreamOutputs? = nil, in context: CommandContext
  ) {
    (self.device, self.options, self.port) = (device, options, port)
    (self.reconnector, self.pairing, self.outputs, self.context) = (reconnector, pairing, outputs, context)
    self.name = name
    pump = BytePump(limit: options.limit, format: format) { [console = context.console] text in
      console.warn(Self.named(name, text))
    }
  }

  private static func named(_ name: String?, _ text: String) -> String {
    name.map { "\($0): \(text)" } ?? text
  }

  /// Runs until the input and what follows it has ended, or the link is lost for good; says what was lost.
  ///
  /// The first link is `link`, if there is one already.
  package func run(
    over link: DeviceConnection? = nil, _ progress: MemberProgress? = nil,
    _ began: @escaping @Sendable (PeripheralInfo, String) -> Void = { _, _ in }
  ) async throws {
    let exchange = PortExchange(port, pump, drops: options.drops)
    defer { sayCounts(exchange.remaining) }
    try await exchange.run(on: context.loop) { [self] in
      let first = if let link { link } else { try await open() }
      try await run(over: first, progress, exchange, began)
    }
  }

  private func open() async throws -> DeviceConnection {
    if let reconnector { return try await reconnector.open(device, pairing: pairing) }
    return try await DeviceConnection.open(device, in: context, pairing: pairing)
  }

  private func run(
    over link: DeviceConnection, _ progress: MemberProgress?, _ exchange: PortExchange,
    _ began: @escaping @Sendable (PeripheralInfo, String) -> Void
  ) async throws {
    let keeper = LinkKeeper(reconnector, in: context, progress) { [outputs] in outputs?.send(.link($0)) }
    try await keeper.run(over: link) { gap, end in
      let isFirst = gap.isFirst
      if let psm = options.psm {
        let peer = try await channelPort(psm, over: link)
        defer { end = peer.end }
        exchange.begin()
        if isFirst { began(link.info, "L2CAP channel \(psm)") }
        keeper.began(over: link, &gap)
        return try await pump.run(over: peer, quiet: options.quiet, on: context.loop)
      }
      let peer = try await DeviceSerial.open(
        options.choice, over: link, into: pump.inbound, via: options.transport,
        isConfirmed: options.isConfirmed, patience: options.patience, in: context)
      defer { end = peer.end }
      if !peer.isAcknowledged { _ = hasHandedOver.exchange(true) }
      exchange.begin()
      if isFirst { began(link.info, peer.ends.name) }
      keeper.began(over: link, &gap)
      try await pump.run(over: peer, quiet: options.quiet, on: context.loop)
    }
  }

  private func channelPort(_ psm: UInt16, over link: DeviceConnection) async throws -> ChannelSerial {
    let channel = try await link.openChannel(psm, in: context)
    return ChannelSerial(
      channel, patience: options.patience, confirming: { _ = try await link.confirmChannels() },
      endsWith: { await link.endOfChannel(psm) })
  }

  private func sayCounts(_ remaining: (unsent: Int, unread: Int)) {
    let counts = pump.counts
    guard counts != SerialCounts() || remaining.unsent > 0 else { return }
    var losses: [String] = []
    if counts.uncertain > 0, !pump.hasSaidUncertain {
      losses.append("\(counts.uncertain.bytes) may not have arrived")
    }
    if counts.dropped > 0 { losses.append("\(counts.dropped.bytes) of the received ones were dropped") }
    if counts.refused > 0 { losses.append("\(counts.refused.bytes) came without a link and were dropped") }
    if remaining.unsent > 0 { losses.append("\(remaining.unsent.bytes) were not sent") }
    if remaining.unread > 0 { losses.append("\(remaining.unread.bytes) of the received ones were not read") }
    let verb = hasHandedOver.withLock { $0 } ? "handed over" : "sent"
    context.remark(Self.named(name, "\(verb) \(counts.sent.bytes), received \(counts.received.bytes)"))
    for loss in losses { context.console.warn(Self.named(name, loss)) }
  }
}
