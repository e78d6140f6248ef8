// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession

/// The serial port of a device, over one link.
final class DeviceSerial: SerialPeer {
  /// How many writes with response are given to the library at once.
  private static let writesAtOnce = 16

  private let link: DeviceConnection
  private let values: Notifications
  private let granted: Notifications?
  private let credits: SerialCredits?
  private let inbound: ByteQueue
  private let type: WriteType
  private let packetSize: Int
  private let context: CommandContext
  let ends: SerialEnds

  private init(
    _ link: DeviceConnection, _ ends: SerialEnds, _ values: Notifications, granted: Notifications?,
    _ inbound: ByteQueue, isConfirmed: Bool, _ context: CommandContext
  ) {
    (self.link, self.ends, self.values, self.granted) = (link, ends, values, granted)
    (self.inbound, self.context) = (inbound, context)
    credits = ends.credits.map { SerialCredits($0.rules) }
    let properties = ends.rx.properties
    let needsResponse = !properties.contains(.writeWithoutResponse)
    type = needsResponse || (isConfirmed && properties.contains(.write)) ? .withResponse : .withoutResponse
    packetSize = max(1, min((ends.rx.mtu ?? 23) - 3, link.info.longestWrite))
  }

  /// Finds the port, and subscribes to it.
  ///
  /// Received bytes go to `inbound`: a device gets credits for what fits into it. `isConfirmed` writes with response
  /// where the device has the choice.
  static func open(
    _ choice: SerialChoice, over link: DeviceConnection, into inbound: ByteQueue,
    via transport: NotificationTransport, isConfirmed: Bool, in context: CommandContext
  ) async throws -> DeviceSerial {
    let ends: SerialEnds
    if let named = choice.named {
      let found = try await link.characteristics(named)
      ends = try SerialChoice.checked(rx: found[0], tx: found[1], of: link.info.address)
    } else {
      ends = try SerialChoice.known(in: try await link.services(), of: link.info.address)
    }
    // A device that gets no subscription to its credits before that to the bytes does without them.
    let granted: Notifications? =
      if let credits = ends.credits { try await subscribe(to: credits.tx, via: .signal, link, context) } else
      { nil }
    let values = try await subscribe(to: ends.tx, via: try await link.possible(transport), link, context)
    return DeviceSerial(link, ends, values, granted: granted, inbound, isConfirmed: isConfirmed, context)
  }

  private static func subscribe(
    to characteristic: GATTCharacteristic, via transport: NotificationTransport, _ link: DeviceConnection,
    _ context: CommandContext
  ) async throws -> Notifications {
    let timeout = context.timeout
    return try await context.showingProgress("subscribing to \(characteristic.uuid)") {
      try await link.request {
        try await link.peripheral.notifications(for: characteristic, via: transport, timeout: timeout)
      }
    }
  }

  /// When the link was lost, if it was.
  var end: Moment? { values.end }

  // MARK: Receiving

  func receive(_ deliver: @escaping @Sendable ([[UInt8]]) -> Void) async throws {
    var bodies: [@Sendable () async throws -> Void] = [{ try await self.receiveValues(deliver) }]
    if let granted, let credits {
      bodies += [
        { try await self.receiveCredits(granted, credits) }, { try await self.grantCredits(credits) },
      ]
    }
    try await context.loop.race(bodies)
  }

  private func receiveValues(_ deliver: ([[UInt8]]) -> Void) async throws {
    var iterator = values.makeAsyncIterator()
    while let batch = try await iterator.nextBatch() {
      credits?.arrived(batch.elements.count)
      deliver(batch.elements.map(\.value))
    }
  }

  private func receiveCredits(_ granted: Notifications, _ credits: SerialCredits) async throws {
    var iterator = granted.makeAsyncIterator()
    while let batch = try await iterator.nextBatch() {
      guard batch.elements.allSatisfy({ credits.received($0.value) }) else {
        throw CommandError(status: .failed, message: "\(link.info.address) has closed its serial port")
      }
    }
  }

  private func grantCredits(_ credits: SerialCredits) async throws {
    guard let rx = ends.credits?.rx else { return }
    while !Task.isCancelled {
      let due = credits.due(room: inbound.room / packetSize)
      guard due > 0 else {
        await inbound.waitForChange()
        continue
      }
      try await link.peripheral.writeValue(
        [UInt8(due)], for: rx, type: rx.properties.contains(.write) ? .withResponse : .withoutResponse,
        timeout: context.timeout)
    }
  }

  // MARK: Sending

  func room() async throws -> Int? {
    let window =
      type == .withResponse ? DeviceSerial.writesAtOnce : await link.peripheral.writesAtOnce(to: ends.rx)
    guard let credits else { return window * packetSize }
    return await credits.available().map { min($0, window) * packetSize }
  }

  func send(_ bytes: [UInt8]) async -> SendOutcome {
    let packets = stride(from: 0, to: bytes.count, by: packetSize).map {
      Array(bytes[$0..<min($0 + packetSize, bytes.count)])
    }
    let count = Lock(0)
    do {
      try await link.request {
        let done = count.withLock { $0 }
        try await link.peripheral.writeValues(
          Array(packets[done...]), for: ends.rx, type: type, timeout: context.timeout
        ) { arrived in count.withLock { $0 = done + arrived } }
      }
      credits?.spend(packets.count)
      return SendOutcome(arrived: bytes.count)
    } catch {
      let certain = count.withLock { $0 }
      let arrived = min(certain * packetSize, bytes.count)
      let isUncertain = (error as? BLEError)?.mayHaveTakenEffect ?? false
      // A window arrives as a whole, or in parts that are unknown; with responses, only one packet is.
      let rest = type == .withResponse ? min(packetSize, bytes.count - arrived) : bytes.count - arrived
      return SendOutcome(arrived: arrived, uncertain: isUncertain ? rest : 0, failure: error)
    }
  }
}
