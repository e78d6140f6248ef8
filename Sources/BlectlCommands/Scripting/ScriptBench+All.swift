// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

extension ScriptBench {
  /// The search ends when no further device was heard for this long.
  private static let quietTime = Duration.seconds(5)

  /// Runs the script on all devices that match, some at once.
  ///
  /// - Throws: ``CommandError`` if none is heard; `CancellationError`.
  func runOnAll(_ jobs: Int, _ outputs: StreamOutputs) async throws -> BenchOutcome {
    let addresses = try await session.showingProgress("looking for \(wanted)") { try await gather() }
    session.remark("found \(addresses.count) device\(addresses.count == 1 ? "" : "s")")
    var outcomes: [BluetoothAddress: BenchOutcome] = [:]
    try await withThrowingTaskGroup(of: (BluetoothAddress, BenchOutcome).self) { group in
      defer { group.cancelAll() }
      var waiting = addresses[...]
      func startNext() {
        guard let address = waiting.popFirst() else { return }
        group.addTask(executorPreference: session.loop) {
          (address, try await self.run(on: address, outputs))
        }
      }
      for _ in 0..<jobs { startNext() }
      while let (address, outcome) = try await group.next() {
        outcomes[address] = outcome
        startNext()
      }
    }
    return ScriptBench.summary(addresses.map { ($0, outcomes[$0] ?? BenchOutcome()) })
  }

  private func run(on address: BluetoothAddress, _ outputs: StreamOutputs) async throws -> BenchOutcome {
    let prefix = "\(address)\t"
    let isPlain = session.options.json
    let console = session.console.prefixed(
      output: (plan.isTAP ? "# " : "") + (isPlain ? "" : prefix), errors: prefix)
    var target = TargetOptions()
    (target.device, target.pick) = (.address(address), nil)
    let outcome = try await run(target, console: console, outputs)
    if let failure = outcome.failure {
      ErrorReport.print(failure, verbosity: session.options.verbose, on: console)
    }
    return outcome
  }

  /// The results of all devices; the failure names those that failed.
  static func summary(_ outcomes: [(address: BluetoothAddress, outcome: BenchOutcome)]) -> BenchOutcome {
    var all = BenchOutcome(results: outcomes.flatMap(\.outcome.results))
    let failures = outcomes.compactMap { entry in entry.outcome.failure.map { (entry.address, $0) } }
    guard let first = failures.first?.1 else { return all }
    all.failure = CommandError(
      status: first.status,
      message: "cannot complete the script on \(failures.count) of \(outcomes.count) devices",
      details: failures.map { "\($0.0): \($0.1.message)" })
    return all
  }

  /// The devices that match: those with a link, and those that are heard.
  private func gather() async throws -> [BluetoothAddress] {
    let central = try await session.central()
    var found: Set<BluetoothAddress> = []
    for info in try await central.knownPeripherals() where info.isConnected && wanted.rank(of: info) != nil {
      found.insert(info.address)
    }
    let deadline = session.timeout.map { ContinuousClock.now + $0 }
    var scan = central.scan().makeAsyncIterator()
    var quiet = ContinuousClock.now + Self.quietTime
    while true {
      let limit = found.isEmpty ? deadline : deadline.map { min($0, quiet) } ?? quiet
      guard let batch = try await scan.nextBatch(until: limit) else { throw CancellationError() }
      for event in batch.elements where event.kind != .lost && wanted.rank(of: event.info) != nil {
        if found.insert(event.info.address).inserted { quiet = .now + Self.quietTime }
      }
      if let limit, limit <= .now { break }
    }
    if found.isEmpty {
      throw CommandError.absence(of: wanted, "none was heard in the time given")
    }
    return found.sorted { "\($0)" < "\($1)" }
  }
}
