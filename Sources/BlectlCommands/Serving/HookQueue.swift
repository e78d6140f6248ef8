// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

/// The written values for which the command of `--exec` still has to run, one at a time and in order.
///
/// Only tasks on the loop use it.
final class HookQueue: @unchecked Sendable {
  /// How many values may wait.
  private static let limit = 4096

  private let hook: EventHook
  private var waiting: ArraySlice<ServedRecord> = []
  /// Fulfilled when a value comes, or the end.
  private var arrival: Promise<Void>?
  private var isFinished = false
  private var hasDropped = false
  /// Runs the command; it outlives the tasks that bring the values.
  private var work: Task<Void, any Error>?
  /// Fulfilled when the command cannot be run.
  private let failing = Promise<(any Error)?>()

  init(_ hook: EventHook) { self.hook = hook }

  /// Adds a written value; says once that the command is too slow.
  func add(_ record: ServedRecord) {
    if waiting.count < Self.limit {
      waiting.append(record)
      arrival?.fulfil(())
    } else if !hasDropped {
      hasDropped = true
      hook.session.console.warn(
        "the command of --exec is too slow: it does not run for every written value")
    }
  }

  /// Runs the command for each value, until it cannot be run, or this is cancelled: ``finish()`` then runs it for the rest.
  func run() async throws {
    work = Task(executorPreference: hook.session.loop) {
      do { try await self.work() } catch {
        self.failing.fulfil(error is CancellationError ? nil : error)
        throw error
      }
    }
    if let error = await failing.value(ifCancelled: nil) { throw error }
  }

  private func work() async throws {
    while true {
      if let record = waiting.popFirst() {
        try await hook.run(record)
      } else if isFinished {
        return
      } else {
        let arrival = Promise<Void>()
        self.arrival = arrival
        await arrival.value(ifCancelled: ())
        try Task.checkCancellation()
      }
    }
  }

  /// Runs the command for the values that wait; if this is cancelled, ends it, and says for how many it did not run.
  ///
  /// - Throws: why the command cannot be run.
  func finish() async throws {
    isFinished = true
    arrival?.fulfil(())
    guard let work else { return }
    let outcome = await withTaskCancellationHandler {
      await work.result
    } onCancel: {
      work.cancel()
    }
    guard case .failure(let error) = outcome else { return }
    if !waiting.isEmpty {
      hook.session.console.warn(
        "the command of --exec did not run for the last written values: \(waiting.count)")
    }
    throw error
  }
}

extension ServedRecord: HookRecord {
  var hookEvent: String { event.rawValue }
  var hookAddress: BluetoothAddress? { address }
  var hookVariables: [String: String] {
    var variables = ["BLECTL_NAME": name ?? ""]
    variables["BLECTL_ADAPTER"] = adapter
    variables["BLECTL_SERVICE"] = attribute?.service.longForm
    variables["BLECTL_CHARACTERISTIC"] = attribute?.characteristic.longForm
    variables["BLECTL_DESCRIPTOR"] = attribute?.descriptor?.longForm
    variables["BLECTL_VALUE"] = value.map { Hex.string($0) }
    return variables
  }
}
