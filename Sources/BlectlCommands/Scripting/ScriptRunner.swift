// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

/// What is to be run on each device.
struct ScriptPlan: Sendable {
  let loaded: LoadedScript
  let repetitions: Int
  let keepsGoing: Bool
  /// Whether the output of the steps becomes comments of a TAP report.
  let isTAP: Bool
  /// What became of each device so far.
  let results = ResultStore()
}

/// What came of it.
struct RunOutcome: Sendable {
  /// The error of the whole run; nil if every step on every device has succeeded.
  var failure: CommandError?
}

/// Runs a script on one device, or on all that match, and keeps a record.
final class ScriptRunner: Sendable {
  static let usualJobs = 4

  let plan: ScriptPlan
  let context: CommandContext
  let wanted: DeviceArgument
  private let pick: PickRule?
  /// A radio makes one connection at a time.
  let turns = AsyncMutex()

  init(_ plan: ScriptPlan, _ target: DeviceChoice, _ context: CommandContext) {
    self.plan = plan
    self.context = context
    (wanted, pick) = (target.device, target.pick)
  }

  /// Runs the script.
  ///
  /// - Parameters:
  ///   - jobs: on how many devices at once; nil is one device only.
  ///   - path: the file of the record.
  /// - Returns: what came of it.
  /// - Throws: why it could not begin, or not continue; what fails on a device is in the outcome.
  func run(onAllWith jobs: Int?, recordingTo path: String?) async throws -> RunOutcome {
    let sinks = try path.map { [try recorder($0)] } ?? []
    let outputs = StreamOutputs(sinks, buffer: SizeArgument(64 << 20), context: context)
    let outcome = Lock(RunOutcome())
    try await outputs.collect {
      let result =
        if let jobs {
          try await self.runOnAll(jobs, outputs)
        } else {
          try await self.runOnOne(outputs)
        }
      outcome.withLock { $0 = result }
    }
    return outcome.withLock(\.self)
  }

  /// A new file: two records in one cannot be checked.
  private func recorder(_ path: String) throws(CommandError) -> any OutputSink {
    let name = TerminalSafe.escaped(path)
    if FileStatus.exists(path) {
      throw .usage("cannot record to \(name): it exists", hint: "give --record another name")
    }
    do throws(OutputError) {
      return try TextLog(path: path, format: EventJSON(), rotation: nil, report: context.console.warn)
    } catch {
      throw CommandError(status: .failed, message: "cannot record to \(name): \(error)")
    }
  }

  private func runOnOne(_ outputs: StreamOutputs) async throws -> RunOutcome {
    let console = plan.isTAP ? context.console.prefixed(output: "# ", errors: "") : context.console
    return try await run(DeviceChoice(wanted, pick: pick), console: console, outputs)
  }

  /// Runs the script on one device, as often as the plan says.
  ///
  /// - Throws: `CancellationError`, or why output ended.
  func run(_ target: DeviceChoice, console: Console, _ outputs: StreamOutputs) async throws -> RunOutcome {
    let start = Timestamp.now
    let link: DeviceConnection
    do {
      link = try await turns.withTurn(on: context.loop) {
        try await DeviceConnection.open(target, in: context)
      }
    } catch {
      return try obstructed(error, "\(target.device)", since: start)
    }
    let address = link.info.address
    outputs.send(.link(LinkRecord(event: .connected, address: address, name: link.info.name)))
    let live = LiveDevice(link, context, console: console) { outputs.send($0) }
    do {
      let outcome = try await plan.repeated(on: live, "\(address)", context.options, console)
      await live.close()
      outputs.send(.link(LinkRecord(event: .disconnected, address: address)))
      return outcome
    } catch {
      await live.close()
      throw error
    }
  }

  private func obstructed(_ error: any Error, _ device: String, since start: Timestamp) throws -> RunOutcome {
    plan.results.addObstacle(error, device, since: start)
    guard !Task.isCancelled, let obstacle = ErrorReport.understood(error, device: device) else { throw error }
    return RunOutcome(failure: obstacle)
  }
}

extension ScriptPlan {
  /// Runs the script as often as wanted; the first failure is the end, unless the plan says otherwise.
  func repeated(
    on device: any ScriptDevice, _ address: String, _ options: GlobalOptions, _ console: Console
  ) async throws -> RunOutcome {
    var outcome = RunOutcome()
    let goOn: ((CommandError) -> Void)? =
      keepsGoing ? { ErrorReport.print($0, verbosity: options.verbose, on: console) } : nil
    let interpreter = ScriptInterpreter(
      loaded, options: options, address: address, device: device, goOn: goOn)
    for repetition in 1...repetitions {
      let start = Timestamp.now
      let begin = LoopClock.now
      func keep(obstacle: CommandError?) {
        results.add(
          DeviceResult(
            device: address, repetition: repetition, start: start, time: LoopClock.now - begin,
            lines: interpreter.results, obstacle: obstacle))
      }
      do {
        try await interpreter.run()
      } catch {
        guard !Task.isCancelled, let failure = error as? CommandError else {
          keep(obstacle: ResultStore.understood(error, address))
          throw error
        }
        outcome.failure = outcome.failure ?? failure
      }
      keep(obstacle: nil)
      if outcome.failure != nil, !keepsGoing { break }
    }
    return outcome
  }
}

extension ScriptRunner {
  /// The search ends when no further device was heard for this long.
  private static let quietTime = Duration.seconds(5)

  /// Runs the script on all devices that match, some at once.
  ///
  /// - Throws: ``CommandError`` if none is heard; `CancellationError`.
  func runOnAll(_ jobs: Int, _ outputs: StreamOutputs) async throws -> RunOutcome {
    let addresses = try await context.showingProgress("looking for \(wanted)") { try await gather() }
    context.remark("found \(addresses.count) device\(addresses.count == 1 ? "" : "s")")
    var outcomes: [BluetoothAddress: RunOutcome] = [:]
    try await withThrowingTaskGroup(of: (BluetoothAddress, RunOutcome).self) { group in
      defer { group.cancelAll() }
      var waiting = addresses[...]
      func startNext() {
        guard let address = waiting.popFirst() else { return }
        group.addTask(executorPreference: context.loop) {
          (address, try await self.run(on: address, outputs))
        }
      }
      for _ in 0..<min(jobs, addresses.count) { startNext() }
      while let (address, outcome) = try await group.next() {
        outcomes[address] = outcome
        startNext()
      }
    }
    return ScriptRunner.summary(addresses.map { ($0, outcomes[$0] ?? RunOutcome()) })
  }

  private func run(on address: BluetoothAddress, _ outputs: StreamOutputs) async throws -> RunOutcome {
    let prefix = "\(address)\t"
    let isPlain = context.options.json
    let console = context.console.prefixed(
      output: (plan.isTAP ? "# " : "") + (isPlain ? "" : prefix), errors: prefix)
    let outcome = try await run(DeviceChoice(.address(address)), console: console, outputs)
    if let failure = outcome.failure {
      ErrorReport.print(failure, verbosity: context.options.verbose, on: console)
    }
    return outcome
  }

  /// The results of all devices; the failure names those that failed.
  static func summary(_ outcomes: [(address: BluetoothAddress, outcome: RunOutcome)]) -> RunOutcome {
    var all = RunOutcome()
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
    let central = try await context.bus.central()
    var found: Set<BluetoothAddress> = []
    for info in try await central.knownPeripherals() where info.isConnected && wanted.rank(of: info) != nil {
      found.insert(info.address)
    }
    let deadline = context.timeout.map { LoopClock.now + $0 }
    var scan = central.scan().makeAsyncIterator()
    var quiet = LoopClock.now + Self.quietTime
    while true {
      let limit = found.isEmpty ? deadline : deadline.map { min($0, quiet) } ?? quiet
      guard let batch = try await scan.nextBatch(until: limit) else { throw CancellationError() }
      for event in batch.elements where event.kind != .lost && wanted.rank(of: event.info) != nil {
        if found.insert(event.info.address).inserted { quiet = LoopClock.now + Self.quietTime }
      }
      if let limit, limit <= LoopClock.now { break }
    }
    if found.isEmpty {
      throw CommandError.absence(of: wanted, "none was found before the timeout")
    }
    return found.sorted { "\($0)" < "\($1)" }
  }
}
