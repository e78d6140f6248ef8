// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments
package import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// A scan on a terminal that supports a ``LiveView``: redraws a table as devices appear, handles keys, and
/// leaves the table at the end.
package struct LiveScan {
  /// The time limit after which a scan ends by itself.
  package struct Limit: Sendable {
    /// Nil is never.
    package let duration: Duration?
    /// True if the user requested it; otherwise the use of any key lifts it.
    package let isWanted: Bool

    package init(duration: Duration?, isWanted: Bool) {
      self.duration = duration
      self.isWanted = isWanted
    }
  }

  package struct Outcome: Sendable {
    /// The number of devices heard.
    package var heard = 0
    package var isEndedByKey = false
    /// The errors of hosts that stopped listening while others continued.
    package var failures: [CommandError] = []

    package init() {}
  }

  /// One of the places that listen.
  package struct Source: Sendable {
    package let context: CommandContext
    package let reception: Reception

    /// Nil for a single host.
    package var host: String? { reception.host }

    package init(context: CommandContext, reception: Reception) {
      self.context = context
      self.reception = reception
    }
  }

  package let context: CommandContext
  /// Ends after this many devices.
  package let maximum: Int?
  package let pathLoss: PathLoss
  package let logs: StreamOutputs

  package init(context: CommandContext, maximum: Int?, pathLoss: PathLoss, logs: StreamOutputs) {
    self.context = context
    self.maximum = maximum
    self.pathLoss = pathLoss
    self.logs = logs
  }

  private static let frameTime = Duration.milliseconds(200)

  package func run(_ sources: [Source], for limit: Limit) async throws -> Outcome {
    let hosts = sources.compactMap { source in source.host.map { ($0, source.context) } }
    let display = ScanDisplay(
      context, hosts: Dictionary(hosts) { first, _ in first }, pathLoss: pathLoss)
    let failures = Lock<[CommandError]>([])
    let outcome = await Result { try await show(sources, failures, on: display, for: limit) }
    try await display.close()
    var ending = Outcome()
    (ending.heard, ending.isEndedByKey) = (display.count, try outcome.get())
    ending.failures = failures.withLock(\.self)
    return ending
  }

  /// - Returns: whether a key ended it.
  private func show(
    _ sources: [Source], _ failures: Lock<[CommandError]>, on display: ScanDisplay, for limit: Limit
  ) async throws -> Bool {
    let loop = context.loop
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask(executorPreference: loop) {
        try await listen(to: sources, failures, on: display)
        return false
      }
      // Ends the scan when the terminal is closed.
      group.addTask(executorPreference: loop) {
        while true {
          await display.refresh()
          try display.draw()
          try await loop.sleep(for: LiveScan.frameTime)
        }
      }
      if Keyboard.isPossible {
        group.addTask(executorPreference: loop) { await LiveScan.takeKeys(for: display, on: loop) }
      }
      if let duration = limit.duration {
        group.addTask(executorPreference: loop) {
          try await loop.sleep(for: duration)
          if !limit.isWanted, display.hasTakenKeys { try await loop.sleep(for: .seconds(Int32.max)) }
          return false
        }
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }

  /// Listens until there are enough devices, or the last source ends; throws the error of a single host.
  private func listen(
    to sources: [Source], _ failures: Lock<[CommandError]>, on display: ScanDisplay
  ) async throws {
    // One of several hosts may be the only one that was reached: its error has to say where it happened.
    if sources.count == 1, sources[0].host == nil { return try await listen(to: sources[0], on: display) }
    await withTaskGroup(of: Void.self) { group in
      for source in sources {
        group.addTask(executorPreference: context.loop) {
          do {
            try await listen(to: source, on: display)
          } catch {
            guard let error = ErrorReport.understood(error, device: nil, on: source.context.options.onlyHost)
            else { return }
            failures.withLock { $0.append(error) }
          }
        }
      }
      while await group.next() != nil, display.count < maximum ?? .max {}
      group.cancelAll()
    }
  }

  private func listen(to source: Source, on display: ScanDisplay) async throws {
    let records = ScanLines(
      isJSON: true, pathLoss: pathLoss, host: source.host, decoder: context.decoder)
    let isPersistent = source.reception.isPersistent
    try await source.reception.run { record in
      logs.report(record, isLogged: isPersistent)
    } _: { events in
      for event in events {
        // As in a pipe without --duplicates, advertisements are only for the screen.
        if event.kind != .advertised {
          logs.report(records.logged(event))
        } else if logs.hasPage {
          logs.show(records.logged(event))
        }
        if display.note(event, from: source.host) >= maximum ?? .max { return false }
      }
      return true
    }
  }

  /// - Returns: true after a key ended the scan, or the task was cancelled.
  private static func takeKeys(for display: ScanDisplay, on loop: EventLoop) async -> Bool {
    let end = Promise<Void>()
    await Keyboard.read(on: loop, until: end) { if display.press($0) { end.fulfil(()) } }
    return true
  }
}
