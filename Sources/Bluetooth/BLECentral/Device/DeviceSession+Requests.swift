// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Requests that the device answers, and those that it does not because they require pairing.
extension DeviceSession {
  private static let stalled = "the link carries nothing more, since a request on it requires pairing"

  /// True if another link takes the place of the last one, now or with the next request: a link on which a
  /// request requires pairing carries nothing more, and BlueZ 5.87 ends it.
  var isReplacing: Bool { renewals > 0 || requests.isStalled || requests.suspect != nil }

  /// Returns whether there is a link, or another one takes its place.
  func hasLink(in model: ObjectModel) -> Bool { model.devices[path]?.isConnected == true || isReplacing }

  /// Sends a request when the link carries requests, and again if it waited behind one that requires pairing.
  ///
  /// Meanwhile the manager's agent hears whether BlueZ wants to pair for the request, and refuses. A request that is
  /// not repeatable (`isRepeatable`) then fails with the link. `message` makes the call just before it is sent, each
  /// time; `answered` gets the outcome in order with the signals, even after the caller gave up.
  ///
  /// - Throws: ``BLEError``: `notPaired` in a moment, where BlueZ would not answer for 30 s.
  func exchange(
    _ operation: Operation, isRepeatable: Bool = true,
    answered: ((Result<Message, DBusError>) -> Void)? = nil, _ message: () -> Message
  ) async throws(BLEError) -> Message {
    while true {
      try await core.requireLink(of: self, operation)
      await core.agent.watch(operation)
      defer { core.agent.unwatch() }
      let request = requests.begin()
      watchSuspect()
      do throws(BLEError) {
        let reply: Message
        if let answered {
          let wait = Promise<Result<Message, BLEError>>()
          let limit = operation.deadline.remaining.map { $0 + CentralCore.lateReplyTime }
          let observer = core.loop.confined { [client = core.client] outcome in
            answered(outcome)
            wait.fulfil(outcome.mapError { client.reason(of: $0, for: operation.action) })
          }
          let message = message()
          core.connection.assumeIsolated { $0.begin(message, timeout: limit, observer: observer) }
          guard let outcome = try await wait.value(for: operation, on: core.loop) else {
            throw operation.error(.timedOut, "no answer before the timeout")
          }
          reply = try outcome.get()
        } else {
          reply = try await core.client.call(message(), for: operation)
        }
        _ = requests.end(request, .answered)
        lookForEnd()
        return reply
      } catch {
        if let error = failure(of: request, error, operation, isRepeatable) { throw error }
      }
    }
  }

  /// Records that a request failed; returns its error, or nil if it is to be sent again over another link.
  private func failure(
    of request: Int, _ error: BLEError, _ operation: Operation, _ isRepeatable: Bool
  ) -> BLEError? {
    let wasStalled = requests.isStalled
    let fate = requests.end(
      request, error.isAnswerOfDevice ? .answered : error.isForeignRequest ? .notSent : .unanswered)
    if requests.isStalled, !wasStalled { linkStalled() }
    lookForEnd()
    watchSuspect()
    switch fate {
    case .refused(let need) where error.code != .cancelled: return need.error(during: operation)
    case .heldBack where isRepeatable && !operation.deadline.isOver && error.code != .cancelled: return nil
    default: return error
    }
  }

  /// Handles the refusal of a pairing that BlueZ wanted without a call of Pair.
  func pairingRefused(_ need: PairingNeed) {
    requests.refuse(need)
    watchSuspect()
  }

  /// Declares the link stalled if the suspect stays unanswered.
  private func watchSuspect() {
    guard let suspect = requests.suspect else { return }
    _ = core.loop.schedule(at: LoopClock.now + OpenRequests.grace) { [weak self] in
      guard let self, core.sessions.devices[path] === self, requests.graceEnded(of: suspect) else { return }
      linkStalled()
    }
  }

  /// Ends everything that a stalled link would never complete: open requests, notifications, pending writes.
  private func linkStalled() {
    core.logger.debug("\(path): \(DeviceSession.stalled)")
    forgetWithLink()
    commands.linkLost()
    for service in core.client.model.services.values where service.devicePath == path {
      core.client.abandonCalls(under: service.path, DeviceSession.stalled)
    }
    for attribute in core.sessions.attributes(of: self) where attribute.notifications?.isRunning == true {
      // Otherwise BlueZ's `Notifying` would look like another program's, for which the link would stay.
      attribute.notifications?.stopSignals()
      attribute.endNotifications(
        because: BLEError(.disconnected, during: .receiveNotifications, DeviceSession.stalled))
    }
    lookForEnd()
  }

  /// Evaluates the conditions again that depend on whether a lost link is replaced.
  func lookForEnd() {
    if link.isLost { core.evaluateConditions() }
  }
}

extension DeviceSession {
  /// Handles the failure of a pairing that BlueZ began for a request, which it has lost with it.
  func pairingFailed() { if link.isLost { forgetWithLink() } }

  /// Lets BlueZ forget the device with the link, or at once without one, if this manager opened it, to a device that is
  /// neither paired nor trusted.
  private func forgetWithLink() {
    let shown = core.client.model.devices[path]
    if link.isOurs, shown?.isPaired == false, shown?.isTrusted == false { forgetting = .due }
    if link.isLost { forget() }
  }

  /// Lets BlueZ forget the device, and end its link, if that is due.
  ///
  /// BlueZ loses the request that waits for pairing with the link: since 5.82, it never answers another one on that
  /// attribute, even of a device that has paired, until its object is gone. BlueZ forgets such a device in any case,
  /// 30 s after its last link.
  func forget() {
    guard forgetting == .due else { return }
    forgetting = .asked
    let message = Message(
      call: "RemoveDevice", of: BlueZ.adapter, at: BlueZ.adapterPath(ofDevice: path), to: BlueZ.service
    ) { $0.objectPath(path) }
    let answered = core.loop.confined { [weak self] (outcome: Result<Message, DBusError>) in
      guard case .failure(let error) = outcome, error.origin == .reply, let self, forgetting == .asked,
        core.client.reason(of: error, for: .releaseLink).isRefusalToClose
      else { return }
      forgetting = core.isConnected(path) ? .due : .no
      LinkCloser(device: self).wasRefusedLate()
    }
    core.client.begin(message, timeout: nil, observer: answered)
  }
}

extension PairingNeed {
  func error(during operation: Operation) -> BLEError {
    switch self {
    case .passkey:
      operation.error(.notPaired, "the device requires pairing, perhaps with a passkey")
        .advising(.pairWithPasskey)
    case .consent: operation.error(.notPaired, "the device requires pairing")
    }
  }
}
