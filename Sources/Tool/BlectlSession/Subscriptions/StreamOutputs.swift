// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BlectlArguments
package import TerminalOutput
package import ValueStreams

/// The destinations of a stream: the output and the logs, each with its own buffer and thread; on the way to them, stages.
package final class StreamOutputs: Sendable {
  private let workers: [OutputWorker]
  /// The page, for which nothing waits, and whose losses are not failures; also in ``all``.
  private let page: OutputWorker?
  /// The remote access for reading and writing over the links of the stream; nil if there is none.
  let control: RemoteControl?
  /// The workers, and the page.
  private let all: [OutputWorker]
  /// Gives an event that is passed on to all of them.
  private let deliver: @Sendable (StreamEvent) -> Void
  /// Nil passes on everything.
  private let stages: StageRunner?
  /// The values and averages still wanted; nil for all.
  private let left: RemainingValues?
  /// Is given the records that the command of `--exec` runs for.
  private let hook: RecordHook?
  /// True if the first one prints records, which the others log.
  private let printsRecords: Bool
  /// The registers of the outputs that want to know who is heard.
  private let sightings: [DeviceSightings]
  private let context: CommandContext
  private let wrongChecksums = WrongChecksums()

  /// The time limit for an output to write the rest of its buffer after a termination signal.
  private static let finishLimit = Duration.seconds(1)

  /// The time after which a device is missed that an alarm is for.
  private static let missingTime = Duration.seconds(60)

  /// Starts a worker for each output, with its own buffer.
  ///
  /// - Parameters:
  ///   - printer: prints records; nil prints nothing.
  ///   - sinks: the outputs.
  ///   - buffer: the buffer of each.
  ///   - rules: what happens to values on the way.
  ///   - left: the values and averages that are wanted after all stages; ``collect(_:)`` ends when they were sent.
  ///   - hook: the command of `--exec`.
  ///   - page: the page, which does not hold up anything.
  ///   - control: what others may read and write over the links of the stream.
  ///   - context: that of the command.
  package init(
    printer: RecordOutput? = nil, _ sinks: [any OutputSink], buffer: SizeArgument, rules: StageRules? = nil,
    left: RemainingValues? = nil, hook: RecordHook? = nil, page: WebOutput? = nil,
    control: RemoteControl? = nil,
    context: CommandContext
  ) {
    self.context = context
    self.left = left
    self.hook = hook
    sightings = sinks.compactMap { $0.sightings }
    printsRecords = printer != nil
    func worker(_ sink: any OutputSink) -> OutputWorker {
      OutputWorker(sink, capacity: buffer.bytes, room: "\(buffer)", report: context.console.warn)
    }
    let workers = ((printer.map { [$0] } ?? []) + sinks).map(worker)
    self.workers = workers
    self.control = control
    let page = page.map(worker)
    let all = workers + (page.map { [$0] } ?? [])
    (self.page, self.all) = (page, all)
    let deliver: @Sendable (StreamEvent) -> Void = { event in
      if let left, !left.take(event) { return }
      hook?.add(event)
      for worker in all { worker.send(event) }
    }
    self.deliver = deliver
    stages = rules.map { StageRunner($0, on: context.loop, deliver: deliver) }
    context.terminal.onResize { [weak self] in
      self?.redraw()
      return self != nil
    }
  }

  /// Redraws live views.
  func redraw() { for worker in workers { worker.nudge() } }

  package var loop: EventLoop { context.loop }

  /// The duration of a pause in reading, for outputs that are far behind.
  ///
  /// Meanwhile values wait in the bus daemon, or in their socket, which holds some 270 of 20 bytes. 64 are
  /// read between two pauses, so at least 6,400 a second: more than any radio brings.
  private static let holdTime = Duration.milliseconds(10)

  /// Sends an event to all of them; never waits.
  package func send(_ event: StreamEvent) {
    wrongChecksums.take(event)
    if let stages { stages.take(event) } else { deliver(event) }
  }

  /// Records that a device was heard, even if its values are not new.
  package func heard(_ device: HeardDevice, at time: Timestamp) {
    for sightings in sightings { sightings.note(device, at: LoopClock.now) }
    stages?.heard(device, at: time)
  }

  /// Prints a record, or `line` instead of its JSON, and logs it; without outputs, no record is made.
  package func report(_ record: @autoclosure () -> LoggedRecord, as line: [UInt8]? = nil) {
    guard printsRecords, let line else {
      if !all.isEmpty { send(.record(record())) }
      return
    }
    workers[0].send(.line(line))
    let logs = all.dropFirst()
    guard !logs.isEmpty else { return }
    let event = StreamEvent.record(record())
    for log in logs { log.send(event) }
  }

  /// True if there is a page, which shows more than is printed and logged.
  package var hasPage: Bool { page != nil }

  /// Reports what happens to the reception of a host; only on the page unless it `isLogged`.
  package func report(_ record: ReceptionRecord, isLogged: Bool) {
    let logged = LoggedRecord(record, about: .everything)
    if isLogged { report(logged) } else { show(logged) }
  }

  /// Shows a record on the page only.
  package func show(_ record: LoggedRecord) { page?.send(.record(record)) }

  /// Pauses reading while an output is far behind but progresses, so that a flood does not fill the memory.
  package func pace() {
    let limit = LoopClock.now + StreamOutputs.holdTime
    for worker in workers { worker.awaitHalf(until: limit) }
  }

  /// Runs `body` until an output fails for good, then writes the rest; also throws if records were lost.
  package func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    var failure: (any Error)?
    do {
      var bodies = [body]
      for worker in workers { bodies.append { if let error = await worker.failure() { throw error } } }
      if let hook { bodies.append { try await hook.run() } }
      if let left { bodies.append { await left.reached() } }
      if let stages { bodies.append { try await self.remarkLater(stages) } }
      try await loop.race(bodies)
    } catch {
      failure = error
    }
    if let stages {
      stages.finish()
      if failure == nil || Task.isCancelled { remark(stages) }
    }
    if let remark = wrongChecksums.remark { context.console.warn(remark) }
    do { try await hook?.finish() } catch { failure = failure ?? error }
    let (losses, ended) = await finish()
    // A reader may also close the pipe while the rest is written.
    if failure == nil, !Task.isCancelled { failure = ended }
    // The first reason counts; missing records are reported in any case.
    if failure == nil, !Task.isCancelled, let first = losses.first {
      failure = CommandError(status: .failed, message: first, details: Array(losses.dropFirst()))
    } else {
      for loss in losses { context.console.warn(loss) }
    }
    if let failure { throw failure }
  }

  /// Reports what is missing for alarms when there was time to be heard; then waits until it is cancelled.
  private func remarkLater(_ stages: StageRunner) async throws {
    try await loop.sleep(for: StreamOutputs.missingTime)
    remark(stages)
    await Promise<Void>().value(ifCancelled: ())
  }

  private func remark(_ stages: StageRunner) {
    for remark in stages.takeRemarks() { context.console.warn(remark) }
  }

  /// Describes the unwritten records, a sentence for each output, and why one of them ended early.
  private func finish() async -> (losses: [String], ended: (any Error)?) {
    let (workers, all, loop) = (workers, all, context.loop)
    return await withTaskGroup(of: (Int, OutputWorker.Outcome).self) { group in
      for (index, worker) in all.enumerated() {
        group.addTask(executorPreference: loop) {
          (index, await worker.finish(limit: StreamOutputs.finishLimit, on: loop))
        }
      }
      var losses: [(Int, String)] = []
      var ended: (any Error)?
      // The page is the last one.
      for await (index, outcome) in group where index < workers.count {
        if let failure = outcome.failure {
          ended = ended ?? failure
          continue
        }
        if let reason = outcome.endFailure {
          losses.append((index, "cannot write \(workers[index].name): \(reason)"))
        }
        if let loss = outcome.loss(on: workers[index].name) { losses.append((index, loss)) }
      }
      return (losses.sorted { $0.0 < $1.0 }.map(\.1), ended)
    }
  }
}

extension RemainingValues {
  /// Takes a value, one of those that stages pass on, or an average; others always count as wanted.
  fileprivate func take(_ event: StreamEvent) -> Bool {
    switch event {
    case .values, .average: take(1) == 1
    case .link, .reception, .alarm, .absence, .dropped, .written, .served, .record, .line: true
    }
  }
}

extension OutputWorker.Outcome {
  /// Describes the records that an output lacks; nil if it has all of them.
  package func loss(on name: String) -> String? {
    let records = { (count: Int) in count == 1 ? "1 record" : "\(count) records" }
    let certain = "\(records(lost)) \(lost == 1 ? "was" : "were") not written to \(name)"
    return switch (lost, uncertain) {
    case (0, 0): nil
    case (0, _): "\(records(uncertain)) may not have been written to \(name)"
    case (_, 0): certain
    case (_, _): "\(certain); \(uncertain) more may not have been"
    }
  }
}

extension StreamOutputs {
  /// Runs `body`, which brings the events, until it ends or a key of the view among the outputs cancels it.
  package func takeKeys(
    for view: LiveKeys?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let view else { return try await body() }
    let loop = loop
    try await loop.race(
      body,
      {
        await Keyboard.read(on: loop, until: view.end) { keys in
          view.add(keys)
          self.redraw()
        }
      })
  }
}

extension StreamOutputs {
  /// The output of a command that prints only now and then, and whose work must not wait for the reader.
  ///
  /// Records are printed with `--json` only, lines always.
  package static func ofRecords(in context: CommandContext) -> StreamOutputs {
    StreamOutputs(
      printer: RecordOutput(context.console, isJSON: context.options.json), [], buffer: SizeArgument(1 << 20),
      context: context)
  }
}
