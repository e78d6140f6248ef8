// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEUpdate

@Suite("SMPUpload")
struct SMPUploadTests {
  // MARK: The course without faults

  @Test("Every image arrives as it was sent, whatever its size, the packets and the window")
  func sizes() {
    for size in [1, 31, 32, 33, 200, 1000, 5000] {
      for packet in [120, 244, 1000] {
        for window in [1, 2, 5] {
          var run = UploadRun(image(size), packet: packet, window: window)
          #expect(run.finish() == .finished, "\(size) \(packet) \(window)")
          #expect(run.device.stored == image(size), "\(size) \(packet) \(window)")
          #expect(run.longest <= packet, "\(run.longest)")
          #expect(run.mostOutstanding <= window)
        }
      }
    }
  }

  @Test("The first packet has length and hash, and fits into one write if it can; the others have neither")
  func firstPacket() throws {
    var run = UploadRun(image(3000), packet: 1000, fragment: 200)
    #expect(run.finish() == .finished)
    let first = try #require(run.sent.first)
    #expect(first.operation == .write && first.group == 1 && first.command == 1)
    #expect(first.payload["len"]?.int == 3000)
    #expect(first.payload["sha"]?.bytes == UploadRun.sha)
    #expect(first.payload["image"] == nil)
    #expect(first.encoded.count <= 200)
    #expect((first.payload["data"]?.bytes?.count ?? 0) >= 32)
    for other in run.sent.dropFirst() {
      #expect(other.payload["len"] == nil && other.payload["sha"] == nil)
    }
  }

  @Test("The number of the image is sent only where it is not 0")
  func imageNumber() {
    var run = UploadRun(image(100), packet: 200) { $0.image = 2 }
    #expect(run.finish() == .finished)
    #expect(run.sent.first?.payload["image"]?.int == 2)
  }

  @Test("Where a packet has no room for the hash and the header of the image, the hash is left out")
  func noRoomForHash() {
    var run = UploadRun(image(500), packet: 80, fragment: 80)
    #expect(run.finish() == .finished)
    #expect(run.sent.first?.payload["sha"] == nil)
    #expect((run.sent.first?.payload["data"]?.bytes?.count ?? 0) >= 32)
    #expect(run.device.stored == image(500))
  }

  @Test("On a link with the smallest MTU, packets take several writes; without reassembly there is no way")
  func smallestMTU() {
    var run = UploadRun(image(300), packet: 20)
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(300))
    #expect(run.longest <= 80)
    var other = UploadRun(image(300), packet: 20)
    other.device.takesAtMost = 20
    #expect(other.finish() == .failed(.packetsTooSmall(20)))
  }

  @Test("Packets end at multiples of 16 bytes of the image, except the last one")
  func alignment() {
    var run = UploadRun(image(5001), packet: 300, window: 3)
    #expect(run.finish() == .finished)
    var end = 0
    for message in run.sent {
      end = (message.payload["off"]?.int ?? 0) + (message.payload["data"]?.bytes?.count ?? 0)
      #expect(end % 16 == 0 || end == 5001)
    }
    #expect(end == 5001)
  }

  // MARK: Resuming

  @Test("A device that knows the hash answers with the place to go on from")
  func resume() {
    var run = UploadRun(image(4000), packet: 200)
    run.device.stored = Array(image(4000).prefix(2500))
    run.device.knownHash = UploadRun.sha
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(4000))
    #expect(run.upload.start == 2500)
    #expect(run.sent.dropFirst().allSatisfy { ($0.payload["off"]?.int ?? 0) >= 2500 })
  }

  @Test("A device that has everything already ends the upload with its first answer")
  func allThere() {
    var run = UploadRun(image(900), packet: 200)
    run.device.stored = image(900)
    run.device.knownHash = UploadRun.sha
    #expect(run.finish() == .finished)
    #expect(run.sent.count == 1)
  }

  @Test("A device that forgets the upload gets the whole first packet again", arguments: [1, 3])
  func forgets(window: Int) {
    var run = UploadRun(image(4000), packet: 200, window: window)
    run.device.forgetsAt = 2000
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(4000))
    #expect(run.sent.filter { $0.payload["len"] != nil }.count >= 2)
  }

  @Test("A device that forgets again and again ends the upload")
  func forgetsAlways() {
    var run = UploadRun(image(4000), packet: 200)
    run.device.forgetsAlwaysAt = 1000
    #expect(run.finish() == .failed(.noProgress))
  }

  @Test("A device that goes back gets the bytes from there again", arguments: [1, 2, 4, 8])
  func jumpsBack(window: Int) {
    var run = UploadRun(image(6000), packet: 200, window: window)
    run.device.dropsPackets = [5, 9, 20]
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(6000))
  }

  @Test("A device that jumps ahead of what was sent is believed")
  func jumpsAhead() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    upload.received(answer(to: first, ["off": 100]))
    let second = try packet(&upload)
    upload.received(answer(to: second, ["off": 2000]))
    let third = try packet(&upload)
    #expect(third.payload["off"]?.int == 2000)
    #expect(upload.confirmed == 2000)
  }

  @Test("Packets that a device shortens to its own unit are continued from there")
  func shortens() {
    var run = UploadRun(image(3000), packet: 200, window: 4)
    run.device.unit = 48
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(3000))
  }

  // MARK: Lost answers and silence

  @Test("Answers that get lost are made up for by later ones, or by sending again", arguments: [1, 2, 4])
  func lostAnswers(window: Int) {
    var run = UploadRun(image(6000), packet: 200, window: window)
    run.losesAnswers = [2, 3, 7, 12, 13]
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(6000))
  }

  @Test("The answer to the last packet may get lost")
  func lostLastAnswer() {
    var run = UploadRun(image(1000), packet: 600)
    run.losesAnswers = [2]
    #expect(run.finish() == .finished)
  }

  @Test("A device that answers nothing gets the first packet once: it may take the time of an erasure")
  func silence() throws {
    var run = UploadRun(image(1000), packet: 200)
    run.device.isSilent = true
    #expect(run.finish() == .failed(.silenceFromStart))
    #expect(run.sent.count == 1)
    var upload = SMPUpload(image(1000), sha: nil, rules(packet: 200))
    upload.received(answer(to: try packet(&upload), ["off": 112]))
    for _ in 0..<3 {
      _ = try packet(&upload)
      upload.timedOut()
    }
    #expect(upload.next() == .failed(.silence))
  }

  @Test("Where a device puts packets together, the first one has the hash, also if it takes several writes")
  func hashInSeveralWrites() {
    var run = UploadRun(image(3000), packet: 300, fragment: 60)
    #expect(run.finish() == .finished)
    #expect(run.sent.first?.payload["sha"]?.bytes == UploadRun.sha && run.upload.isResumable)
    var other = UploadRun(image(3000), packet: 300, fragment: 90)
    other.device.takesAtMost = 90
    #expect(other.finish() == .finished)
    #expect(other.device.stored == image(3000) && !other.upload.isResumable)
  }

  @Test("The first answer and the last may take longer than the others")
  func patience() throws {
    var upload = SMPUpload(image(300), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    #expect(upload.next() == .receive(within: .seconds(75)))
    upload.received(answer(to: first, ["off": 112]))
    let second = try packet(&upload)
    #expect(upload.next() == .receive(within: .seconds(10)))
    upload.received(answer(to: second, ["off": 272]))
    _ = try packet(&upload)
    #expect(upload.next() == .receive(within: .seconds(75)))
  }

  @Test("Silence after the first large packet means that the device does not put packets together")
  func noReassembly() {
    var run = UploadRun(image(3000), packet: 1000, window: 3, fragment: 200)
    run.device.takesAtMost = 200
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(3000))
    #expect(run.upload.isWithoutReassembly)
    #expect(run.sent.suffix(5).allSatisfy { $0.encoded.count <= 200 })
  }

  @Test("Silence after a large packet means nothing else if the device has answered one")
  func reassembly() {
    var run = UploadRun(image(9000), packet: 1000, fragment: 200)
    run.losesAnswers = [4]
    #expect(run.finish() == .finished)
    #expect(!run.upload.isWithoutReassembly)
  }

  @Test("An answer that comes after it was given up for lost is ignored")
  func lateAnswer() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    upload.received(answer(to: try packet(&upload), ["off": 112]))
    let part = try packet(&upload)
    upload.timedOut()
    let again = try packet(&upload)
    #expect(again.sequence != part.sequence)
    upload.received(answer(to: part, ["off": 128]))
    #expect(upload.confirmed == 112)
    upload.received(answer(to: again, ["off": 128]))
    #expect(upload.confirmed == 128)
  }

  @Test("Messages of other groups, commands and kinds are ignored")
  func foreignMessages() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    for change in [
      { (message: inout SMPMessage) in message.group = 0 },
      { (message: inout SMPMessage) in message.command = 0 },
      { (message: inout SMPMessage) in message.operation = .readResponse },
      { (message: inout SMPMessage) in message.sequence &+= 1 },
    ] {
      var message = answer(to: first, ["off": 64])
      change(&message)
      upload.received(message)
      #expect(upload.next() == .receive(within: .seconds(75)))
    }
  }

  // MARK: Refusals

  @Test("A busy device gets the packet again after a pause", arguments: [1, 3])
  func busy(window: Int) {
    var run = UploadRun(image(3000), packet: 200, window: window)
    run.device.busyAt = [2, 5, 6, 11]
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(3000))
    #expect(run.pauses.contains(.milliseconds(100)))
  }

  @Test("A device that is busy for each other packet gets one at a time", arguments: [2, 3, 4])
  func oftenBusy(window: Int) {
    var run = UploadRun(image(9000), packet: 200, window: window)
    run.device.busyAt = Set((1...400).filter { $0 % 2 == 0 })
    #expect(run.finish() == .finished)
    #expect(run.device.stored == image(9000))
  }

  @Test("A device that stays busy ends the upload after a minute")
  func alwaysBusy() {
    var run = UploadRun(image(3000), packet: 200)
    run.device.isAlwaysBusy = true
    #expect(run.finish() == .failed(.busy))
    #expect(run.pauses.reduce(.zero, +) >= .seconds(50))
  }

  @Test("An error of the first version of SMP ends the upload, with the words of the device")
  func firstVersionError() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    upload.received(answer(to: first, ["rc": 6, "rsn": "no slot"]))
    #expect(upload.next() == .failed(.refused(SMPFailure(6, reason: "no slot"))))
  }

  @Test("An error of the second version ends the upload")
  func secondVersionError() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    upload.received(answer(to: first, ["err": ["group": 1, "rc": 30]]))
    #expect(upload.next() == .failed(.refused(SMPFailure(30, group: 1))))
    #expect(upload.next() == .failed(.refused(SMPFailure(30, group: 1))))
  }

  @Test("An rc of 0 is no error")
  func zero() throws {
    var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
    let first = try packet(&upload)
    upload.received(answer(to: first, ["rc": 0, "off": 112]))
    #expect(upload.confirmed == 112)
  }

  @Test("Another hash at the end is a mismatch")
  func mismatch() {
    var run = UploadRun(image(1000), packet: 200)
    run.device.match = false
    #expect(run.finish() == .failed(.mismatch))
  }

  @Test("A hash that is right at the end, or not told, is none", arguments: [true, nil])
  func match(match: Bool?) {
    var run = UploadRun(image(1000), packet: 200)
    run.device.match = match
    #expect(run.finish() == .finished)
  }

  @Test("An offset behind the image, a negative one and none are malformed")
  func malformed() throws {
    for payload: CBORMap in [["off": 3001], ["off": -1], [:], ["off": "0"]] {
      var upload = SMPUpload(image(3000), sha: nil, rules(packet: 200))
      let first = try packet(&upload)
      upload.received(answer(to: first, payload))
      guard case .failed(.malformed) = upload.next() else {
        Issue.record("\(payload)")
        continue
      }
    }
  }

  @Test("A device whose answers are chosen at random never makes the upload hang, or end without all bytes")
  func randomAnswers() {
    var generator = Seeded(7)
    for _ in 0..<300 {
      let bytes = image(Int.random(in: 1...2000, using: &generator))
      var upload = SMPUpload(
        bytes, sha: nil, rules(packet: 150, window: Int.random(in: 1...5, using: &generator)))
      var waiting: [SMPMessage] = []
      var steps = 0
      loop: while true {
        steps += 1
        #expect(steps < 20_000)
        if steps >= 20_000 { break }
        switch upload.next() {
        case .send(let message): waiting.append(message)
        case .receive:
          let choice = Int.random(in: 0..<10, using: &generator)
          guard choice > 0, let request = waiting.randomElement(using: &generator) else {
            waiting = []
            upload.timedOut()
            continue
          }
          let offset = Int.random(in: 0...bytes.count, using: &generator)
          upload.received(answer(to: request, choice == 1 ? ["rc": 10] : ["off": CBORValue(offset)]))
        case .pause: break
        case .finished:
          #expect(upload.confirmed == bytes.count)
          break loop
        case .failed: break loop
        }
      }
    }
  }

  // MARK: Helpers

  private struct NoPacket: Error {}

  private func packet(_ upload: inout SMPUpload) throws -> SMPMessage {
    guard case .send(let message) = upload.next() else { throw NoPacket() }
    return message
  }

  private func image(_ size: Int) -> [UInt8] { UploadRun.image(size) }

  private func rules(packet: Int, window: Int = 1) -> SMPUpload.Rules {
    SMPUpload.Rules(packetSize: packet, fragmentSize: packet, window: window)
  }

  private func answer(to request: SMPMessage, _ payload: CBORMap) -> SMPMessage {
    SMPMessage(.writeResponse, group: 1, command: 1, sequence: request.sequence, payload)
  }
}

/// Numbers that are the same in each run.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
