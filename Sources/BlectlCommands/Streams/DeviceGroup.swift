// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus

/// The streams of every device that is meant, at once: those that are there, and those that come later.
///
/// A device that fails does not stop the others: it is told on stderr, and counted.
final class DeviceGroup: Sendable {
  private let wanted: DeviceArgument
  private let stream: DeviceStream
  private let keeper: LinkKeeper?
  private let session: Session
  private let members = Lock<Set<BluetoothAddress>>([])
  private let failed = Lock<Set<BluetoothAddress>>([])

  /// A scan that has heard nothing at all for so long has gone quiet, and is begun anew.
  private static let quietTime = Duration.seconds(60)

  init(_ wanted: DeviceArgument, stream: DeviceStream, keeper: LinkKeeper?, session: Session) {
    self.wanted = wanted
    self.stream = stream
    self.keeper = keeper
    self.session = session
  }

  /// Gathers devices, and lets them stream, until enough values have come.
  ///
  /// - Throws: why scanning cannot go on; ``CommandError`` when no device is heard in the time given.
  func run() async throws {
    let loop = session.loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await self.gather() }
      group.addTask(executorPreference: loop) { await self.stream.left.reached() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// - Throws: ``CommandError`` when a device has failed for good.
  func requireSuccess() throws(CommandError) {
    let (failed, members) = (failed.withLock { $0.count }, members.withLock { $0.count })
    if failed == 0 { return }
    throw CommandError(status: .failed, message: "cannot go on with \(failed) of \(members) devices")
  }

  private func gather() async throws {
    var central = try await session.central()
    let deadline = session.timeout.map { ContinuousClock.now + $0 }
    var failures = 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      while !Task.isCancelled {
        do {
          for info in try await central.knownPeripherals() where info.isConnected { join(info, &group) }
          try await scan(with: central, until: deadline, &group)
          failures = 0
        } catch let error as BLEError where keeper != nil && LinkKeeper.isHealable(error) {
          failures += 1
          try await session.loop.sleep(for: ReconnectPolicy().delay(after: failures))
          if error.code == .busUnavailable {
            central = try await session.central(insteadOf: central) ?? central
          }
        }
      }
    }
  }

  /// Lets devices join as they are heard, until the scan has gone quiet.
  private func scan(
    with central: CentralManager, until deadline: ContinuousClock.Instant?,
    _ group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    var scan = central.scan().makeAsyncIterator()
    while true {
      let isAlone = members.withLock { $0.isEmpty }
      let quiet = ContinuousClock.now + DeviceGroup.quietTime
      let limit = isAlone ? min(deadline ?? quiet, quiet) : quiet
      guard let batch = try await scan.nextBatch(until: limit) else { return }
      for event in batch where event.kind != .lost { join(event.info, &group) }
      if isAlone, let deadline, deadline <= .now, members.withLock({ $0.isEmpty }) {
        throw CommandError(
          status: .notFound, message: "cannot find \(wanted): none was heard in the time given",
          hint: "blectl scan; a device that is connected elsewhere does not advertise")
      }
      if batch.isEmpty, quiet <= .now { return }
    }
  }

  private func join(_ info: PeripheralInfo, _ group: inout ThrowingTaskGroup<Void, any Error>) {
    guard wanted.rank(of: info) != nil, members.withLock({ $0.insert(info.address).inserted }) else { return }
    group.addTask(executorPreference: session.loop) { await self.follow(info.address) }
  }

  private func follow(_ address: BluetoothAddress) async {
    var target = TargetOptions()
    target.device = .address(address)
    target.pick = nil
    do {
      try await stream.run(over: try await Link.open(target, in: session))
    } catch {
      guard !Task.isCancelled, let reason = ErrorReport.understood(error, device: "\(address)") else {
        return
      }
      for line in ErrorReport.lines(reason, verbosity: session.options.verbose) { session.console.note(line) }
      if keeper != nil, LinkKeeper.isHealable(error) || reason.status == .notFound {
        members.withLock { _ = $0.remove(address) }  // it joins again when it is heard again
      } else {
        failed.withLock { _ = $0.insert(address) }
      }
    }
  }
}
