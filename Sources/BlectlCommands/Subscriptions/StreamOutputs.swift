// SPDX-License-Identifier: MIT
internal import DBus

/// Everything that a stream is written to: the output and the logs, each with a buffer and a thread of its own.
final class StreamOutputs: Sendable {
  private let workers: [OutputWorker]
  private let session: Session

  /// How long an output may take what waits, after a signal has asked for the end.
  private static let patience = Duration.seconds(1)

  /// Opens them.
  ///
  /// - Parameters:
  ///   - sinks: those that are no logs.
  ///   - options: the logs.
  ///   - characteristics: whose values are written.
  ///   - session: the run of the command.
  /// - Throws: ``CommandError`` when a log cannot be written.
  init(
    _ sinks: [any OutputSink], _ options: LogOptions, characteristics: [CharacteristicArgument],
    session: Session
  ) throws(CommandError) {
    let console = session.console
    let report = { @Sendable (text: String) in console.note("blectl: " + TerminalSafe.escaped(text)) }
    let logs = try options.open(for: characteristics.compactMap(\.writtenUUID), report: report)
    self.session = session
    let workers = (sinks + logs).map { sink in
      OutputWorker(sink, capacity: options.buffer.bytes, room: "\(options.buffer)", report: report)
    }
    self.workers = workers
    session.onResize { for worker in workers { worker.nudge() } }
  }

  /// How long reading is held up at a time for outputs that are far behind.
  ///
  /// Meanwhile values wait in the bus daemon, or in the socket that they come through, which has room for some 270 of 20
  /// bytes: more than any radio brings. 64 are read between two times, 6,400 a second at least.
  private static let holdTime = Duration.milliseconds(10)

  /// Sends an event to all of them; never waits.
  func send(_ event: StreamEvent) {
    for worker in workers { worker.send(event) }
  }

  /// Holds up reading for a moment while an output is far behind and moves, so that a flood as fast as it is read does
  /// not fill the memory.
  func pace() {
    let limit = ContinuousClock.now + StreamOutputs.holdTime
    for worker in workers { worker.awaitHalf(until: limit) }
  }

  /// Runs what brings the events, no longer than all outputs can be written to; then lets them write what waits.
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
    // A reader may also go while what waited is written.
    if failure == nil, !Task.isCancelled { failure = ended }
    // The first reason counts; that records are missing is told in any case.
    if failure == nil, !Task.isCancelled, let first = losses.first {
      failure = CommandError(status: .failed, message: first, details: Array(losses.dropFirst()))
    } else {
      for loss in losses { session.console.note("blectl: " + TerminalSafe.escaped(loss)) }
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
        guard outcome.lost > 0 else { continue }
        let records = outcome.lost == 1 ? "1 record was" : "\(outcome.lost) records were"
        losses.append((index, "\(records) not written to \(workers[index].name)"))
      }
      return (losses.sorted { $0.0 < $1.0 }.map(\.1), ended)
    }
  }
}
