// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Sends an image by SMP, over one link: decides what to send next, and what an answer means.
///
/// It neither sends nor waits: its owner does what ``next()`` says, and tells it what came of it.
struct SMPUpload {
  /// The limits of a device, and of its owner's patience.
  struct Rules: Equatable {
    /// The largest packet, with its header, in bytes.
    var packetSize: Int
    /// The largest value that one write carries; a longer packet needs a device that puts packets together.
    var fragmentSize: Int
    /// The most packets without an answer.
    var window = 1
    /// The number of the image on the device.
    var image = 0
    /// The time limit of an answer.
    var answerTime = Duration.seconds(10)
    /// The time limit of the first answer, before which a device may erase its flash, and of the last, before which it may
    /// check the image.
    var eraseTime = Duration.seconds(75)
    /// The version of SMP in the packets.
    var version: UInt8 = 1
  }

  /// The next task of the owner.
  enum Step: Equatable {
    case send(SMPMessage)
    /// To wait for a message, at most so long.
    case receive(within: Duration)
    case pause(Duration)
    case finished
    case failed(Failure)
  }

  /// The reasons to give up on this link.
  enum Failure: Error, Equatable {
    case refused(SMPFailure)
    /// The device has all bytes, but their hash is another one.
    case mismatch
    /// The device answers nothing.
    case silence
    /// The device does not answer the packet that begins the upload, which may take the time of an erasure.
    case silenceFromStart
    /// The device asks for the same bytes again and again.
    case noProgress
    /// The device is busy for too long.
    case busy
    case malformed(String)
    /// The packets that the link carries are too small for the first one.
    case packetsTooSmall(Int)
  }

  private struct Packet {
    let sequence: UInt8
    /// The offset behind its bytes.
    let end: Int
    let isFirst: Bool
    let isLarge: Bool
  }

  private enum Phase: Equatable {
    case sending
    /// Waits for the answers to packets that count no more; then pauses, if it has to.
    case draining(pause: Duration?)
    case over(Step)
  }

  /// The bytes of an image without which a device does not decide about it: the header of MCUboot.
  private static let smallestFirst = 32
  /// The size of a packet behind the first one that carries some bytes of the image.
  private static let smallestPacket = 56
  /// The size of a packet that holds these, and the hash.
  private static let sizeOfFirst = 128
  /// The size of a packet that holds these, and no hash.
  private static let sizeOfSmallestFirst = 80
  /// The boundary at which packets end if they are large enough; a device may drop what does not fill a unit of its flash.
  private static let alignment = 16
  private static let pauseOfBusy = Duration.milliseconds(100)
  private static let timeToDrain = Duration.seconds(1)
  private static let mostSilences = 3
  private static let mostFirstSilences = 1
  private static let mostRepeats = 20
  private static let mostBusyAnswers = 600

  private let bytes: [UInt8]
  /// The SHA-256 of the file, by which a device recognizes its upload; nil if it cannot be computed.
  private let sha: [UInt8]?
  private let rules: Rules

  private var phase = Phase.sending
  private var size: Int
  private var window: Int
  private var sequence: UInt8
  private var outstanding: [Packet] = []
  /// True if the device has answered the first packet.
  private var isOpen = false
  private var nextOffset = 0
  private var silences = 0
  private var repeats = 0
  private var busyAnswers = 0
  private var hasAnsweredLarge = false

  /// The offset that the device asks for next: it has all bytes before.
  private(set) var confirmed = 0
  /// The largest offset that the device has wanted.
  private(set) var furthest = 0
  /// The offset at which the device went on with an earlier upload; nil before its first answer.
  private(set) var start: Int?
  /// True if the device answers no packets that are longer than one write.
  private(set) var isWithoutReassembly = false
  /// True if the device knows the upload by its hash, so that a later one goes on from where this one stops.
  private(set) var isResumable = false

  init(_ bytes: [UInt8], sha: [UInt8]?, _ rules: Rules, firstSequence: UInt8 = 0) {
    (self.bytes, self.sha, self.rules) = (bytes, sha, rules)
    // A link that carries less needs a device that puts packets together.
    size = rules.packetSize < Self.smallestPacket ? Self.sizeOfSmallestFirst : rules.packetSize
    window = max(1, rules.window)
    sequence = firstSequence
  }

  /// The number of the next packet, for requests after the upload.
  var nextSequence: UInt8 { sequence }

  // MARK: Deciding

  /// Returns what to do now.
  mutating func next() -> Step {
    switch phase {
    case .over(let step): return step
    case .draining(let pause):
      if !outstanding.isEmpty { return .receive(within: Self.timeToDrain) }
      phase = .sending
      return pause.map { .pause($0) } ?? next()
    case .sending: return nextPacket()
    }
  }

  private mutating func nextPacket() -> Step {
    // A device that wants the first byte has forgotten the upload, or has not begun it: the whole first packet again.
    if !isOpen || nextOffset == 0 {
      isOpen = false
      if !outstanding.isEmpty { return .receive(within: rules.eraseTime) }
      guard let first = firstMessage() else {
        return end(.failed(.packetsTooSmall(rules.fragmentSize)))
      }
      isResumable = first.message.payload["sha"] != nil
      return send(first, isFirst: true)
    }
    if nextOffset < bytes.count, outstanding.count < window {
      let packet = message([], at: nextOffset, in: size)
      if packet.end == nextOffset { return end(.failed(.packetsTooSmall(rules.fragmentSize))) }
      return send(packet, isFirst: false)
    }
    return .receive(within: nextOffset == bytes.count ? rules.eraseTime : rules.answerTime)
  }

  private mutating func send(_ packet: (message: SMPMessage, end: Int), isFirst: Bool) -> Step {
    var message = packet.message
    message.sequence = sequence
    outstanding.append(
      Packet(
        sequence: sequence, end: packet.end, isFirst: isFirst,
        isLarge: message.encoded.count > rules.fragmentSize))
    sequence &+= 1
    nextOffset = packet.end
    return .send(message)
  }

  private mutating func end(_ step: Step) -> Step {
    phase = .over(step)
    return step
  }

  // MARK: Packets

  /// The packet that begins an upload; without the hash, if there is no room for it and enough of the image.
  ///
  /// With the hash, it fits into one write if it can: an erasing device answers late, and its silence would be taken for that to a packet
  /// that it cannot put together.
  private func firstMessage() -> (message: SMPMessage, end: Int)? {
    var keys: [(String, CBORValue)] = [("len", CBORValue(bytes.count))]
    if rules.image > 0 { keys.append(("image", CBORValue(rules.image))) }
    let least = min(bytes.count, Self.smallestFirst)
    let hash = sha.map { [("sha", CBORValue.bytes($0))] } ?? []
    // Without the hash, a later upload cannot go on from where this one stops.
    for more in [hash, []] {
      for size in [min(size, rules.fragmentSize), min(size, Self.sizeOfFirst), size] {
        let packet = message(keys + more, at: 0, in: size)
        if packet.end >= least { return packet }
      }
    }
    // Larger than what the device says, or than one write.
    return isWithoutReassembly ? nil : message(keys, at: 0, in: Self.sizeOfSmallestFirst)
  }

  /// Returns a packet of at most some size, with as many bytes from an offset on as it holds.
  private func message(
    _ keys: [(String, CBORValue)], at offset: Int, in size: Int
  ) -> (message: SMPMessage, end: Int) {
    func packet(_ data: ArraySlice<UInt8>) -> SMPMessage {
      SMPMessage(
        .write, group: 1, command: 1, version: rules.version,
        CBORMap([("off", CBORValue(offset)), ("data", .bytes(Array(data)))] + keys))
    }
    let room = Self.room(beside: packet([]).encoded.count, in: size)
    var end = min(bytes.count, offset + room)
    if end < bytes.count, room >= 4 * Self.alignment { end -= end % Self.alignment }
    end = max(offset, end)
    return (packet(bytes[offset..<end]), end)
  }

  /// Returns how many bytes fit into a packet that has so many without them.
  private static func room(beside count: Int, in size: Int) -> Int {
    var room = max(0, size - count)
    // The length of the bytes takes one or two bytes more.
    if room > 23 { room -= 1 }
    if room > 255 { room -= 1 }
    return room
  }

  // MARK: Answers

  /// Takes a message of the device; ignores one that answers nothing here.
  mutating func received(_ message: SMPMessage) {
    guard message.operation == .writeResponse, message.group == 1, message.command == 1,
      let index = outstanding.firstIndex(where: { $0.sequence == message.sequence })
    else { return }
    let packet = outstanding.remove(at: index)
    silences = 0
    if packet.isLarge { hasAnsweredLarge = true }
    if let failure = SMPFailure(in: message.payload) {
      return failure.isBusy ? busy(message.payload["off"]?.int) : over(.failed(.refused(failure)))
    }
    guard let offset = message.payload["off"]?.int, (0...bytes.count).contains(offset) else {
      let found = message.payload["off"]?.int.map { "\($0) of \(bytes.count)" } ?? "none"
      return over(.failed(.malformed("the answer to a part of the image has a wrong offset: \(found)")))
    }
    if case .draining = phase {
      // The last answer knows best.
      (confirmed, nextOffset) = (offset, offset)
      progressed()
      return finishIfWhole(message.payload["match"]?.bool)
    }
    if packet.isFirst {
      isOpen = true
      start = start ?? (offset > packet.end ? offset : 0)
      goOn(from: offset, match: message.payload["match"]?.bool)
    } else if offset >= packet.end, offset <= nextOffset {
      outstanding.removeAll { $0.end <= offset }
      confirmed = offset
      progressed()
      finishIfWhole(message.payload["match"]?.bool)
    } else {
      // The device has dropped a packet, or knows more than was sent here; those under way count no more.
      if offset < packet.end { window = max(1, window / 2) }
      phase = .draining(pause: nil)
      goOn(from: offset, match: message.payload["match"]?.bool)
    }
  }

  private mutating func goOn(from offset: Int, match: Bool?) {
    (confirmed, nextOffset) = (offset, offset)
    if offset <= furthest {
      repeats += 1
      if repeats > Self.mostRepeats { return over(.failed(.noProgress)) }
    }
    progressed()
    finishIfWhole(match)
  }

  private mutating func progressed() {
    guard confirmed > furthest else { return }
    furthest = confirmed
    (repeats, busyAnswers) = (0, 0)
  }

  private mutating func finishIfWhole(_ match: Bool?) {
    guard confirmed == bytes.count else { return }
    over(match == false ? .failed(.mismatch) : .finished)
  }

  private mutating func busy(_ offset: Int?) {
    busyAnswers += 1
    if busyAnswers > Self.mostBusyAnswers { return over(.failed(.busy)) }
    let known = offset.flatMap { (0..<bytes.count).contains($0) ? $0 : nil } ?? confirmed
    (confirmed, nextOffset) = (known, known)
    // Its buffers may not hold as many packets as it says.
    window = max(1, window / 2)
    phase = .draining(pause: Self.pauseOfBusy)
  }

  private mutating func over(_ step: Step) { phase = .over(step) }

  /// Records that no message came in time.
  mutating func timedOut() {
    let hadLarge = outstanding.contains(where: \.isLarge)
    outstanding = []
    if case .draining = phase { return }
    nextOffset = confirmed
    window = 1
    if hadLarge, !hasAnsweredLarge, !isWithoutReassembly {
      // It may take each write as a packet of its own.
      isWithoutReassembly = true
      size = min(size, rules.fragmentSize)
      return
    }
    silences += 1
    // Of the first packet, each silence takes the time of an erasure.
    if silences >= (isOpen ? Self.mostSilences : Self.mostFirstSilences) {
      over(.failed(isOpen ? .silence : .silenceFromStart))
    }
  }
}
