// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Sends an init packet and a firmware by Nordic's Secure DFU, over one link: decides what to send next, and what an answer
/// means.
///
/// It neither sends nor waits: its owner does what ``next()`` says, and tells it what came of it.
struct SecureTransfer {
  /// The limits of a link and of a bootloader, and of its owner's patience.
  struct Rules: Equatable {
    /// The size of a packet in bytes.
    var packetSize: Int
    /// The number of packets after which the bootloader reports; 0 stands for none.
    var receipts = 12
    /// The most packets without a report.
    var window = 24
    /// True to pause before each object, and to wait for each report: for flash that is slow.
    var isCautious = false
    /// The time limit of an answer.
    var answerTime = Duration.seconds(10)
    /// The time limit of an answer before which the bootloader may check the firmware.
    var checkTime = Duration.seconds(75)
  }

  /// The next task of the owner.
  enum Step: Equatable {
    /// To write to the control point.
    case control([UInt8])
    /// To write these bytes to the packet characteristic.
    case packet(Range<Int>, of: Part)
    /// To wait for a notification, at most so long.
    case receive(within: Duration)
    case pause(Duration)
    case finished
    case failed(Failure)
  }

  /// The parts that are sent.
  enum Part: UInt8, Equatable {
    case initPacket = 1
    case firmware = 2

    /// The name for people.
    var title: String { self == .initPacket ? "the init packet" : "the firmware" }
  }

  /// The reasons to give up on this link.
  enum Failure: Error, Equatable {
    case refused(SecureResult, Part)
    /// The bytes did not arrive as they were sent, three times in succession.
    case corrupt(at: Int)
    case silence(String)
    case malformed(String)
    /// The init packet is larger than what the bootloader takes, in bytes.
    case initPacketTooLarge(most: Int)
  }

  /// The requests, by their numbers.
  private enum Request: UInt8 {
    case create = 1
    case setReceipts = 2
    case checksum = 3
    case execute = 4
    case select = 6
  }

  private enum Phase: Equatable {
    /// The next request has to be sent.
    case asking(Request)
    /// The answer to a request is to come.
    case awaiting(Request)
    /// An object was created: its flash may need a moment.
    case settling
    case sending
    case over(Step)
  }

  private static let response: UInt8 = 0x60
  private static let settlingTime = Duration.milliseconds(400)
  /// The time after a report that is too small in which a second one may follow: the first was that of an earlier packet.
  private static let timeToSecondReport = Duration.milliseconds(1500)
  private static let mostTries = 3

  private let parts: [Part: [UInt8]]
  private(set) var rules: Rules
  private(set) var part = Part.initPacket
  private var phase = Phase.asking(.setReceipts)

  /// The size of an object, of the part that is sent.
  private var objectSize = 0
  /// The offset of the object that is sent.
  private var base = 0
  /// The offset of the next byte to send.
  private var sent = 0
  /// The offset up to which the bootloader has reported the right checksum.
  private var reported = 0
  /// The checksum that the bootloader reported last while its answer to a question was awaited.
  private var report: (offset: Int, crc: UInt32)?
  private var tries = 0
  /// True if an object was created over this link.
  private var hasCreated = false
  /// True if the last object has to be executed only because its execution may have been interrupted.
  private var isExecutingAgain = false
  /// The number of times that the init packet was sent again: each makes the bootloader drop all of the firmware.
  private var startsOver = 0
  private var prefix: (offset: Int, crc: CRC32)

  /// The offset of the firmware up to which the bootloader has the right bytes.
  private(set) var confirmed = 0
  /// The offset at which the bootloader went on with an earlier transfer; nil before it is known.
  private(set) var start: Int?
  /// True if the bootloader has everything, and was told to execute the last object: it may start the firmware at any moment.
  private(set) var isExecutingLast = false

  init(initPacket: [UInt8], firmware: [UInt8], _ rules: Rules) {
    parts = [.initPacket: initPacket, .firmware: firmware]
    self.rules = rules
    prefix = (0, CRC32())
  }

  private var bytes: [UInt8] { parts[part] ?? [] }
  /// The offset behind the object that is sent.
  private var objectEnd: Int { min(bytes.count, base + objectSize) }

  // MARK: Deciding

  /// Returns what to do now.
  mutating func next() -> Step {
    switch phase {
    case .over(let step): return step
    case .settling:
      phase = .sending
      return .pause(Self.settlingTime)
    case .asking(let request):
      phase = .awaiting(request)
      return .control(message(of: request))
    case .awaiting(let request):
      if request == .checksum, report != nil { return .receive(within: Self.timeToSecondReport) }
      return .receive(within: [.execute, .create].contains(request) ? rules.checkTime : rules.answerTime)
    case .sending: return nextPacket()
    }
  }

  private mutating func nextPacket() -> Step {
    guard sent < objectEnd else {
      phase = .asking(.checksum)
      return next()
    }
    if part == .firmware, rules.receipts > 0 {
      let window = rules.isCautious ? rules.receipts : max(rules.receipts, rules.window)
      if (sent - reported + rules.packetSize - 1) / rules.packetSize >= window {
        return .receive(within: rules.answerTime)
      }
    }
    let range = sent..<min(objectEnd, sent + rules.packetSize)
    sent = range.upperBound
    return .packet(range, of: part)
  }

  private mutating func message(of request: Request) -> [UInt8] {
    switch request {
    case .create:
      return [request.rawValue, part.rawValue] + UInt32(objectEnd - base).littleEndianBytes
    case .setReceipts:
      return [request.rawValue] + UInt16(part == .firmware ? rules.receipts : 0).littleEndianBytes
    case .select: return [request.rawValue, part.rawValue]
    case .execute:
      if part == .firmware, objectEnd == bytes.count { isExecutingLast = true }
      return [request.rawValue]
    case .checksum:
      report = nil
      return [request.rawValue]
    }
  }

  // MARK: Answers

  /// Takes a notification of the control point; ignores one that answers nothing here.
  mutating func received(_ value: [UInt8]) {
    guard value.count >= 3, value[0] == Self.response, let request = Request(rawValue: value[1]) else {
      return
    }
    let result = SecureResult(
      code: value[2], detail: value[2] == SecureResult.extended && value.count > 3 ? value[3] : nil)
    if request == .checksum, result.code == SecureResult.success {
      guard let report = Self.report(value[3...]) else {
        return over(.failed(.malformed("a report of the bootloader has \(value.count) bytes, not 11")))
      }
      return reported(report)
    }
    guard phase == .awaiting(request) else { return }
    guard result.code == SecureResult.success else { return refused(request, result) }
    switch request {
    case .setReceipts: phase = .asking(.select)
    case .select: selected(value[3...])
    case .create: created()
    case .execute: executed()
    case .checksum: break
    }
  }

  private static func report(_ rest: ArraySlice<UInt8>) -> (offset: Int, crc: UInt32)? {
    let rest = Array(rest)
    guard rest.count >= 8 else { return nil }
    return (Int(number(rest[0..<4])), number(rest[4..<8]))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func refused(_ request: Request, _ result: SecureResult) {
    // What was executed before the link was lost cannot be executed again.
    if request == .execute, isExecutingAgain, result.code == SecureResult.notPermitted { return executed() }
    // It may have forgotten the init packet, or be in the middle of something else.
    if request == .create, part == .firmware, result.code == SecureResult.notPermitted,
      startsOver < Self.mostTries
    {
      return startOver()
    }
    // Reports are not wanted by all that speak this protocol.
    if request == .setReceipts {
      rules.receipts = 0
      phase = .asking(.select)
      return
    }
    over(.failed(.refused(result, part)))
  }

  // MARK: Objects

  private mutating func selected(_ rest: ArraySlice<UInt8>) {
    let rest = Array(rest)
    guard rest.count >= 12 else {
      return over(.failed(.malformed("the bootloader describes an object with \(rest.count) bytes, not 12")))
    }
    let (most, offset) = (Int(Self.number(rest[0..<4])), Int(Self.number(rest[4..<8])))
    let crc = Self.number(rest[8..<12])
    guard most > 0 else { return over(.failed(.malformed("the bootloader takes objects of 0 bytes"))) }
    if part == .initPacket, bytes.count > most {
      return over(.failed(.initPacketTooLarge(most: most)))
    }
    objectSize = most
    tries = 0
    let isForgotten = part == .initPacket && startsOver > 0
    guard !isForgotten, offset > 0, offset <= bytes.count else { return begin(at: 0) }
    guard crc == self.crc(upTo: offset) else {
      // The object under way is discarded; what was executed before stays.
      return begin(at: part == .initPacket ? 0 : (offset - 1) / most * most)
    }
    if part == .firmware { start = start ?? offset }
    (sent, reported) = (offset, offset)
    noteConfirmed()
    if offset % most == 0 || offset == bytes.count {
      // It may have been executed before the link was lost.
      base = (offset - 1) / most * most
      isExecutingAgain = true
      phase = .asking(.execute)
    } else {
      base = offset / most * most
      phase = .sending
    }
  }

  private mutating func begin(at offset: Int) {
    if part == .firmware { start = start ?? offset }
    (base, sent, reported) = (offset, offset, offset)
    phase = .asking(.create)
  }

  private mutating func created() {
    defer { if part == .firmware { hasCreated = true } }
    // The first one after the init packet may erase more, and is slower.
    phase = part == .firmware && (!hasCreated || rules.isCautious) ? .settling : .sending
  }

  private mutating func executed() {
    isExecutingAgain = false
    tries = 0
    if objectEnd < bytes.count { return begin(at: objectEnd) }
    if part == .firmware { return over(.finished) }
    part = .firmware
    prefix = (0, CRC32())
    (base, sent, reported) = (0, 0, 0)
    phase = .asking(.setReceipts)
  }

  // MARK: Reports

  private mutating func reported(_ report: (offset: Int, crc: UInt32)) {
    switch phase {
    case .sending:
      guard report.offset >= base, report.offset <= sent else { return }
      if report.crc == crc(upTo: report.offset) {
        reported = max(reported, report.offset)
        noteConfirmed()
      } else {
        failObject()
      }
    case .awaiting(.checksum):
      // The reports of packets come before the answer, and look like it.
      if report.offset == objectEnd { decide(report) } else { self.report = report }
    default: break
    }
  }

  /// Decides about an object whose bytes were all sent.
  private mutating func decide(_ report: (offset: Int, crc: UInt32)) {
    self.report = nil
    guard (base...objectEnd).contains(report.offset), report.crc == crc(upTo: report.offset) else {
      return failObject()
    }
    (sent, reported) = (report.offset, report.offset)
    noteConfirmed()
    if report.offset == objectEnd {
      phase = .asking(.execute)
    } else {
      // The last packets are missing, those before are right.
      failTry { $0.phase = .sending }
    }
  }

  private mutating func failObject() {
    let offset = base
    failTry { $0.begin(at: offset) }
  }

  private mutating func failTry(_ again: (inout Self) -> Void) {
    tries += 1
    rules.isCautious = true
    if tries <= Self.mostTries { return again(&self) }
    // What was executed before this link may be wrong.
    if part == .firmware, base > 0, startsOver == 0 { return startOver() }
    over(.failed(.corrupt(at: base)))
  }

  /// Sends the init packet again, so that the bootloader drops all of the firmware.
  private mutating func startOver() {
    startsOver += 1
    part = .initPacket
    prefix = (0, CRC32())
    confirmed = 0
    phase = .asking(.setReceipts)
  }

  private mutating func noteConfirmed() { if part == .firmware { confirmed = reported } }

  private mutating func over(_ step: Step) { phase = .over(step) }

  /// Records that no notification came in time.
  mutating func timedOut() {
    switch phase {
    case .awaiting(.checksum):
      if let report { return decide(report) }
      over(.failed(.silence("the bootloader does not tell the checksum of what it has received")))
    case .sending:
      // Packets before the report may be lost.
      phase = .asking(.checksum)
    case .awaiting(let request):
      over(.failed(.silence("the bootloader does not answer request \(request.rawValue) for \(part.title)")))
    default: break
    }
  }

  /// Returns the checksum of the first bytes of the part.
  private mutating func crc(upTo offset: Int) -> UInt32 {
    let offset = min(max(offset, 0), bytes.count)
    if offset < prefix.offset { prefix = (0, CRC32()) }
    prefix.crc.update(bytes[prefix.offset..<offset])
    prefix.offset = offset
    return prefix.crc.value
  }
}
