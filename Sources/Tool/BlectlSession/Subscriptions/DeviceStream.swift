// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BlectlArguments
package import ValueStreams

/// The values of some characteristics of one device, on their way to the outputs.
package final class DeviceStream: Sendable {
  private let wanted: [CharacteristicArgument]
  private let view: ValueView?
  private let transport: NotificationTransport
  package let left: RemainingValues
  private let time: CollectingTime?
  private let outputs: StreamOutputs
  private let reconnector: Reconnector?
  private let context: CommandContext

  /// `view` may be another meaning of the values; `left` is for all devices; a nil `time` sets no limit, a nil `reconnector` gives up lost links.
  package init(
    _ wanted: [CharacteristicArgument], shownAs view: ValueView?, via transport: NotificationTransport,
    left: RemainingValues, time: CollectingTime?, reconnector: Reconnector?, outputs: StreamOutputs,
    context: CommandContext
  ) {
    self.wanted = wanted
    self.view = view
    self.transport = transport
    self.left = left
    self.time = time
    self.reconnector = reconnector
    self.outputs = outputs
    self.context = context
  }

  /// Subscribes, and sends the values to the outputs, until enough have come, or the link is lost for good.
  package func run(over link: DeviceConnection, _ progress: MemberProgress? = nil) async throws {
    let keeper = LinkKeeper(reconnector, in: context, progress) { [outputs] in outputs.send(.link($0)) }
    try await keeper.run(over: link) { gap, end in try await listen(to: link, keeper, &gap, &end) }
  }

  /// Subscribes, and listens until enough values have come; sets `end` to the time of the loss, if known.
  private func listen(
    to link: DeviceConnection, _ keeper: LinkKeeper, _ gap: inout LinkGap, _ end: inout Moment?
  ) async throws {
    var sources: [(GATTCharacteristic, Notifications)] = []
    let transport = try await link.possible(transport)
    let all = try await link.services().flatMap(\.characteristics)
    for characteristic in try await DeviceStream.unique(link.characteristics(wanted)) {
      sources.append((characteristic, try await subscribe(characteristic, via: transport, link)))
    }
    time?.begin()
    context.observer?.subscribed(to: sources.map(\.0))
    let info = link.info
    let origins = sources.map { characteristic, _ in
      ValueOrigin(
        info, characteristic, via: transport == .socket ? .socket : .signal,
        hasTwin: all.hasTwin(of: characteristic), shownAs: view)
    }
    keeper.began(over: link, &gap, decoding: origins.flatMap { $0.meaning?.keys ?? [] })
    outputs.control?.add(link, all)
    defer {
      outputs.control?.remove(link)
      end = sources.compactMap(\.1.end).min()
    }
    // The first to end, by its count or its error, ends all.
    var bodies: [@Sendable () async throws -> Void] = []
    for (source, origin) in zip(sources, origins) {
      let notifications = source.1
      bodies.append { try await self.forward(notifications, of: origin) }
    }
    try await context.loop.race(bodies)
  }

  /// Each characteristic once: even one that was named twice has each value once.
  private static func unique(_ characteristics: [GATTCharacteristic]) -> [GATTCharacteristic] {
    var seen: Set<String> = []
    return characteristics.filter { seen.insert($0.id).inserted }
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
  private let end = Lock(false)

  /// True if the time has passed.
  package var isOver: Bool { end.withLock(\.self) }

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
    end.exchange(true)
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
