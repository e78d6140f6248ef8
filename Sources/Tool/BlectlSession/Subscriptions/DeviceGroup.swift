// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments

/// Works with several devices at once: those that were named, or all that match, in range now or later.
///
/// A failing device does not stop the others: it is reported on stderr, and counted. They connect one at a
/// time, each for a slice of time, so that an unresponsive one delays the others little; with `--reconnect`,
/// each is tried again. At the end, those with which the work never began are named with their reason.
package final class DeviceGroup: Sendable {
  private let wanted: [DeviceChoice]
  /// True for all devices that match, false for one of each.
  private let takesAll: Bool
  private let body: @Sendable (DeviceConnection, MemberProgress) async throws -> Void
  private let reachedEnd: @Sendable () async -> Void
  private let time: CollectingTime?
  private let reconnector: Reconnector?
  private let pairing: PairingOnDemand?
  private let context: CommandContext
  /// Nil if each device begins when it can.
  private let start: CommonStart?
  private let members = Lock(GroupMembers())
  /// The links of named devices, with the words that name them.
  private let taken = Lock<[DeviceKey: DeviceArgument]>([:])
  /// The words that no device has matched, until that was reported.
  private let unheard: Lock<[DeviceArgument]>
  private let turns = AsyncMutex()
  /// Fulfilled when every device was given up.
  private let givenUp = Promise<Void>()

  /// A scan that hears nothing for this time is restarted.
  private static let quietTime = Duration.seconds(60)
  /// The time that a device has to connect before the next one's turn.
  ///
  /// It doubles for a device that answered, but whose services were not known in that time.
  private static let firstSlice = Duration.seconds(5)
  private static let longestSlice = Duration.seconds(40)
  /// The time that the radio listens before a device is tried again: while it connects, it hears no new
  /// devices.
  private static let listeningTime = Duration.seconds(2)

  /// The group of the streams of values.
  package convenience init(
    _ wanted: [DeviceChoice], takesAll: Bool, stream: DeviceStream, time: CollectingTime?,
    start: CommonStart? = nil,
    reconnector: Reconnector?, pairing: PairingOnDemand?, context: CommandContext
  ) {
    self.init(
      wanted, takesAll: takesAll, time: time, start: start, reconnector: reconnector, pairing: pairing,
      context: context, until: { await stream.left.reached() }, { try await stream.run(over: $0, $1) })
  }

  /// `body` is the work with a device, over a link that was opened, and says how it goes; `reachedEnd` returns when enough was
  /// done.
  package init(
    _ wanted: [DeviceChoice], takesAll: Bool, time: CollectingTime? = nil, start: CommonStart? = nil,
    reconnector: Reconnector?, pairing: PairingOnDemand?, context: CommandContext,
    until reachedEnd: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable (DeviceConnection, MemberProgress) async throws -> Void
  ) {
    (self.wanted, self.takesAll, self.start) = (wanted, takesAll, start)
    unheard = Lock(wanted.count > 1 ? wanted.map(\.device) : [])
    (self.reachedEnd, self.body) = (reachedEnd, body)
    self.time = time
    self.reconnector = reconnector
    self.pairing = pairing
    self.context = context
  }

  /// Works until enough was done, or nothing is left to do.
  ///
  /// - Throws: the error that ends the work with all: Bluetooth is not available, no device matches, or one is missing before a
  ///   common start.
  package func run() async throws {
    try await context.loop.race(
      { try await self.takesAll ? self.gather() : self.followNamed() }, { await self.reachedEnd() },
      { await self.allGivenUp() })
  }

  /// Names the devices with which the work never began, with the reason.
  ///
  /// - Throws: ``CommandError`` when there are such devices, or one failed for good.
  package func requireSuccess() throws(CommandError) {
    let (failed, all, unreached) = members.withLock { ($0.failedCount, $0.count, $0.unreached) }
    let count = unreached.reduce(failed) { $0 + (isFailure($1) ? 1 : 0) }
    if count == 0 { return }
    throw CommandError(status: .failed, message: "cannot continue with \(count) of \(all) devices")
  }

  /// Prints why the work with a device never began; returns false if nobody has tried, or the first attempt had not ended when
  /// enough had come from the others.
  private func isFailure(_ member: GroupMembers.Unreached) -> Bool {
    let device = "\(member.device)"
    guard member.error != nil || (member.wasTried || !takesAll) && time?.isOver == true else {
      context.remark("\(device) was \(takesAll ? "heard, but " : "")not connected before the end")
      return false
    }
    let host = context.options.onlyHost
    let reason = member.error.flatMap { ErrorReport.understood($0, device: device, on: host) }
    report(
      reason
        ?? CommandError(
          status: .timedOut, message: "cannot connect to \(device): no connection before the end"),
      of: device)
    return true
  }

  /// Prints the error of one of several devices, which it names; a brief one without its hint.
  private func report(_ error: CommandError, of device: String, isBrief: Bool = false) {
    var error = error.naming(device)
    if isBrief { error.hint = nil }
    ErrorReport.print(error, verbosity: context.options.verbose, on: context.console)
  }

  private func allGivenUp() async {
    await givenUp.value(ifCancelled: ())
  }

  // MARK: Gathering

  private func gather() async throws {
    let deadline = context.timeout.map { LoopClock.now + $0 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      var notice = RetryNotice()
      while !Task.isCancelled {
        var isScanning = false
        do {
          let central =
            if let reconnector { try await reconnector.central() } else { try await context.bus.central() }
          for info in try await central.knownPeripherals() where info.isConnected { join(info, &group) }
          try await scan(with: central, until: deadline, notice, &isScanning, &group)
        } catch {
          guard let reconnector else { throw error }
          // The obstacle that ended a scan with devices is new.
          if isScanning, !isAlone { notice = RetryNotice() }
          try await reconnector.wait(after: error, for: wanted.map(\.device), notice)
        }
      }
    }
  }

  /// Works with each device that was named.
  private func followNamed() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      for (index, choice) in wanted.enumerated() where members.withLock({ $0.join(choice.device) }) {
        // The first one says what is missing for all of them.
        let notice = RetryNotice(isMember: index > 0)
        group.addTask(executorPreference: context.loop) { try await self.follow(choice, notice) }
      }
      for try await _ in group {}
    }
  }

  /// Adds devices as they are heard, until the scan goes quiet; sets `isScanning` when it has begun.
  private func scan(
    with central: CentralManager, until deadline: ContinuousClock.Instant?, _ notice: RetryNotice,
    _ isScanning: inout Bool, _ group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    let last = lastMoment(deadline, notice)
    var quiet = LoopClock.now + DeviceGroup.quietTime
    var limit = LoopClock.now  // at first, only until it begins
    var scan = central.scan().makeAsyncIterator()
    while let batch = try await scan.nextBatch(until: limit) {
      isScanning = true
      for event in batch.elements where event.kind != .lost { join(event.info, &group) }
      if let last, last <= LoopClock.now {
        if isAlone { throw DeviceGroup.absence(of: wanted.map(\.device)) }
        reportUnheard()
      }
      if !batch.elements.isEmpty { quiet = LoopClock.now + DeviceGroup.quietTime }
      if quiet <= LoopClock.now { return }
      let isWaiting = isAlone || unheard.withLock { !$0.isEmpty }
      limit = isWaiting ? min(last ?? quiet, quiet) : quiet
    }
  }

  private static func absence(of devices: [DeviceArgument]) -> CommandError {
    .absence(of: devices.map { "\($0)" }.alternatives, "none was found before the timeout")
  }

  /// Reports the words that no device has matched; only with a reconnector, one may still come.
  private func reportUnheard() {
    for device in unheard.withLock({ unheard in
      defer { unheard = [] }
      return unheard
    }) {
      guard reconnector == nil else {
        context.remark("waiting for \(device)")
        continue
      }
      report(DeviceGroup.absence(of: [device]), of: "\(device)")
      members.withLock {
        _ = $0.join(device)
        $0.failed(device)
      }
    }
  }

  private var isAlone: Bool { members.withLock { $0.count == 0 } }

  /// Returns the time when waiting for the first device is given up, or reported.
  private func lastMoment(
    _ deadline: ContinuousClock.Instant?, _ notice: RetryNotice
  ) -> ContinuousClock.Instant? {
    guard let reconnector else { return deadline }
    return reconnector.attemptTime(notice).map { LoopClock.now + $0 }
  }

  private func join(_ info: PeripheralInfo, _ group: inout ThrowingTaskGroup<Void, any Error>) {
    let matching = wanted.map(\.device).filter { $0.rank(of: info) != nil }
    let choice = DeviceChoice(DeviceArgument(info.key))
    guard !matching.isEmpty, members.withLock({ $0.join(choice.device) }) else { return }
    unheard.withLock { unheard in unheard.removeAll { matching.contains($0) } }
    group.addTask(executorPreference: context.loop) {
      try await self.follow(choice, RetryNotice(isMember: true))
    }
  }

  // MARK: One device

  /// Works with a device; throws the error that ends the work with all.
  private func follow(_ choice: DeviceChoice, _ notice: RetryNotice) async throws {
    let device = choice.device
    var link: DeviceConnection?
    do {
      let opened = try await connect(choice, notice)
      try take(opened, as: device)
      link = opened
      try await body(opened, progress(of: device))
      await opened.peripheral.release()  // others may need it while this command continues
    } catch {
      let host = context.options.onlyHost
      guard !Task.isCancelled, let reason = ErrorReport.understood(error, device: "\(device)", on: host)
      else { return }
      if isEnd(reason) { throw reason.status == .unavailable ? reason : reason.naming("\(device)") }
      await link?.peripheral.release()  // others may need it while this command continues
      // Among all devices, some lack the characteristic: their services help nobody.
      report(reason, of: "\(device)", isBrief: takesAll && reason.isLack)
      members.withLock { $0.failed(device) }
      if takesAll { await giveUpIfAllAreGone() }
    }
  }

  /// Takes the link of a named device; throws if it is that of another name.
  private func take(_ link: DeviceConnection, as device: DeviceArgument) throws(CommandError) {
    if takesAll { return }
    let other = taken.withLock { taken -> DeviceArgument? in
      defer { taken[link.info.key] = taken[link.info.key] ?? device }
      return taken[link.info.key]
    }
    guard let other else { return }
    throw CommandError(
      status: .failed, message: "cannot use \(device): it is the same device as \(other)",
      hint: "use one name for it")
  }

  /// Returns whether the error of one device ends the work with all.
  private func isEnd(_ error: CommandError) -> Bool {
    if let start, !start.hasBegun { return true }
    return !takesAll && error.status == .unavailable && !members.withLock(\.haveBegun)
  }

  private func progress(of device: DeviceArgument) -> MemberProgress {
    MemberProgress(
      device: device, began: { [members] in members.withLock { $0.reached(device) } },
      failed: { [members] error in members.withLock { $0.tried(device, error) } })
  }

  /// Gives up when every device has failed; without a reconnector, only if no other one is found within `--timeout`: attempts to
  /// connect have held up the scan.
  ///
  /// The collecting time of other devices is not touched, but without a limit it alone ends the wait for them.
  private func giveUpIfAllAreGone() async {
    guard members.withLock(\.areGone) else { return }
    if reconnector == nil {
      guard let limit = context.timeout else {
        time?.begin()
        return
      }
      try? await context.loop.sleep(for: limit)
    }
    if members.withLock(\.areGone) { givenUp.fulfil(()) }
  }

  /// Connects in turns with other devices, within `--timeout` of its own time; repeatedly with a reconnector.
  private func connect(_ target: DeviceChoice, _ notice: RetryNotice) async throws -> DeviceConnection {
    var slice = DeviceGroup.firstSlice
    var left = reconnector == nil ? context.timeout : nil
    var isFirst = true
    while true {
      do {
        return try await turns.withTurn(on: context.loop) {
          if !isFirst { try await context.loop.sleep(for: DeviceGroup.listeningTime) }
          isFirst = false
          members.withLock { $0.tried(target.device) }
          let start = LoopClock.now
          defer { left = left.map { $0 - (LoopClock.now - start) } }
          try await reconnector?.central()
          let limits = [slice, left, reconnector?.attemptTime(notice)].compactMap(\.self)
          return try await DeviceConnection.open(target, in: context, within: limits.min(), pairing: pairing)
        }
      } catch {
        if !Task.isCancelled { members.withLock { $0.tried(target.device, error) } }
        if await hasLink(target) { slice = min(slice * 2, DeviceGroup.longestSlice) }
        if let reconnector {
          try await reconnector.wait(after: error, for: [target.device], notice)
        } else if !DeviceGroup.isOutOfTime(error) || left.map({ $0 <= .zero }) ?? false {
          throw error
        }
      }
    }
  }

  /// Returns whether a device has a link, or is still losing it.
  private func hasLink(_ target: DeviceChoice) async -> Bool {
    guard let central = try? await context.bus.central() else { return false }
    let locator = DeviceLocator(target.device, pick: target.pick, central: central, context: context)
    return (try? await locator.known())?.isConnected == true
  }

  /// Returns whether an attempt ended with its slice.
  private static func isOutOfTime(_ error: any Error) -> Bool {
    guard let error = error as? BLEError else { return (error as? CommandError)?.isAbsence == true }
    return [.timedOut, .connectionFailed, .notFound].contains(error.code)
  }
}
