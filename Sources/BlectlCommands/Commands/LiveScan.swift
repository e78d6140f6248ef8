// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import DBus
internal import TerminalOutput

/// A scan on a terminal that supports a ``LiveView``: redraws a table as devices appear, answers to keys, and leaves the
/// table at the end.
struct LiveScan {
  /// When a scan ends by itself.
  struct Limit: Sendable {
    /// Nil is never.
    let duration: Duration?
    /// Whether the person has asked for it: else it ends no scan whose keys are used.
    let isWanted: Bool
  }

  /// How a scan has ended.
  struct Outcome: Sendable {
    /// The number of devices heard.
    var heard = 0
    /// Whether a key ended it.
    var isEndedByKey = false
  }

  let session: Session
  /// Ends after this many devices.
  let maximum: Int?
  /// The model for estimating distances.
  let pathLoss: PathLoss
  let logs: StreamOutputs

  private static let frameTime = Duration.milliseconds(200)

  func run(_ events: ScanResults, for limit: Limit) async throws -> Outcome {
    let display = ScanDisplay(session, pathLoss: pathLoss)
    let outcome: Result<Bool, any Error>
    do {
      outcome = .success(try await show(events, on: display, for: limit))
    } catch {
      outcome = .failure(error)
    }
    try await display.close()
    return Outcome(heard: display.count, isEndedByKey: try outcome.get())
  }

  /// - Returns: whether a key ended it.
  private func show(
    _ events: ScanResults, on display: ScanDisplay, for limit: Limit
  ) async throws -> Bool {
    let (loop, maximum, logs) = (session.loop, maximum, logs)
    let records = ScanLines(isJSON: true, pathLoss: pathLoss)
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask(executorPreference: loop) {
        for try await event in events {
          // As in a pipe without --duplicates: every advertisement is for the screen only.
          if event.kind != .advertised { logs.log(records.logged(event)) }
          if display.note(event) >= maximum ?? .max { return false }
        }
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

  /// - Returns: true, once a key has ended the scan, or the task is cancelled.
  private static func takeKeys(for display: ScanDisplay, on loop: EventLoop) async -> Bool {
    let end = Promise<Void>()
    await Keyboard.read(on: loop, until: end) { if display.press($0) { end.fulfil(()) } }
    return true
  }
}
