// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Logging

extension Connection {
  /// Sends a call and waits for its reply.
  ///
  /// - Parameters:
  ///   - message: the call.
  ///   - timeout: how long to wait, for other calls to end as well; nil waits forever. The service may still do the
  ///     work afterwards.
  ///   - observer: called on the loop with the outcome, in order with the signals, before the task resumes.
  /// - Returns: the reply.
  /// - Throws: ``DBusError``: the error reply, or `.timedOut`, `.cancelled`, `.disconnected`, `.abandoned`.
  @discardableResult
  package func call(
    _ message: Message, timeout: Duration?,
    observer: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
  ) async throws(DBusError) -> Message {
    let deadline = timeout.map { LoopClock.now + $0 }
    let promise = Promise<Result<Message, DBusError>>()
    let serial: UInt32
    do throws(DBusError) {
      if !slots.takeIfAvailable() { try await waitForSlot(until: deadline) }
      serial = try start(
        message, .init(promise: promise, path: message.path ?? "", deadline: deadline, observer: observer))
    } catch {
      observer?(.failure(error))
      throw error
    }
    let outcome = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      loop.submit { self.assumeIsolated { $0.cancelCall(serial) } }
    }
    return try outcome.get()
  }

  private func waitForSlot(until deadline: ContinuousClock.Instant?) async throws(DBusError) {
    switch await slots.take(until: deadline, on: loop) {
    case .taken: return
    case .timedOut: throw .timedOut
    case .cancelled: throw .cancelled
    }
  }

  /// Sends a call that has a slot.
  private func start(_ message: Message, _ waiter: PendingCalls.Waiter) throws(DBusError) -> UInt32 {
    do throws(DBusError) {
      let serial = try send(message)
      pending.add(waiter, serial: serial)
      if let deadline = waiter.deadline { expectTimeout(at: deadline) }
      return serial
    } catch {
      slots.release()
      throw error
    }
  }

  /// Sends a call without waiting, even for a slot: `observer` gets the outcome once, on the loop, in order with the
  /// signals.
  package func begin(
    _ message: Message, timeout: Duration?, observer: @escaping @Sendable (Result<Message, DBusError>) -> Void
  ) {
    slots.takeAtOnce()
    let deadline = timeout.map { LoopClock.now + $0 }
    do throws(DBusError) {
      _ = try start(
        message, .init(promise: Promise(), path: message.path ?? "", deadline: deadline, observer: observer))
    } catch {
      observer(.failure(error))
    }
  }

  /// Queues a message for the bus, and returns its serial number; the arguments of secret ones are not
  /// logged.
  @discardableResult
  package func send(_ message: Message, isSecret: Bool = false) throws(DBusError) -> UInt32 {
    guard isOpen, let socket else { throw .disconnected }
    let serial = socket.send(message)
    if isTracing { logger.trace("→ \(message.traceDescription(isSecret: isSecret))") }
    return serial
  }

  /// The number of bytes that wait to be written; senders of many messages should pause while it is large.
  package var outgoingByteCount: Int { socket?.outgoingByteCount ?? 0 }

  /// Sends a call from any thread without an outcome, for clean-up in a `deinit` or after cancellation.
  package nonisolated func post(_ message: Message) {
    message.expectNoReply()
    if loop.isCurrent {
      assumeIsolated { _ = try? $0.send(message) }
    } else {
      loop.submit { self.assumeIsolated { _ = try? $0.send(message) } }
    }
  }

  /// Fails the pending calls of an object, or of all objects below it: no reply can arrive any more.
  package func abandonCalls(under path: String, because message: String) {
    let prefix = path + "/"
    let error = DBusError(.abandoned, name: ErrorName.unknownObject, message: message)
    finish(pending.takeAll { $0.path == path || $0.path.hasPrefix(prefix) }, error)
  }

  // MARK: Outcomes

  func finishCall(_ message: Message) {
    guard let waiter = pending.take(message.replySerial) else { return }
    waiter.finish(message.kind == .error ? .failure(DBusError(reply: message)) : .success(message))
    slots.release()
  }

  private func cancelCall(_ serial: UInt32) {
    guard let waiter = pending.take(serial) else { return }
    finish([waiter], .cancelled)
  }

  func finish(_ waiters: [PendingCalls.Waiter], _ error: DBusError) {
    for waiter in waiters {
      waiter.finish(.failure(error))
      slots.release()
    }
  }

  // MARK: Deadlines: one timer, for the earliest

  private func expectTimeout(at deadline: ContinuousClock.Instant) {
    if let callTimer {
      guard deadline < callTimer.deadline else { return }
      loop.cancel(callTimer.id)
    }
    let id = loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { $0.expireCalls() }
    }
    callTimer = (id, deadline)
  }

  private func expireCalls() {
    callTimer = nil
    let now = LoopClock.now
    finish(pending.takeAll { $0.deadline.map { $0 <= now } ?? false }, .timedOut)
    if let next = pending.earliestDeadline { expectTimeout(at: next) }
  }
}
