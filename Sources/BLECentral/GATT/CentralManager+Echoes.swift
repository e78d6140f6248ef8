// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension CentralManager {
  /// How long the reply of a read is expected whose caller has given up: BlueZ gives up after 30 s itself, or asks
  /// somebody for a minute.
  private static let lateReplyTime = Duration.seconds(100)

  /// Calls ReadValue, and keeps its echo out of the notifications of the characteristic, however late it comes.
  func callRead(
    _ message: Message, _ target: AttributeTarget, until deadline: Deadline
  ) async throws(BLEError) -> Message {
    let promise = Promise<Conditions.Outcome<Message>>()
    beginRead(message, target, deadline.remaining.map { $0 + CentralManager.lateReplyTime }, promise)
    let timer = deadline.instant.map { loop.schedule(at: $0) { promise.fulfil(.timedOut) } }
    defer { if let timer { loop.cancel(timer) } }
    if let reply = try await outcome(of: promise, target.operation) { return reply }
    throw BLEError(.timedOut, operation: target.operation, message: "no answer in the time given")
  }

  private func beginRead(
    _ message: Message, _ target: AttributeTarget, _ limit: Duration?,
    _ promise: Promise<Conditions.Outcome<Message>>
  ) {
    let (path, operation) = (target.path, target.operation)
    readsUnderWay[path, default: 0] += 1
    notifySessions[path]?.readBegan()
    connection.assumeIsolated { connection in
      connection.begin(message, timeout: limit) { [weak self] outcome in
        guard let self else { return promise.fulfil(.cancelled) }
        assumeIsolated { central in
          central.readEnded(path, outcome)
          promise.fulfil(.met(outcome.mapError { central.reason(of: $0, for: operation) }))
        }
      }
    }
  }

  private func readEnded(_ path: String, _ outcome: Result<Message, DBusError>) {
    let isSuccess = if case .success = outcome { true } else { false }
    let left = (readsUnderWay[path] ?? 1) - 1
    readsUnderWay[path] = left == 0 ? nil : left
    notifySessions[path]?.readEnded(isSuccess: isSuccess)
  }
}
