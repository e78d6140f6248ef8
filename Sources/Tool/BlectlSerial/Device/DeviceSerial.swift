// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession

/// The serial port of a device, over one link.
final class DeviceSerial: SerialPeer {
  private let link: DeviceConnection
  private let values: Notifications
  private let granted: Notifications?
  private let credits: SerialCredits?
  private let inbound: ByteQueue
  private let writer: PacketWriter
  /// True if the device answers for the first packet, and so refuses what it does not take.
  var isAcknowledged: Bool { writer.isAcknowledged }
  private let patience: Duration?
  private let context: CommandContext
  let ends: SerialEnds

  private init(
    _ link: DeviceConnection, _ ends: SerialEnds, _ values: Notifications, granted: Notifications?,
    _ inbound: ByteQueue, isConfirmed: Bool, patience: Duration?, _ context: CommandContext
  ) throws(CommandError) {
    (self.link, self.ends, self.values, self.granted) = (link, ends, values, granted)
    (self.inbound, self.patience, self.context) = (inbound, patience, context)
    credits = ends.credits.map { SerialCredits($0.rules) }
    writer = try PacketWriter(ends.rx, over: link, isConfirmed: isConfirmed, in: context)
  }

  /// Finds the port, and subscribes to it.
  ///
  /// Received bytes go to `inbound`: a device gets credits for what fits into it. `isConfirmed` writes with response
  /// where the device has the choice. `patience` limits how long the device may grant no credit; nil sets no limit.
  static func open(
    _ choice: SerialChoice, over link: DeviceConnection, into inbound: ByteQueue,
    via transport: NotificationTransport, isConfirmed: Bool, patience: Duration? = nil,
    in context: CommandContext
  ) async throws -> DeviceSerial {
    let ends: SerialEnds
    if let named = choice.named {
      let found = try await link.characteristics(named)
      ends = try SerialChoice.checked(
        rx: found[0], tx: found[1], in: try await link.services(), of: link)
    } else {
      ends = try SerialChoice.known(in: try await link.services(), of: link)
    }
    // A device that gets no subscription to its credits before that to the bytes does without them.
    let granted: Notifications? =
      if let credits = ends.credits { try await subscribe(to: credits.tx, via: .signal, link, context) } else
      { nil }
    let values = try await subscribe(to: ends.tx, via: try await link.possible(transport), link, context)
    return try DeviceSerial(
      link, ends, values, granted: granted, inbound, isConfirmed: isConfirmed, patience: patience, context)
  }

  private static func subscribe(
    to characteristic: GATTCharacteristic, via transport: NotificationTransport, _ link: DeviceConnection,
    _ context: CommandContext
  ) async throws -> Notifications {
    try await context.showingProgress("subscribing to \(characteristic.title)") {
      try await link.notifications(of: characteristic, via: transport)
    }
  }

  /// The time when the link was lost, if it was.
  var end: Moment? { values.end }

  // MARK: Receiving

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) async -> Void) async throws {
    var bodies: [@Sendable () async throws -> Void] = [{ try await self.receiveValues(deliver) }]
    if let granted, let credits {
      bodies += [
        { try await self.receiveCredits(granted, credits) }, { try await self.grantCredits(credits) },
      ]
    }
    try await context.loop.race(bodies)
  }

  private func receiveValues(_ deliver: ([[UInt8]]) async -> Void) async throws {
    var iterator = values.makeAsyncIterator()
    while let batch = try await iterator.nextBatch() {
      credits?.arrived(batch.elements.count)
      await deliver(batch.elements.map(\.value))
    }
  }

  private func receiveCredits(_ granted: Notifications, _ credits: SerialCredits) async throws {
    var iterator = granted.makeAsyncIterator()
    while let batch = try await iterator.nextBatch() {
      guard batch.elements.allSatisfy({ credits.received($0.value) }) else {
        throw CommandError(status: .failed, message: "\(link.title) has closed its serial port")
      }
    }
  }

  private func grantCredits(_ credits: SerialCredits) async throws {
    guard let rx = ends.credits?.rx else { return }
    while !Task.isCancelled {
      let due = credits.due(room: inbound.room / writer.packetSize)
      guard due > 0 else {
        await inbound.waitForChange()
        continue
      }
      try await link.peripheral.writeValue(
        [UInt8(due)], for: rx, type: rx.surestWriteType, timeout: context.timeout)
    }
  }

  func confirm() async throws { try await link.confirmChannels() }

  // MARK: Sending

  func send(from queue: ByteQueue, _ report: @escaping @Sendable (SerialDelivery) -> Void) async throws {
    let packets = SerialPackets(
      of: writer.packetSize, from: queue, permittedBy: credits, patience: patience, on: context.loop)
    let outcome = await writer.send(from: packets, longest: writer.packetSize) {
      report(SerialDelivery(arrived: packets.arrived($0)))
    }
    guard let failure = outcome.failure else {
      guard packets.hasStalled else { return }
      throw CommandError(
        status: .timedOut,
        message: "cannot send to \(link.title): the device took nothing more before the timeout")
    }
    if outcome.uncertain > 0 { report(SerialDelivery(uncertain: packets.bytes(ofFirst: outcome.uncertain))) }
    throw failure
  }
}
