// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments

/// Does the same work with all devices that match, some of them at a time.
package struct DeviceJobs: Sendable {
  /// The number of devices at a time, unless the user gives another one.
  package static let usualCount = 4
  /// A search ends when no other device was heard for this long.
  package static let quietTime = Duration.seconds(5)
  /// The number of names that are remembered for advice.
  private static let mostNames = 256

  private let wanted: DeviceArgument
  private let jobs: Int
  private let context: CommandContext

  package init(_ wanted: DeviceArgument, jobs: Int, in context: CommandContext) {
    (self.wanted, self.jobs, self.context) = (wanted, jobs, context)
  }

  /// Finds the devices that match: those with a link, and those that are heard until no other one comes, or there are `count`.
  ///
  /// - Parameters:
  ///   - limit: how long to wait for the first one; nil sets no limit.
  ///   - quietTime: how long to wait for others.
  ///   - count: how many there are, if that is known.
  ///   - others: devices that are not meant.
  ///   - recognize: returns a device that is meant, though it does not look like it now.
  /// - Returns: the devices, sorted.
  /// - Throws: ``CommandError`` if no device is heard; `CancellationError`.
  package func find(
    within limit: Duration?, quietTime: Duration = DeviceJobs.quietTime, count: Int? = nil,
    without others: Set<DeviceArgument> = [],
    recognizing recognize: (PeripheralInfo) -> DeviceArgument? = { _ in nil }
  ) async throws -> [DeviceArgument] {
    let central = try await context.bus.central()
    var found: Set<DeviceArgument> = []
    var names: Set<String> = []
    func add(_ info: PeripheralInfo) -> Bool {
      let known = recognize(info)
      guard known != nil || wanted.rank(of: info) != nil else { return false }
      let device = known ?? DeviceArgument(info.key)
      return !others.contains(device) && found.insert(device).inserted
    }
    for info in try await central.knownPeripherals() where info.isConnected { _ = add(info) }
    let deadline = limit.map { LoopClock.now + $0 }
    var scan = central.scan().makeAsyncIterator()
    var quiet = LoopClock.now + quietTime
    while count.map({ found.count < $0 }) ?? true {
      let end = found.isEmpty ? deadline : deadline.map { min($0, quiet) } ?? quiet
      guard let batch = try await scan.nextBatch(until: end) else { throw CancellationError() }
      for event in batch.elements where event.kind != .lost {
        if found.isEmpty, names.count < Self.mostNames, let name = event.info.name { names.insert(name) }
        if add(event.info) { quiet = LoopClock.now + quietTime }
      }
      if let end, end <= LoopClock.now { break }
    }
    if found.isEmpty {
      throw CommandError.absence(
        of: wanted, "none was found before the timeout", nearNames: wanted.advice(among: names))
    }
    return found.sorted { "\($0)" < "\($1)" }
  }

  /// Works with devices, and returns the failures.
  ///
  /// - Throws: the first error that `body` throws: it ends the work with all.
  package func run(
    on devices: [DeviceArgument],
    _ body: @escaping @Sendable (DeviceArgument) async throws -> CommandError?
  ) async throws -> [DeviceArgument: CommandError] {
    var failures: [DeviceArgument: CommandError] = [:]
    try await withThrowingTaskGroup(of: (DeviceArgument, CommandError?).self) { group in
      defer { group.cancelAll() }
      var waiting = devices[...]
      func startNext() {
        guard let device = waiting.popFirst() else { return }
        group.addTask(executorPreference: context.loop) { (device, try await body(device)) }
      }
      for _ in 0..<min(jobs, devices.count) { startNext() }
      while let (device, failure) = try await group.next() {
        failures[device] = failure
        startNext()
      }
    }
    return failures
  }

  /// One error for all devices that names those that failed; nil if all succeeded.
  ///
  /// `work` says what could not be done, such as `update`, with the words between it and the devices.
  package static func summary(
    of work: String, _ results: [(device: String, failure: CommandError?)]
  ) -> CommandError? {
    let failures = results.compactMap { result in result.failure.map { (result.device, $0) } }
    guard let first = failures.first?.1 else { return nil }
    return CommandError(
      status: first.status, message: "cannot \(work) \(failures.count) of \(results.count) devices",
      details: failures.map { "\($0.0): \($0.1.message)" })
  }
}
