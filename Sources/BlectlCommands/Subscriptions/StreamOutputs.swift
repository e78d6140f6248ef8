// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import TerminalOutput
internal import ValueStreams

/// Everything that a stream is written to: the output and the logs, each with a buffer and a thread of its own.
final class StreamOutputs: Sendable {
  private let workers: [OutputWorker]
  private let session: Session

  /// How long an output may go on writing what waits, after a signal has asked for the end.
  private static let patience = Duration.seconds(1)

  /// Starts a worker for each output.
  ///
  /// - Parameters:
  ///   - sinks: the output and the logs.
  ///   - buffer: how much may wait for each of them.
  ///   - session: the run of the command.
  init(_ sinks: [any OutputSink], buffer: SizeArgument, session: Session) {
    self.session = session
    let workers = sinks.map { sink in
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

  /// Sends a record that the command has printed itself; without outputs, it is not made at all.
  func log(_ record: @autoclosure () -> LoggedRecord) {
    if !workers.isEmpty { send(.record(record())) }
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
        guard outcome.lost > 0 else { continue }
        let records = outcome.lost == 1 ? "1 record was" : "\(outcome.lost) records were"
        losses.append((index, "\(records) not written to \(workers[index].name)"))
      }
      return (losses.sorted { $0.0 < $1.0 }.map(\.1), ended)
    }
  }
}
