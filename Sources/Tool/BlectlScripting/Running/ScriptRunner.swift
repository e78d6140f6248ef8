// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

/// Runs a script on one device, or on all that match, and keeps a record.
final class ScriptRunner: Sendable {
  private let plan: ScriptPlan
  private let context: CommandContext
  private let target: DeviceChoice
  /// A radio makes one connection at a time.
  private let turns = AsyncMutex()
  /// The names of several devices, with their addresses: for reports, and the error about those that failed.
  private let titles = Lock<[DeviceArgument: String]>([:])

  init(_ plan: ScriptPlan, _ target: DeviceChoice, _ context: CommandContext) {
    (self.plan, self.target, self.context) = (plan, target, context)
  }

  /// Runs the script on one device; with jobs, on all, that many at once.
  ///
  /// - Returns: the failure of the script; nil if it succeeded.
  /// - Throws: why the run could not begin or continue.
  func run(onAllWith jobs: Int?, recordingTo path: String?) async throws -> CommandError? {
    let sinks = try path.map { [try recorder($0)] } ?? []
    let outputs = StreamOutputs(sinks, buffer: SizeArgument(64 << 20), context: context)
    let failure = Lock<CommandError?>(nil)
    try await outputs.collect {
      let result =
        if let jobs { try await self.runOnAll(jobs, outputs) } else { try await self.runOnOne(outputs) }
      failure.exchange(result)
    }
    return failure.withLock(\.self)
  }

  /// The record is a new file: two records in one cannot be checked.
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

  private func runOnOne(_ outputs: StreamOutputs) async throws -> CommandError? {
    let console = plan.isTAP ? context.console.prefixed(output: "# ", errors: "") : context.console
    return try await run(target, console: console, outputs) { $0.title }
  }

  private func run(
    _ target: DeviceChoice, console: Console, _ outputs: StreamOutputs,
    naming title: (DeviceConnection) -> String
  ) async throws -> CommandError? {
    let start = Timestamp.now
    let link: DeviceConnection
    do {
      link = try await turns.withTurn(on: context.loop) {
        try await DeviceConnection.open(target, in: context)
      }
    } catch {
      return try obstructed(error, "\(target.device)", since: start)
    }
    let address = link.info.lastingAddress
    outputs.send(.link(LinkRecord(event: .connected, address: address, name: link.info.name)))
    let live = LiveDevice(link, context, console: console) { outputs.send($0) }
    do {
      let failure = try await plan.repeated(
        on: live, "\(address)", named: title(link), context.options, console)
      await live.close()
      outputs.send(.link(LinkRecord(event: .disconnected, address: address)))
      return failure
    } catch {
      await live.close()
      throw error
    }
  }

  private func obstructed(
    _ error: any Error, _ device: String, since start: Timestamp
  ) throws -> CommandError? {
    let host = context.options.onlyHost
    plan.results.addObstacle(error, device, on: host, since: start)
    guard !Task.isCancelled, let obstacle = ErrorReport.understood(error, device: device, on: host) else {
      throw error
    }
    return obstacle
  }
}

extension ScriptRunner {
  /// - Throws: ``CommandError`` if no device is heard; `CancellationError`.
  private func runOnAll(_ jobs: Int, _ outputs: StreamOutputs) async throws -> CommandError? {
    let all = DeviceJobs(target.device, jobs: jobs, in: context)
    let devices = try await context.showingProgress("looking for \(target.device)") {
      try await all.find(within: context.timeout)
    }
    context.remark("found \(counted(devices.count, "device"))")
    let failures = try await all.run(on: devices) { try await self.run(on: $0, outputs) }
    let titles = titles.withLock(\.self)
    return ScriptRunner.summary(devices.map { (titles[$0] ?? "\($0)", failures[$0]) })
  }

  private func run(on device: DeviceArgument, _ outputs: StreamOutputs) async throws -> CommandError? {
    let prefix = "\(device)\t"
    let isPlain = context.options.json
    let console = context.console.prefixed(
      output: (plan.isTAP ? "# " : "") + (isPlain ? "" : prefix), errors: prefix)
    let failure = try await run(DeviceChoice(device), console: console, outputs) { link in
      let name = link.info.name.map { "\($0) (\(link.title))" } ?? link.title
      return titles.withLock { titles in
        titles[device] = name
        return name
      }
    }
    if let failure { ErrorReport.print(failure, verbosity: context.options.verbose, on: console) }
    return failure
  }

  /// One error for all devices, which names those that failed; nil if none failed.
  static func summary(_ results: [(device: String, failure: CommandError?)]) -> CommandError? {
    DeviceJobs.summary(of: "complete the script on", results)
  }
}
