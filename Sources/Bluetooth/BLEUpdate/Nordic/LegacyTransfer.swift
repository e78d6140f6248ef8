// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Sends a firmware by Nordic's Legacy DFU, over one link: decides what to send next, and what an answer means.
///
/// It neither sends nor waits: its owner does what ``next()`` says, and tells it what came of it. There is no resume: a link
/// that was lost, or a packet, means to begin again.
struct LegacyTransfer {
  /// The firmware to send.
  struct Content: Equatable {
    /// The number of the kind: 1 SoftDevice, 2 bootloader, 3 both, 4 application.
    var kind: UInt8
    var firmware: [UInt8]
    var initPacket: [UInt8]
    var softDeviceSize = 0
    var bootloaderSize = 0

    var applicationSize: Int { max(0, firmware.count - softDeviceSize - bootloaderSize) }
  }

  /// The limits of a link and of a bootloader, and of its owner's patience.
  struct Rules: Equatable {
    /// The size of a packet in bytes.
    var packetSize = 20
    /// The number of packets after which the bootloader reports.
    var receipts = 8
    /// The most packets without a report: on most links, a report comes two connection intervals after its packet, and an
    /// interval has about seven packets.
    var window = 24
    /// True if the bootloader has versions before 0.5, which take no init packet.
    var isWithoutInitPacket = false
    /// The time limit of an answer.
    var answerTime = Duration.seconds(10)
    /// The time limit of an answer before which the bootloader may erase its flash, or check the firmware.
    var eraseTime = Duration.seconds(75)
  }

  /// The next task of the owner.
  enum Step: Equatable {
    /// To write to the control point.
    case control([UInt8])
    /// To write to the packet characteristic.
    case packet([UInt8])
    /// To wait for a notification, at most so long.
    case receive(within: Duration)
    case pause(Duration)
    /// The firmware was accepted, and is about to be started: the link ends.
    case finished
    case failed(Failure)
  }

  /// The reasons to give up on this link.
  enum Failure: Error, Equatable {
    /// The step, and the status.
    case refused(String, UInt8)
    /// An earlier attempt has left the bootloader in a state that only its reset ends.
    case unfinished
    /// Packets were lost: the bootloader has so many bytes of those that were sent.
    case lost(received: Int, sent: Int)
    /// The bootloader has reported all bytes, but finds some missing.
    case incomplete
    case silence(String)
    case malformed(String)
  }

  private enum Phase: Equatable {
    case start
    case settling
    case sizes
    case awaitingStart
    case beginInit
    case initBytes
    case endInit
    case awaitingInit
    case setReceipts
    case announce
    case sending
    case awaitingAll
    case validate
    case awaitingValidation
    case activate
    case over(Step)
  }

  private static let response: UInt8 = 0x10
  private static let receipt: UInt8 = 0x11
  private static let settlingTime = Duration.milliseconds(400)
  /// The largest packet of an init packet, in bytes: the control transfers before the firmware are not windowed.
  private static let initPacketSize = 20
  /// The request that resets the bootloader, so that it forgets what it has.
  static let resetRequest: [UInt8] = [0x06]

  private let content: Content
  private let rules: Rules
  private var phase = Phase.start
  /// True if the bootloader takes applications only, without their kind.
  private var isWithoutKind = false
  private var initSent = 0
  private var receiptCount = 0
  /// The offset of the next byte to send.
  private(set) var sent = 0
  /// The number of bytes that the bootloader has reported.
  private(set) var confirmed = 0
  /// True if the bootloader was told to start the firmware.
  var isActivating: Bool { phase == .over(.finished) }

  init(_ content: Content, _ rules: Rules) { (self.content, self.rules) = (content, rules) }

  /// The number of bytes between two reports.
  private var receiptSize: Int { max(1, rules.receipts) * rules.packetSize }

  // MARK: Deciding

  /// Returns what to do now.
  mutating func next() -> Step {
    switch phase {
    case .over(let step): return step
    case .start:
      phase = .settling
      return .control(isWithoutKind ? [1] : [1, content.kind])
    case .settling:
      phase = .sizes
      return .pause(Self.settlingTime)
    case .sizes:
      phase = .awaitingStart
      return .packet(sizes)
    case .awaitingStart: return .receive(within: rules.eraseTime)
    case .beginInit:
      phase = .initBytes
      return .control([2, 0])
    case .initBytes:
      let end = min(content.initPacket.count, initSent + Self.initPacketSize)
      guard initSent < end else {
        phase = .endInit
        return next()
      }
      defer { initSent = end }
      return .packet(Array(content.initPacket[initSent..<end]))
    case .endInit:
      phase = .awaitingInit
      return .control([2, 1])
    case .awaitingInit: return .receive(within: rules.answerTime)
    case .setReceipts:
      phase = .announce
      return .control([8] + UInt16(clamping: rules.receipts).littleEndianBytes)
    case .announce:
      phase = .sending
      return .control([3])
    case .sending: return nextPacket()
    case .awaitingAll: return .receive(within: rules.answerTime)
    case .validate:
      phase = .awaitingValidation
      return .control([4])
    case .awaitingValidation: return .receive(within: rules.eraseTime)
    case .activate:
      phase = .over(.finished)
      return .control([5])
    }
  }

  private var sizes: [UInt8] {
    // Bootloaders without kinds want only the size of the application.
    let sizes =
      isWithoutKind
      ? [content.firmware.count] : [content.softDeviceSize, content.bootloaderSize, content.applicationSize]
    return sizes.flatMap { UInt32(clamping: $0).littleEndianBytes }
  }

  private mutating func nextPacket() -> Step {
    guard sent < content.firmware.count else {
      phase = .awaitingAll
      return next()
    }
    let window = max(rules.receipts, rules.window)
    if (sent - confirmed) / rules.packetSize >= window { return .receive(within: rules.answerTime) }
    let end = min(content.firmware.count, sent + rules.packetSize)
    defer { sent = end }
    return .packet(Array(content.firmware[sent..<end]))
  }

  // MARK: Answers

  /// Takes a notification of the control point; ignores one that answers nothing here.
  mutating func received(_ value: [UInt8]) {
    if value.first == Self.receipt { return receivedReceipt(value) }
    guard value.count >= 3, value[0] == Self.response else { return }
    switch (value[1], phase) {
    case (1, .awaitingStart): started(value[2])
    case (2, .awaitingInit):
      if succeeded(value[2], "the init packet") { phase = .setReceipts }
    case (3, .sending), (3, .awaitingAll):
      guard succeeded(value[2], "the firmware") else { return }
      guard sent == content.firmware.count else {
        return over(.failed(.malformed("the bootloader reports the end of the firmware after \(sent) bytes")))
      }
      confirmed = sent
      phase = .validate
    case (4, .awaitingValidation):
      if value[2] == LegacyStatus.invalidState.rawValue {
        // A device that is told to start this firmware stays in its bootloader.
        over(.failed(.incomplete))
      } else if succeeded(value[2], "the firmware") {
        phase = .activate
      }
    default: break
    }
  }

  private mutating func started(_ status: UInt8) {
    switch LegacyStatus(rawValue: status) {
    case .success:
      phase = rules.isWithoutInitPacket || content.initPacket.isEmpty ? .setReceipts : .beginInit
    case .invalidState: over(.failed(.unfinished))
    case .notSupported where !isWithoutKind && content.kind == 4:
      isWithoutKind = true
      phase = .start
    default: over(.failed(.refused("the firmware", status)))
    }
  }

  private mutating func receivedReceipt(_ value: [UInt8]) {
    guard phase == .sending || phase == .awaitingAll else { return }
    guard value.count >= 5 else {
      return over(.failed(.malformed("a report of the bootloader has \(value.count) bytes, not 5")))
    }
    let count = Int(value[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    receiptCount += 1
    // Each report is due after as many packets: fewer bytes mean that one was lost, which cannot be sent again.
    guard count == min(receiptCount * receiptSize, content.firmware.count), count <= sent else {
      return over(.failed(.lost(received: count, sent: sent)))
    }
    confirmed = count
  }

  private mutating func succeeded(_ status: UInt8, _ step: String) -> Bool {
    if status == LegacyStatus.success.rawValue { return true }
    over(
      .failed(
        status == LegacyStatus.invalidState.rawValue ? .unfinished : .refused(step, status)))
    return false
  }

  private mutating func over(_ step: Step) { phase = .over(step) }

  /// Records that no notification came in time.
  mutating func timedOut() {
    switch phase {
    case .awaitingStart: over(.failed(.silence("the bootloader does not answer the sizes of the firmware")))
    case .awaitingInit: over(.failed(.silence("the bootloader does not answer the init packet")))
    case .awaitingAll:
      // It reports the last byte by itself, so one before is missing.
      over(.failed(.lost(received: confirmed, sent: sent)))
    case .sending:
      over(.failed(.silence("the bootloader reports nothing more after \(confirmed) of \(sent) bytes")))
    case .awaitingValidation:
      over(.failed(.silence("the bootloader does not tell whether the firmware is right")))
    default: break
    }
  }
}
