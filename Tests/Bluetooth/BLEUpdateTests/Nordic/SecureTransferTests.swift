// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEUpdate

@Suite("SecureTransfer")
struct SecureTransferTests {
  // MARK: The course without faults

  @Test(
    "Init packet and firmware arrive, whatever the sizes", arguments: [1, 99, 100, 999, 1000, 1001, 4567])
  func sizes(size: Int) {
    for packet in [20, 100, 244] {
      for receipts in [0, 1, 3, 100] {
        var run = SecureRun(size, packet: packet) { $0.receipts = receipts }
        #expect(run.finish() == .finished)
        #expect(run.device.isDone)
        #expect(run.device.firmware.bytes == run.firmware)
        #expect(run.device.command.bytes == SecureRun.initPacket)
        #expect(run.timeouts == 0)
      }
    }
  }

  @Test("The requests come in the order of the protocol")
  func order() {
    var run = SecureRun(1500)
    #expect(run.finish() == .finished)
    #expect(
      run.device.requests == [
        [2, 0, 0], [6, 1], [1, 1, 140, 0, 0, 0], [3], [4],
        [2, 3, 0], [6, 2], [1, 2, 232, 3, 0, 0], [3], [4], [1, 2, 244, 1, 0, 0], [3], [4],
      ])
  }

  @Test("Only the first object of firmware is followed by a pause, unless the flash is slow")
  func pauses() {
    var run = SecureRun(4500)
    #expect(run.finish() == .finished)
    #expect(run.pauses == [.milliseconds(400)])
    var cautious = SecureRun(4500) { $0.isCautious = true }
    #expect(cautious.finish() == .finished)
    #expect(cautious.pauses.count == 5)
  }

  @Test("The end is known to be near once the last object is to be executed")
  func lastExecution() {
    var run = SecureRun(1500)
    while run.device.requests.last != [4] || run.device.firmware.executed < 1000 {
      #expect(!run.transfer.isExecutingLast)
      guard run.finish(steps: 1) == nil else { break }
    }
    #expect(run.finish() == .finished)
    #expect(run.transfer.isExecutingLast)
  }

  // MARK: Lost links

  @Test("A link that is lost after any step is gone on from, and nothing that was executed is sent again")
  func everyLoss() {
    var whole = SecureRun(2500)
    var count = 0
    while whole.finish(steps: 1) == nil { count += 1 }
    for lost in 0..<count {
      var first = SecureRun(2500)
      _ = first.finish(steps: lost)
      var device = first.device
      device.linkEnded()
      let executed = device.firmware.executed
      var second = SecureRun(2500, device: device)
      #expect(second.finish() == .finished, "\(lost)")
      #expect(second.device.isDone && second.device.firmware.bytes == second.firmware, "\(lost)")
      #expect((second.transfer.start ?? 0) >= executed, "\(lost)")
    }
  }

  @Test("Another firmware that the bootloader has begun is replaced")
  func otherFirmware() {
    var device = SecureDevice()
    device.command.bytes = SecureRun.initPacket
    device.command.executed = 140
    device.command.end = 140
    device.isInitValid = true
    device.firmware.bytes = [UInt8](repeating: 9, count: 1500)
    device.firmware.executed = 1000
    device.firmware.end = 2000
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .finished)
    #expect(run.device.firmware.bytes == run.firmware)
  }

  @Test("Another init packet is replaced, and the firmware with it")
  func otherInitPacket() {
    var device = SecureDevice()
    device.command.bytes = [UInt8](repeating: 1, count: 50)
    device.isInitValid = true
    device.firmware.bytes = [UInt8](repeating: 9, count: 500)
    device.firmware.end = 1000
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .finished)
    #expect(run.device.firmware.bytes == run.firmware)
  }

  @Test("A bootloader that does not execute again what it has executed is believed")
  func executedBefore() {
    var device = SecureDevice()
    device.command.bytes = SecureRun.initPacket
    device.command.executed = 140
    device.command.end = 140
    device.isInitValid = true
    device.firmware.bytes = Array(UploadRun.image(2500).prefix(1000))
    device.firmware.executed = 1000
    device.firmware.end = 1000
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .finished)
    #expect(run.transfer.start == 1000)
    #expect(run.device.firmware.bytes == run.firmware)
  }

  // MARK: Lost packets

  @Test("An object in which any packet was lost is sent again, with pauses from then on")
  func lostPacket() {
    for packet in 1...25 {
      var device = SecureDevice()
      device.loses = [packet]
      var run = SecureRun(2500, device: device)
      #expect(run.finish() == .finished, "\(packet)")
      #expect(run.device.firmware.bytes == run.firmware, "\(packet)")
      #expect(run.transfer.rules.isCautious, "\(packet)")
    }
  }

  @Test("The packets at the end of an object that were lost are sent again without the others")
  func lostEnd() {
    var device = SecureDevice()
    device.losesFrom = 6..<10
    var run = SecureRun(1000, device: device)
    #expect(run.finish() == .finished)
    #expect(run.device.firmware.bytes == run.firmware)
    #expect(run.device.requests.filter { $0[0] == 1 && $0[1] == 2 }.count == 1)
  }

  @Test("A checksum that is wrong three times is made up for; after four the firmware starts over, once")
  func wrongChecksums() {
    for count in 1...3 {
      var device = SecureDevice()
      device.wrongChecksums = count
      var run = SecureRun(2500, device: device) { $0.receipts = 0 }
      #expect(run.finish() == .finished, "\(count)")
      #expect(run.device.firmware.bytes == run.firmware)
    }
    var device = SecureDevice()
    device.wrongChecksums = 100
    var run = SecureRun(2500, device: device) { $0.receipts = 0 }
    #expect(run.finish() == .failed(.corrupt(at: 0)))
  }

  @Test("A wrong checksum in a report of packets lets the object be sent again")
  func wrongReport() {
    var device = SecureDevice()
    device.wrongChecksums = 1
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .finished)
    #expect(run.device.firmware.bytes == run.firmware)
  }

  // MARK: Refusals

  @Test("A refused init packet ends the transfer with the reason")
  func refusedInit() {
    var device = SecureDevice()
    device.refuses[4] = [0x0b, 0x05]
    var run = SecureRun(2500, device: device)
    let result = SecureResult(code: 0x0b, detail: 5)
    #expect(run.finish() == .failed(.refused(result, .initPacket)))
    let error = result.error(of: "the init packet")
    #expect(error.code == .refused && error.message.contains("older"))
    #expect(error.deviceCode == 0x050b)
  }

  @Test("An interrupted init packet that is then refused is not taken for an executed one")
  func refusedAgain() {
    var device = SecureDevice()
    device.command.bytes = SecureRun.initPacket
    device.command.end = 140
    device.refuses[4] = [0x0b, 0x07]
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .failed(.refused(SecureResult(code: 0x0b, detail: 7), .initPacket)))
  }

  @Test("A bootloader that permits no object of firmware gets the init packet again, three times")
  func notPermitted() {
    var run = SecureRun(2500)
    while run.device.requests.last != [6, 2] { _ = run.finish(steps: 1) }
    run.device.isInitValid = false
    #expect(run.finish() == .finished)
    #expect(run.device.requests.filter { $0[0] == 1 && $0[1] == 1 }.count == 2)
  }

  @Test("A bootloader without reports takes the firmware all the same")
  func noReports() {
    var device = SecureDevice()
    device.refuses[2] = [2]
    var run = SecureRun(2500, device: device)
    #expect(run.finish() == .finished)
    #expect(run.device.firmware.bytes == run.firmware)
  }

  @Test("An init packet that is larger than what the bootloader takes is not sent")
  func largeInit() {
    var transfer = SecureTransfer(
      initPacket: [UInt8](repeating: 0, count: 300), firmware: [1], SecureTransfer.Rules(packetSize: 20))
    _ = transfer.next()
    transfer.received([0x60, 2, 1])
    _ = transfer.next()
    transfer.received([0x60, 6, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(transfer.next() == .failed(.initPacketTooLarge(most: 256)))
  }

  @Test(
    "A request without an answer ends the transfer over this link", arguments: [1, 2, 3, 4, 6] as [UInt8])
  func silence(request: UInt8) {
    var device = SecureDevice()
    device.ignores = [request]
    var run = SecureRun(2500, device: device)
    guard case .failed(.silence)? = run.finish() else {
      Issue.record("\(request)")
      return
    }
  }

  @Test("Answers that are too short, and those to other requests, are ignored or malformed")
  func garbage() {
    var transfer = SecureTransfer(initPacket: [1], firmware: [1], SecureTransfer.Rules(packetSize: 20))
    _ = transfer.next()
    for value: [UInt8] in [[], [0x60], [0x60, 2], [0x61, 2, 1], [0x60, 9, 1], [0x60, 4, 1]] {
      transfer.received(value)
      #expect(transfer.next() == .receive(within: .seconds(10)))
    }
    transfer.received([0x60, 2, 1])
    _ = transfer.next()
    transfer.received([0x60, 6, 1, 0, 1])
    guard case .failed(.malformed) = transfer.next() else {
      Issue.record("\(transfer.next())")
      return
    }
  }

  @Test("A bootloader whose notifications are chosen at random never makes the transfer hang")
  func randomNotifications() {
    var generator = Seeded(3)
    for _ in 0..<500 {
      var transfer = SecureTransfer(
        initPacket: SecureRun.initPacket, firmware: UploadRun.image(700),
        SecureTransfer.Rules(packetSize: 50))
      var steps = 0
      loop: while steps < 20_000 {
        steps += 1
        switch transfer.next() {
        case .finished, .failed: break loop
        case .receive:
          if Int.random(in: 0..<8, using: &generator) == 0 {
            transfer.timedOut()
          } else {
            let count = Int.random(in: 0...12, using: &generator)
            transfer.received(
              [0x60, UInt8.random(in: 1...6, using: &generator), 1]
                + (0..<count).map { _ in UInt8.random(in: 0...2, using: &generator) })
          }
        default: break
        }
      }
      #expect(steps < 20_000)
    }
  }
}
