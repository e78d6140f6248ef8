// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import Charts
internal import TerminalOutput
internal import ValueLogs
internal import ValueStreams

/// Everything that a stream is written to: the output and the logs, each with a buffer and a thread of its own.
final class StreamOutputs: Sendable {
  private let workers: [OutputWorker]
  /// Whether the first of them prints records, which the others log.
  private let printsRecords: Bool
  private let session: Session

  /// How long an output may go on writing what waits, after a signal has asked for the end.
  private static let patience = Duration.seconds(1)

  /// Starts a worker for each output.
  ///
  /// - Parameters:
  ///   - printer: prints the records of ``report(_:as:)``; nil where nothing does.
  ///   - sinks: the output and the logs.
  ///   - buffer: how much may wait for each of them.
  ///   - session: the run of the command.
  init(printer: RecordOutput? = nil, _ sinks: [any OutputSink], buffer: SizeArgument, session: Session) {
    self.session = session
    printsRecords = printer != nil
    let workers = ((printer.map { [$0] } ?? []) + sinks).map { sink in
      OutputWorker(sink, capacity: buffer.bytes, room: "\(buffer)", report: session.console.warn)
    }
    self.workers = workers
    session.onResize { [weak self] in self?.redraw() }
  }

  /// Has live charts drawn again.
  func redraw() { for worker in workers { worker.nudge() } }

  var loop: EventLoop { session.loop }

  /// How long reading pauses for outputs that are far behind.
  ///
  /// Meanwhile values wait in the bus daemon, or in their socket, which has room for some 270 of 20 bytes. 64 are read
  /// between two pauses, so at least 6,400 a second: more than any radio brings.
  private static let holdTime = Duration.milliseconds(10)

  /// Sends an event to all of them; never waits.
  func send(_ event: StreamEvent) {
    for worker in workers { worker.send(event) }
  }

  /// Prints a record, and logs it; without outputs, it is not made at all.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - line: what is printed instead of its JSON.
  func report(_ record: @autoclosure () -> LoggedRecord, as line: [UInt8]? = nil) {
    guard printsRecords, let line else {
      if !workers.isEmpty { send(.record(record())) }
      return
    }
    workers[0].send(.line(line))
    let logs = workers.dropFirst()
    guard !logs.isEmpty else { return }
    let event = StreamEvent.record(record())
    for log in logs { log.send(event) }
  }

  /// Pauses reading for a moment while an output is far behind but moves, so that a flood does not fill the memory.
  func pace() {
    let limit = ContinuousClock.now + StreamOutputs.holdTime
    for worker in workers { worker.awaitHalf(until: limit) }
  }

  /// Runs what brings the events, until an output fails for good; then writes what waits.
  ///
  /// - Throws: what `body` throws; why an output ended; ``CommandError`` when records could not be written.
  func collect(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let loop = session.loop
    var failure: (any Error)?
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: loop) { try await body() }
        for worker in workers {
          group.addTask(executorPreference: loop) { if let error = await worker.failure() { throw error } }
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      failure = error
    }
    let (losses, ended) = await finish()
    // A reader may also close the pipe while the rest is written.
    if failure == nil, !Task.isCancelled { failure = ended }
    // The first reason counts; missing records are reported in any case.
    if failure == nil, !Task.isCancelled, let first = losses.first {
      failure = CommandError(status: .failed, message: first, details: Array(losses.dropFirst()))
    } else {
      for loss in losses { session.console.warn(loss) }
    }
    if let failure { throw failure }
  }

  /// What was not written, a sentence for each output; and why one of them ended early.
  private func finish() async -> (losses: [String], ended: (any Error)?) {
    let (workers, loop) = (workers, session.loop)
    return await withTaskGroup(of: (Int, OutputWorker.Outcome).self) { group in
      for (index, worker) in workers.enumerated() {
        group.addTask(executorPreference: loop) {
          (index, await worker.finish(patience: StreamOutputs.patience, on: loop))
        }
      }
      var losses: [(Int, String)] = []
      var ended: (any Error)?
      for await (index, outcome) in group {
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

extension OutputWorker.Outcome {
  /// The records that an output lacks, as a sentence; nil when it has all of them.
  func loss(on name: String) -> String? {
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

extension LogOptions {
  /// Opens the logs, in the order in which they were given.
  ///
  /// - Parameters:
  ///   - characteristics: whose decoded values get columns in a table.
  ///   - announcesSensors: whether sensors are announced to Home Assistant, at the brokers.
  ///   - isPatient: whether a broker that is away is waited for while the log is written; nil if the command cannot.
  ///   - session: the run of the command.
  /// - Returns: the logs as outputs.
  /// - Throws: ``CommandError`` for the first that cannot be written; `CancellationError`.
  func sinks(
    for characteristics: [CharacteristicArgument] = [], announcesSensors: Bool = false,
    isPatient: Bool? = nil, in session: Session
  ) async throws -> [any OutputSink] {
    var sinks: [any OutputSink] = []
    let uuids = characteristics.compactMap(\.writtenUUID)
    for log in logs {
      if case .broker(let address) = log.kind {
        sinks.append(
          try await BrokerLog.open(
            log, at: address, announcesSensors: announcesSensors, isPatient: isPatient, in: session))
        continue
      }
      if log.isOutput {
        sinks.append(LineOutput(session.console, format: InfluxLines()))
        continue
      }
      do throws(OutputError) {
        sinks.append(try file(log, uuids, session.console.warn))
      } catch {
        throw CommandError(status: .failed, message: "cannot write \(log.path): \(error)")
      }
    }
    return sinks
  }

  private func file(
    _ log: LogArgument, _ characteristics: [BluetoothUUID], _ report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) -> any OutputSink {
    let format: any TextLogFormat
    switch log.kind {
    case .sqlite: return try SQLiteLog(path: log.path, rotation: rotation, report: report)
    case .csv: format = CSVTable(for: characteristics)
    case .influx: format = InfluxLines()
    case .ndjson, .broker: format = EventJSON()
    }
    return try TextLog(path: log.path, format: format, rotation: rotation, report: report)
  }
}

extension PlotOptions {
  /// The outputs of a stream: lines or a live chart on stdout, and a chart in a file.
  ///
  /// - Parameters:
  ///   - style: how values are printed; nil where a log takes the place of that.
  ///   - keys: what a person types at the live chart; nil without a keyboard.
  ///   - format: how a chart reads values.
  ///   - session: the run of the command.
  /// - Returns: the outputs.
  /// - Throws: ``CommandError`` without a terminal to draw on, or when the file cannot be written.
  func sinks(
    _ style: ValueStyle?, keys: PlotKeys?, format: ValueFormat?, in session: Session
  ) throws(CommandError) -> [any OutputSink] {
    let (seconds, attoseconds) = window?.limit?.components ?? (0, 0)
    let length = Double(seconds) + Double(attoseconds) / 1e18
    func chart(keepsAll: Bool) -> Chart {
      Chart(format: format, window: length > 0 ? length : nil, keepsAll: keepsAll)
    }
    var sinks: [any OutputSink] = []
    if plot {
      guard LiveView.isPossible(on: session.console) else {
        throw .usage(
          "cannot plot: stdout is not a terminal that supports drawing",
          hint: "--plot-svg FILE writes the chart to a file and prints lines as usual")
      }
      sinks.append(TerminalPlot(chart(keepsAll: keys != nil), on: session.console, keys: keys))
    } else if let style {
      sinks.append(ConsoleOutputSink(session.console, style))
    }
    guard let svg else { return sinks }
    do throws(OutputError) {
      sinks.append(try SVGPlot(chart(keepsAll: false), path: svg))
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(TerminalSafe.escaped(svg)): \(error)")
    }
    return sinks
  }
}

extension StreamOutputs {
  /// Runs what brings the events, until it ends or a person presses `q`; other keys are for the live chart.
  ///
  /// - Parameters:
  ///   - chart: where the keys go; nil without a keyboard.
  ///   - body: what brings the events; `q` cancels it.
  /// - Throws: what `body` throws.
  func takeKeys(for chart: PlotKeys?, _ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let chart else { return try await body() }
    let loop = loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await body() }
      group.addTask(executorPreference: loop) {
        let end = Promise<Void>()
        await Keyboard.read(on: loop, until: end) { keys in
          chart.add(keys)
          self.redraw()
          if keys.contains(.character("q")) { end.fulfil(()) }
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
