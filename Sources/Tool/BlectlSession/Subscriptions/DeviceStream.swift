// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BlectlArguments
internal import TerminalOutput
package import ValueStreams

/// The values of some characteristics of one device, on their way to the outputs.
package final class DeviceStream: Sendable {
  private let wanted: @Sendable (PeripheralInfo, MemberProgress?) -> [CharacteristicArgument]
  private let view: ValueView?
  /// True to read each value once before its notifications.
  private let readsFirst: Bool
  private let transport: NotificationTransport
  package let left: RemainingValues
  private let time: CollectingTime?
  /// Nil if values count at once.
  private let start: CommonStart?
  private let outputs: StreamOutputs
  private let reconnector: Reconnector?
  private let context: CommandContext

  /// Creates the stream of any devices.
  ///
  /// - Parameters:
  ///   - wanted: the characteristics of a device.
  ///   - view: another meaning of the values.
  ///   - transport: how they come, where that is possible.
  ///   - readsFirst: true to read each value once before its notifications.
  ///   - left: the number of values of all devices.
  ///   - time: the time for all of them; nil sets no limit.
  ///   - start: the moment from which values count; nil for each device when it is subscribed to.
  ///   - reconnector: nil gives up lost links.
  ///   - outputs: what gets the values.
  ///   - context: that of the command.
  package init(
    _ wanted: @escaping @Sendable (PeripheralInfo, MemberProgress?) -> [CharacteristicArgument],
    shownAs view: ValueView?, via transport: NotificationTransport, readsFirst: Bool = false,
    left: RemainingValues, time: CollectingTime?, start: CommonStart? = nil, reconnector: Reconnector?,
    outputs: StreamOutputs, context: CommandContext
  ) {
    self.wanted = wanted
    self.view = view
    self.transport = transport
    self.readsFirst = readsFirst
    self.left = left
    (self.time, self.start) = (time, start)
    self.reconnector = reconnector
    self.outputs = outputs
    self.context = context
  }

  /// Subscribes, and sends the values to the outputs, until enough have come, or the link is lost for good; if all are only
  /// read, until that is done.
  package func run(over link: DeviceConnection, _ progress: MemberProgress? = nil) async throws {
    let keeper = LinkKeeper(reconnector, in: context, progress) { [outputs] in outputs.send(.link($0)) }
    try await keeper.run(over: link) { gap, end in
      try await listen(to: link, wanted(link.info, progress), keeper, &gap, &end)
    }
  }

  /// Subscribes, and listens until enough values have come; sets `end` to the time of the loss, if known.
  private func listen(
    to link: DeviceConnection, _ wanted: [CharacteristicArgument], _ keeper: LinkKeeper, _ gap: inout LinkGap,
    _ end: inout Moment?
  ) async throws {
    var sources: [(GATTCharacteristic, Notifications)] = []
    let transport = try await link.possible(transport)
    let all = try await link.services().flatMap(\.characteristics)
    let found = DeviceStream.unique(try await link.characteristics(wanted))
    for characteristic in notifying(found, of: link.title, saysWhy: gap.isFirst) {
      sources.append((characteristic, try await subscribe(characteristic, via: transport, link)))
    }
    if start == nil { time?.begin() }
    context.observer?.subscribed(to: sources.map(\.0))
    let info = link.info
    func origin(_ characteristic: GATTCharacteristic, via transport: ValueOrigin.Transport) -> ValueOrigin {
      ValueOrigin(
        info, characteristic, via: transport, hasTwin: all.hasTwin(of: characteristic), shownAs: view)
    }
    let origins = sources.map { origin($0.0, via: transport == .socket ? .socket : .signal) }
    let readable = readsFirst ? found.filter { $0.properties.contains(.read) } : []
    let present = readable.map { PresentValue(characteristic: $0, origin: origin($0, via: .read)) }
    let columns = (origins + present.map(\.origin)).flatMap { $0.meaning?.columns ?? [] }
    keeper.began(over: link, &gap, columns: columns)
    outputs.control?.add(link, all)
    start?.arrived()
    defer {
      start?.left()
      outputs.control?.remove(link)
      end = sources.compactMap(\.1.end).min()
    }
    // The first to end, by its count or its error, ends all.
    var bodies: [@Sendable () async throws -> Void] = []
    for ((characteristic, notifications), origin) in zip(sources, origins) {
      let before = present.first { $0.characteristic.id == characteristic.id }
      bodies.append { try await self.forward(notifications, of: origin, after: before) }
    }
    // Others may use the link of a remote access, or look at a page.
    let isOnlyRead = sources.isEmpty && outputs.control == nil && !outputs.hasPage
    if !present.isEmpty { bodies.append { try await self.read(present, over: link, isAll: isOnlyRead) } }
    try await context.loop.race(bodies)
  }

  /// The value that a characteristic has before its notifications.
  private struct PresentValue: Sendable {
    let characteristic: GATTCharacteristic
    let origin: ValueOrigin
    /// Fulfilled when it was read, or cannot be.
    let isRead = Promise<Void>()
  }

  /// The characteristics to subscribe to: not those that can only be read, if all are read first.
  private func notifying(
    _ found: [GATTCharacteristic], of device: String, saysWhy: Bool
  ) -> [GATTCharacteristic] {
    let silent = found.filter {
      $0.properties.contains(.read) && $0.properties.isDisjoint(with: [.notify, .indicate])
    }
    if !readsFirst { return found }
    for characteristic in silent where saysWhy {
      let name = characteristic.title
      context.remark("\(name) of \(device) is only read: it sends no notifications")
    }
    return found.filter { characteristic in !silent.contains { $0.id == characteristic.id } }
  }

  /// Reads the values, and sends them to the outputs; returns only if no more are wanted, or they are all that can come.
  private func read(_ present: [PresentValue], over link: DeviceConnection, isAll: Bool) async throws {
    defer { for value in present { value.isRead.fulfil(()) } }
    await start?.wait()
    let reader = ValueReader(link, context)
    var readings: [Reading] = []
    for value in present {
      let reading = try await reader.read(value.characteristic)
      readings.append(reading)
      if reading.problem == nil, left.take(1) == 0 { return }
      outputs.send(reading, of: value.origin)
      value.isRead.fulfil(())
      if let problem = reading.problem { context.console.warn(problem.message) }
      if left.isOver { return }
      // An unanswered request blocks all others, and to renew the link would end the subscriptions.
      if case .failure(let error, _, _) = reading, error.code == .timedOut { break }
    }
    if isAll { return try Reading.requireAll(readings, of: link.title) }
    for value in present { value.isRead.fulfil(()) }
    await Promise<Void>().value(ifCancelled: ())
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
    do {
      return try await context.showingProgress("subscribing to \(characteristic.title)") {
        try await link.request {
          try await link.peripheral.notifications(for: characteristic, via: transport, timeout: timeout)
        }
      }
    } catch let error as BLEError
      where error.code == .notSupported && characteristic.properties.contains(.read)
    {
      var explained = CommandError(error, device: link.title)
      explained.hint = "blectl read \(link.info.address) \(characteristic.uuid) --every 1s"
      throw explained
    }
  }

  private func forward(
    _ notifications: Notifications, of origin: ValueOrigin, after present: PresentValue?
  ) async throws {
    var values = notifications.makeAsyncIterator()
    // The first batch after the common start may have values from before it.
    var mayBeEarly = start != nil
    while let batch = try await values.nextBatch() {
      var received = batch.elements
      if mayBeEarly, let start {
        guard let moment = start.moment else { continue }
        received.removeAll { $0.time < moment.time }
        mayBeEarly = false
      }
      await present?.isRead.value(ifCancelled: ())
      if received.isEmpty { continue }
      let count = left.take(received.count)
      let values = ValueBatch(Array(received.prefix(count)), of: origin)
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
