// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BlectlArguments
internal import Logging
internal import ValueStreams

/// The values of some characteristics of one device, on their way to the outputs.
package final class DeviceStream: Sendable {
  private let wanted: [CharacteristicArgument]
  private let transport: NotificationTransport
  package let left: RemainingValues
  private let time: CollectingTime?
  private let outputs: StreamOutputs
  private let reconnector: Reconnector?
  private let context: CommandContext

  /// `left` is for all devices; a nil `time` is no limit, a nil `reconnector` gives up lost links.
  package init(
    _ wanted: [CharacteristicArgument], via transport: NotificationTransport, left: RemainingValues,
    time: CollectingTime?,
    reconnector: Reconnector?, outputs: StreamOutputs, context: CommandContext
  ) {
    self.wanted = wanted
    self.transport = transport
    self.left = left
    self.time = time
    self.reconnector = reconnector
    self.outputs = outputs
    self.context = context
  }

  /// Subscribes, and sends the values to the outputs, until enough have come, or the link is lost for good.
  package func run(over link: DeviceConnection) async throws {
    var gap = LinkGap()
    let notice = RetryNotice()
    while true {
      var end: Moment?
      do {
        return try await listen(to: link, &gap, &end)
      } catch {
        let end = end ?? Moment()
        guard let reason = (error as? BLEError)?.message ?? (error as? CommandError)?.message else {
          throw error
        }
        if gap.begin(at: end) {
          report(
            LinkRecord(
              event: .disconnected, time: end.time, address: link.info.address, reason: reason,
              linkEnd: (error as? BLEError)?.linkEnd))
        }
        // A characteristic that is missing after a link was reopened may still come with the other services.
        guard let reconnector, Reconnector.isHealable(error) || gap.isHealing && error is CommandError else {
          throw error
        }
        if gap.isFirst { notice.say("\(link.info.address): \(reason)", in: context) }
        try await reconnector.pause(in: gap, after: error)
        try await reconnector.reopen(link, after: gap.length)
      }
    }
  }

  private func report(_ record: LinkRecord) {
    outputs.send(.link(record))
    guard !context.options.json, reconnector != nil || record.event == .reconnected else { return }
    let why = record.reason.map { ": \($0)" } ?? record.gapSeconds.map { " after \($0) s" } ?? ""
    context.remark("\(record.address) \(record.event.rawValue)\(why)")
  }

  /// Subscribes, and listens until enough values have come; sets `end` to the time of the loss, if known.
  private func listen(to link: DeviceConnection, _ gap: inout LinkGap, _ end: inout Moment?) async throws {
    var sources: [(GATTCharacteristic, Notifications)] = []
    let transport = try await possibleTransport()
    let all = try await link.services().flatMap(\.characteristics)
    for characteristic in try await DeviceStream.unique(link.characteristics(wanted)) {
      sources.append((characteristic, try await subscribe(characteristic, via: transport, link)))
    }
    time?.begin()
    context.observer?.subscribed(to: sources.map(\.0))
    let event: LinkRecord.Event = gap.isFirst ? .connected : .reconnected
    report(
      LinkRecord(
        event: event, address: link.info.address, gapSeconds: gap.end(),
        characteristics: sources.map(\.0.uuid)))
    let info = link.info
    defer { end = sources.compactMap(\.1.end).min() }
    // The first to end, by its count or its error, ends all.
    try await context.loop.race(
      sources.map { characteristic, notifications in
        let origin = ValueOrigin(
          info, characteristic, via: transport == .socket ? .socket : .signal,
          hasTwin: all.contains { $0.uuid == characteristic.uuid && $0.id != characteristic.id })
        return { try await self.forward(notifications, of: origin) }
      })
  }

  /// Each characteristic once: even one that was named twice has each value once.
  private static func unique(_ characteristics: [GATTCharacteristic]) -> [GATTCharacteristic] {
    var seen: Set<String> = []
    return characteristics.filter { seen.insert($0.id).inserted }
  }

  /// The wanted transport, or signals where the bus cannot pass sockets.
  private func possibleTransport() async throws -> NotificationTransport {
    guard transport == .socket, try await !context.bus.central().carriesSockets else { return transport }
    context.logger.info("sockets cannot cross ssh: the values come as signals")
    return .signal
  }

  private func subscribe(
    _ characteristic: GATTCharacteristic, via transport: NotificationTransport, _ link: DeviceConnection
  ) async throws -> Notifications {
    let timeout = context.timeout
    return try await context.showingProgress("subscribing to \(characteristic.uuid)") {
      try await link.request {
        try await link.peripheral.notifications(for: characteristic, via: transport, timeout: timeout)
      }
    }
  }

  private func forward(_ notifications: Notifications, of origin: ValueOrigin) async throws {
    var values = notifications.makeAsyncIterator()
    while let batch = try await values.nextBatch() {
      let count = left.take(batch.elements.count)
      let values = ValueBatch(Array(batch.elements.prefix(count)), of: origin)
      outputs.send(.values(values))
      context.observer?.received(values)
      if left.isOver { return }
      outputs.pace()
    }
  }
}

/// The time of `--duration`, which begins with the subscription, not with the connection.
package final class CollectingTime: Sendable {
  private let duration: Duration
  private let loop: EventLoop
  private let begun = Promise<Void>()

  package init(_ duration: Duration, on loop: EventLoop) {
    self.duration = duration
    self.loop = loop
  }

  /// Begins the time at the first subscription.
  package func begin() { begun.fulfil(()) }

  /// Runs `body` until the time is over, which is not an error.
  package func limit(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await loop.race(body, pass)
  }

  @Sendable private func pass() async throws {
    await begun.value(ifCancelled: ())
    try await loop.sleep(for: duration)
  }
}

/// The number of values still wanted, of all characteristics and devices together.
package final class RemainingValues: Sendable {
  private let left: Lock<Int>
  private let end = Promise<Void>()

  package init(from count: Int?) { left = Lock(count ?? .max) }

  /// Takes up to `count` of the values still wanted; returns how many.
  package func take(_ count: Int) -> Int {
    let (taken, isOver) = left.withLock { left in
      let taken = min(left, count)
      left -= taken
      return (taken, left == 0)
    }
    if isOver { end.fulfil(()) }
    return taken
  }

  package var isOver: Bool { left.withLock { $0 == 0 } }

  /// Waits until all were taken, or the task is cancelled; only one task may wait.
  package func reached() async {
    await end.value(ifCancelled: ())
  }
}
