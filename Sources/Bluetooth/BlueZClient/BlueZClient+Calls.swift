// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
package import DBus

/// Calls and exported objects, for code on the loop's thread.
extension BlueZClient {
  @discardableResult
  package func call(
    _ message: Message, for operation: Operation, over other: Connection? = nil,
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(BLEError) -> Message {
    do {
      return try await (other ?? connection).call(
        message, timeout: operation.deadline.remaining, observer: observer)
    } catch {
      throw reason(of: error, for: operation.action)
    }
  }

  /// Makes sure that the model knows a link over which BlueZ has answered; see ``ObjectModel/linkExists(_:)``.
  package func confirmLink(of path: String, for operation: Operation) async throws(BLEError) {
    guard model.devices[path]?.isConnected == false else { return }
    try await call(BlueZ.call(toGet: "Connected", of: BlueZ.device, at: path), for: operation) {
      [weak self] outcome in
      // In order with the signals: when the task resumes, the link may already be lost.
      guard case .success(let answer) = outcome, case .boolean(true)? = answer.values.first?.unwrapped else {
        return
      }
      self?.assumeIsolated { client in client.follow(client.model.linkExists(path)) }
    }
  }

  /// Calls BlueZ without waiting; `observer` gets the outcome in order with the signals.
  package nonisolated func begin(
    _ message: Message, timeout: Duration?, over other: Connection? = nil,
    observer: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) {
    (other ?? connection).assumeIsolated { $0.begin(message, timeout: timeout, observer: observer) }
  }

  /// Ends the calls to an object and its children that can no longer be answered.
  package nonisolated func abandonCalls(under path: String, _ message: String) {
    connection.assumeIsolated { $0.abandonCalls(under: path, because: message) }
  }

  package nonisolated func reason(of error: DBusError, for action: BLEError.Action) -> BLEError {
    let failure = BLEError(error, during: action)
    // The end of the service is the reason, whatever the bus answers to calls that never arrived.
    if error.origin == .reply || error.origin == .abandoned, let outage = assumeIsolated({ $0.outage }) {
      return outage.during(action).caused(by: failure)
    }
    // Calls that were pending fail as if the bus were lost.
    if error.origin == .disconnected,
      let end = assumeIsolated({ client in client.ending?.closing(after: client.outage) })
    {
      return end.during(action)
    }
    if error.origin == .disconnected { return busLoss.during(action) }
    // The adapter may have been unplugged.
    if error.origin == .abandoned,
      case .failure(let reason) = assumeIsolated({ $0.adapterInUse(for: action) })
    {
      return reason
    }
    return failure
  }

  /// Returns the error of an operation; if its time was over because bluetoothd itself answers nothing, the error says so.
  package func explained(_ error: BLEError) async -> BLEError {
    guard [.timedOut, .pairingTimedOut].contains(error.code), outage == nil || error.action == .queryService,
      !Task.isCancelled
    else { return error }
    if await isBusSilent() { return busLoss.during(error.action) }
    return await isHanging() ? error.ofHangingService : error
  }

  /// The error for a bus that is lost, or of no use while it is silent.
  package nonisolated var busLoss: BLEError {
    .busLost(to: host, isSilent: connection.assumeIsolated { $0.isSilent })
  }

  /// Returns whether the bus itself leaves a call unanswered.
  private func isBusSilent() async -> Bool {
    let isSilent = Promise<Bool>()
    connection.assumeIsolated { $0.lookForSilence { isSilent.fulfil($0) } }
    return await isSilent.value
  }

  /// Returns whether bluetoothd leaves calls unanswered that it needs nobody else for.
  ///
  /// One call is not enough: on a busy machine, bluetoothd may have answered others a moment ago.
  package func isHanging() async -> Bool {
    guard await isPingUnanswered() else { return false }
    return await isPingUnanswered()
  }

  private func isPingUnanswered() async -> Bool {
    // As long as a bluetoothd on a busy machine may take, and a round trip to another host.
    let isHanging = Promise<Bool>()
    begin(BlueZ.ping, timeout: .seconds(2)) { outcome in
      if case .failure(let error) = outcome {
        isHanging.fulfil(error.origin == .timedOut)
      } else {
        isHanging.fulfil(false)
      }
    }
    return await isHanging.value
  }

  /// Exports objects that BlueZ can call, until ``withdraw(_:)``.
  package nonisolated func export(_ objects: LocalObjects) {
    connection.assumeIsolated { $0.export(objects) }
  }

  /// Withdraws the exported objects below a root.
  package nonisolated func withdraw(_ root: String) { connection.assumeIsolated { $0.withdraw(root) } }
}
