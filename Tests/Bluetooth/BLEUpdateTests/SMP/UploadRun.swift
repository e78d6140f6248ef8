// SPDX-License-Identifier: MIT
import BLEFormats

@testable import BLEUpdate

/// An upload to a device in memory, step by step.
struct UploadRun {
  /// What a device does with the parts of an image.
  struct Device {
    var stored: [UInt8] = []
    /// The hash of an upload that it has begun.
    var knownHash: [UInt8]?
    var length = 0
    var match: Bool? = true
    /// The size of what it stores at once: it drops the rest of a packet.
    var unit = 1
    var takesAtMost = Int.max
    var isSilent = false
    var isAlwaysBusy = false
    /// The size at which it forgets everything, once.
    var forgetsAt: Int?
    var forgetsAlwaysAt: Int?
    /// The numbers of the packets that it drops before it reads them, of which it tells with the next one.
    var dropsPackets: Set<Int> = []
    var busyAt: Set<Int> = []
    private(set) var packets = 0
    private(set) var answers = 0

    mutating func answer(to message: SMPMessage) -> SMPMessage? {
      packets += 1
      if isSilent || message.encoded.count > takesAtMost { return nil }
      answers += 1
      if isAlwaysBusy || busyAt.contains(packets) { return answer(message, ["rc": 10]) }
      if dropsPackets.contains(packets) { return answer(message, ["off": CBORValue(stored.count)]) }
      let offset = message.payload["off"]?.int ?? -1
      let data = message.payload["data"]?.bytes ?? []
      if let length = message.payload["len"]?.int {
        let hash = message.payload["sha"]?.bytes
        self.length = length
        if hash == nil || hash != knownHash { (stored, knownHash) = ([], hash) }
      }
      if offset == stored.count {
        let isLast = offset + data.count >= length
        stored += isLast ? data[...] : data.prefix(data.count / unit * unit)
      }
      if let limit = forgetsAlwaysAt ?? forgetsAt, stored.count >= limit {
        (stored, knownHash, forgetsAt) = ([], nil, nil)
      }
      var payload: CBORMap = ["off": CBORValue(stored.count)]
      if stored.count == length, let match { payload["match"] = .bool(match) }
      return answer(message, payload)
    }

    private func answer(_ message: SMPMessage, _ payload: CBORMap) -> SMPMessage {
      SMPMessage(.writeResponse, group: 1, command: 1, sequence: message.sequence, payload)
    }
  }

  static let sha = [UInt8](repeating: 0xa5, count: 32)

  var upload: SMPUpload
  var device = Device()
  /// The numbers of the answers that get lost, from 1 on.
  var losesAnswers: Set<Int> = []
  private(set) var sent: [SMPMessage] = []
  private(set) var pauses: [Duration] = []
  private(set) var longest = 0
  private(set) var mostOutstanding = 0
  private var waiting: [SMPMessage] = []
  private var outstanding = 0

  init(
    _ bytes: [UInt8], packet: Int, window: Int = 1, fragment: Int? = nil,
    change: (inout SMPUpload.Rules) -> Void = { _ in }
  ) {
    var rules = SMPUpload.Rules(packetSize: packet, fragmentSize: fragment ?? packet, window: window)
    change(&rules)
    upload = SMPUpload(bytes, sha: Self.sha, rules, firstSequence: 250)
  }

  static func image(_ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
  }

  /// Runs to the end, and returns the last step; nil if there is none.
  mutating func finish() -> SMPUpload.Step? {
    for _ in 0..<100_000 {
      switch upload.next() {
      case .send(let message):
        sent.append(message)
        longest = max(longest, message.encoded.count)
        outstanding += 1
        mostOutstanding = max(mostOutstanding, outstanding)
        if let answer = device.answer(to: message), !losesAnswers.contains(device.answers) {
          waiting.append(answer)
        }
      case .receive:
        outstanding = max(0, outstanding - 1)
        if waiting.isEmpty {
          outstanding = 0
          upload.timedOut()
        } else {
          upload.received(waiting.removeFirst())
        }
      case .pause(let time): pauses.append(time)
      case .finished: return .finished
      case .failed(let failure): return .failed(failure)
      }
    }
    return nil
  }
}
