// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// Requests of SMP over one link, one after the other.
///
/// Runs on the thread of the manager's loop.
final class SMPSession {
  let link: SMPLink
  /// The time limit of an answer.
  let answerTime: Duration
  /// The version of SMP in requests: the second one, unless the device says that it is too new.
  private(set) var version: UInt8 = 1
  private var sequence: UInt8 = .random(in: 0...255)

  /// The number of times that a busy device is asked again, and the pause before.
  private static let mostBusyAnswers = 50
  private static let pauseOfBusy = Duration.milliseconds(100)
  /// The size of packets that every device takes.
  private static let smallPacket = 64

  private var knownParameters: SMPParameters??
  /// True if the device has answered a packet of several writes.
  private var hasAnsweredLarge = false

  init(_ link: SMPLink, answerTime: Duration) { (self.link, self.answerTime) = (link, answerTime) }

  static func open(
    over peripheral: Peripheral, answerTime: Duration, openingTime: Duration
  ) async throws -> SMPSession {
    SMPSession(try await SMPLink.open(over: peripheral, timeout: openingTime), answerTime: answerTime)
  }

  private var loop: EventLoop { link.peripheral.central.loop }

  /// Sends a request, and returns the answer; `words` follow "the device refuses to".
  ///
  /// - Throws: ``SMPFailure`` if the device refuses; ``Silence``; `BLEError`.
  func request(
    _ operation: SMPMessage.Operation, group: UInt16, command: UInt8, _ payload: CBORMap = [:],
    as words: String, within limit: Duration? = nil, isRepeatable: Bool = true
  ) async throws -> CBORMap {
    var busyAnswers = 0
    while true {
      let answer = try await exchange(
        operation, group, command, payload, words, limit ?? answerTime, isRepeatable: isRepeatable)
      guard let failure = SMPFailure(in: answer) else { return answer }
      if failure.group == nil, failure.code == SMPFailure.tooNew, version > 0 {
        version = 0
      } else if failure.isBusy, isRepeatable, busyAnswers < Self.mostBusyAnswers {
        busyAnswers += 1
        try await loop.sleep(for: Self.pauseOfBusy)
      } else {
        throw failure
      }
    }
  }

  /// Sends a request, a second time if nothing comes back, and returns the answer, whatever it says.
  func exchange(
    _ operation: SMPMessage.Operation, _ group: UInt16, _ command: UInt8, _ payload: CBORMap, _ words: String,
    _ limit: Duration, isRepeatable: Bool
  ) async throws -> CBORMap {
    var size = 0
    var fault: String?
    for attempt in 0..<(isRepeatable ? 2 : 1) {
      // The rest of an answer that was cut off would spoil the next one.
      if attempt > 0 { link.forgetReceived() }
      let request = SMPMessage(
        operation, group: group, command: command, sequence: takeSequence(), version: version, payload)
      size = request.encoded.count
      try await check(size, payload, words)
      try await link.send(request)
      let deadline = LoopClock.now + limit
      while let received = try await link.receive(until: deadline) {
        // Another one may be the late answer to an earlier request.
        let message = received.message
        guard message.sequence == request.sequence, message.group == group, message.command == command,
          message.operation == operation.response
        else { continue }
        if size > link.fragmentSize { hasAnsweredLarge = true }
        fault = received.fault
        // A part of it may be lost.
        if fault != nil { break }
        return message.payload
      }
    }
    if let fault {
      throw UpdateError(
        .deviceError, "the device answers the request to \(words) with what cannot be read: \(fault)")
    }
    throw silence(after: size, words)
  }

  /// Requires that a packet is not larger than what the device takes.
  private func check(_ size: Int, _ payload: CBORMap, _ words: String) async throws {
    let most =
      size - SMPMessage.headerSize > SMPMessage.largestPayload
      ? SMPMessage.headerSize + SMPMessage.largestPayload : try await largestPacket(besides: size)
    guard size > most else { return }
    throw UpdateError(
      .unfit, "the request to \(words) has \(size) bytes, of which the device takes \(most) at most")
  }

  /// The size of the device's buffers; asks only if a packet is not small anyway.
  private func largestPacket(besides size: Int) async throws -> Int {
    guard size > max(link.fragmentSize, Self.smallPacket) else { return size }
    return try await bufferSize() ?? size
  }

  /// The largest packet that the device takes, as it says when it is first asked; nil if it does not tell.
  func bufferSize() async throws -> Int? {
    if knownParameters == nil { knownParameters = .some(try await parameters()) }
    guard case .some(.some(let parameters)) = knownParameters else { return nil }
    return min(parameters.bufferSize, SMPMessage.headerSize + SMPMessage.largestPayload)
  }

  private func silence(after size: Int, _ words: String) -> Silence {
    var message = "the device does not answer the request to \(words)"
    if let garbage = link.garbage {
      message += "; what it sent is not a packet: \(garbage)"
    } else if link.unfinishedCount > 0 {
      message += "; the rest of a packet is missing"
    }
    if mayBeTooLarge(size) {
      message += "; it may take no request of more than one write, which is \(link.fragmentSize) bytes"
    }
    return Silence(message)
  }

  /// Returns whether a device that is silent may not put the writes of a packet together.
  func mayBeTooLarge(_ size: Int) -> Bool { size > link.fragmentSize && !hasAnsweredLarge }

  private func takeSequence() -> UInt8 {
    defer { sequence &+= 1 }
    return sequence
  }

  // MARK: Uploading

  /// Sends an image; `progress` gets the number of bytes that the device has, and had before, and whether a later upload goes on
  /// from there.
  func upload(
    _ upload: inout SMPUpload, progress: (_ done: Int, _ start: Int, _ isResumable: Bool) -> Void
  ) async throws {
    var told = -1
    while true {
      switch upload.next() {
      case .send(let message): try await link.send(message)
      case .receive(let limit):
        if let received = try await link.receive(until: LoopClock.now + limit) {
          if received.fault == nil { upload.received(received.message) }
        } else {
          link.forgetReceived()
          upload.timedOut()
        }
        if upload.confirmed != told, let start = upload.start {
          told = upload.confirmed
          progress(told, start, upload.isResumable)
        }
      case .pause(let time): try await loop.sleep(for: time)
      case .finished:
        sequence = upload.nextSequence
        return
      case .failed(let failure):
        sequence = upload.nextSequence
        throw failure
      }
    }
  }

  /// The number of the next request.
  var nextSequence: UInt8 { sequence }
}
