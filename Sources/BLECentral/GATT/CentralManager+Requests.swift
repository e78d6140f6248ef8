// SPDX-License-Identifier: MIT
internal import DBus

extension CentralManager {
  func read(
    _ target: AttributeTarget, _ deadline: Deadline, isEchoed: Bool
  ) async throws(BLEError) -> [UInt8] {
    let reply = try await request(target, deadline) { () throws(BLEError) in
      let message = Message(call: "ReadValue", of: target.interface, at: target.path, to: BlueZ.service) {
        $0.properties([])
      }
      guard isEchoed else { return try await call(message, for: target.operation, until: deadline) }
      return try await callRead(message, target, until: deadline)
    }
    guard reply.hasSignature("ay") else {
      throw BLEError(
        .failed, operation: target.operation, message: "the answer is of type \(reply.signature), not ay")
    }
    return reply.withBody { $0.bytes() }
  }

  func write(
    _ value: [UInt8], _ target: AttributeTarget, _ type: WriteType, _ deadline: Deadline
  ) async throws(BLEError) {
    let isCharacteristic = target.interface == BlueZ.gattCharacteristic
    try await request(target, deadline, isAnswered: type == .withResponse) { () throws(BLEError) in
      let message = Message(call: "WriteValue", of: target.interface, at: target.path, to: BlueZ.service) {
        $0.bytes(value)
        // Said always: without it BlueZ prefers a reliable write where the characteristic has one.
        $0.properties(
          isCharacteristic ? [("type", .string(type == .withResponse ? "request" : "command"))] : [])
      }
      if type == .withoutResponse { link(to: target.devicePath).handedOver(1) }
      return try await call(message, for: target.operation, until: deadline)
    }
  }

  /// Sends a request when it is its turn, again when another program's is under way, and understands how it failed.
  ///
  /// The answer of the device, where there is one (`isAnswered`), proves that the commands before it have arrived.
  @discardableResult
  private func request(
    _ target: AttributeTarget, _ deadline: Deadline, isAnswered: Bool = true,
    _ send: () async throws(BLEError) -> Message
  ) async throws(BLEError) -> Message {
    try await requireLink(target)
    let link = link(to: target.devicePath)
    let queue = requestQueues[target.path] ?? SerialQueue()
    requestQueues[target.path] = queue
    guard await queue.take(until: deadline, on: loop) else {
      throw Task.isCancelled
        ? BLEError(.cancelled, operation: target.operation, message: "cancelled")
        : BLEError(.timedOut, operation: target.operation, message: "requests before it take too long")
    }
    defer { queue.release() }
    while true {
      let commands = link.commandCount
      do {
        let reply = try await send()
        if isAnswered { link.confirm(commands) }
        return reply
      } catch {
        if isAnswered, error.isAnswerOfDevice { link.confirm(commands) }
        guard error.isForeignRequest, !deadline.isOver else { throw await explain(error, target) }
        try await pause(.milliseconds(25), until: deadline, for: target.operation)
        if deadline.isOver { throw error }
      }
    }
  }

  func requireLink(_ target: AttributeTarget) async throws(BLEError) {
    try await requireLink(target.devicePath, for: target.operation)
  }

  /// BlueZ gives ATT error 0x0e for requests that end with the link: it is then the link that is told.
  func explain(_ error: BLEError, _ target: AttributeTarget) async -> BLEError {
    if error.code == .timedOut || error.code == .cancelled {
      var error = error
      error.mayHaveTakenEffect = true
      return error
    }
    if error.code == .disconnected {
      var reason = await reasonOfNoLink(target.devicePath, for: target.operation)
      reason.dbusName = error.dbusName
      return reason
    }
    guard error.attError == .unlikelyError || [.failed, .notFound].contains(error.code) else { return error }
    let path = target.devicePath
    let isLost: Bool?
    do {
      isLost = try await wait(for: target.operation, until: Deadline(after: .milliseconds(100))) { model in
        model.devices[path]?.isConnected == true ? nil : .success(true)
      }
    } catch let outage {
      return outage.code == .cancelled ? error : outage
    }
    guard isLost == true else { return error }
    var lost = await reasonOfNoLink(path, for: target.operation)
    lost.dbusName = error.dbusName
    lost.mayHaveTakenEffect = true
    return lost
  }
}

extension BLEError {
  /// Whether another program's request, or one of ours that timed out, is under way on the same attribute, or another
  /// program holds the attribute's socket for writing: all of it ends.
  var isForeignRequest: Bool {
    dbusName == BlueZ.errorPrefix + "InProgress"
      || dbusName == BlueZ.errorPrefix + "NotPermitted" && message.hasSuffix("(Write acquired)")
  }
}
