// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEUpdate

@Suite("LegacyTransfer")
struct LegacyTransferTests {
  @Test(
    "A firmware arrives and is activated, whatever its size", arguments: [1, 20, 99, 100, 101, 200, 4567])
  func sizes(size: Int) {
    for packet in [20, 128, 244] {
      for receipts in [1, 5, 12] {
        var run = LegacyRun(size) {
          ($0.packetSize, $0.receipts, $0.window) = (packet, receipts, 2 * receipts)
        }
        #expect(run.finish() == .finished)
        #expect(run.device.phase == .activated)
        #expect(run.device.firmware == run.firmware)
        #expect(run.device.initPacket == LegacyRun.initPacket)
        #expect(run.timeouts == 0)
        #expect(run.mostUnreported <= 2 * receipts * packet)
      }
    }
  }

  @Test("The requests come in the order of the protocol")
  func order() {
    var run = LegacyRun(100)
    #expect(run.finish() == .finished)
    #expect(run.device.requests == [[1, 4], [2, 0], [2, 1], [8, 5, 0], [3], [4], [5]])
    #expect(run.device.sizes == [0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0])
  }

  @Test("SoftDevice and bootloader are announced with their sizes")
  func softDevice() {
    var run = LegacyRun(300, kind: 3, softDevice: 200, bootloader: 100)
    #expect(run.finish() == .finished)
    #expect(run.device.requests[0] == [1, 3])
    #expect(run.device.sizes == [200, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("The bootloader has a moment before it gets the sizes")
  func pause() {
    var transfer = LegacyRun(100).transfer
    #expect(transfer.next() == .control([1, 4]))
    #expect(transfer.next() == .pause(.milliseconds(400)))
    guard case .packet(let sizes) = transfer.next() else {
      Issue.record("no sizes")
      return
    }
    #expect(sizes.count == 12)
  }

  @Test("A bootloader that knows no kinds gets only the size of the application")
  func noKinds() {
    var run = LegacyRun(100)
    run.device.knowsKinds = false
    #expect(run.finish() == .finished)
    #expect(run.device.requests.prefix(2) == [[1, 4], [1]])
    #expect(run.device.sizes == [100, 0, 0, 0])
  }

  @Test("A bootloader that knows no kinds takes no SoftDevice")
  func noKindsForSoftDevice() {
    var run = LegacyRun(100, kind: 1, softDevice: 100)
    run.device.knowsKinds = false
    #expect(run.finish() == .failed(.refused("the firmware", 3)))
  }

  @Test("A bootloader before version 0.5 gets no init packet")
  func noInitPacket() {
    var run = LegacyRun(100) { $0.isWithoutInitPacket = true }
    run.device.wantsInit = false
    #expect(run.finish() == .finished)
    #expect(!run.device.requests.contains { $0[0] == 2 })
  }

  @Test(
    "A transfer that an earlier one is in the way of has to begin on another link",
    arguments: [1, 2, 3] as [UInt8])
  func unfinished(request: UInt8) {
    var run = LegacyRun(100)
    run.device.statuses[request] = 2
    #expect(run.finish() == .failed(.unfinished))
  }

  @Test("A refusal has the step and the status")
  func refusals() {
    for (request, step) in [
      (1, "the firmware"), (2, "the init packet"), (3, "the firmware"), (4, "the firmware"),
    ] {
      for status: UInt8 in [4, 5, 6] {
        var run = LegacyRun(100)
        run.device.statuses[UInt8(request)] = status
        #expect(run.finish() == .failed(.refused(step, status)), "\(request) \(status)")
        #expect(!run.device.requests.contains([5]))
      }
    }
    #expect(LegacyStatus.error(4, of: "the firmware").code == .refused)
    #expect(LegacyStatus.error(5, of: "the firmware").message.contains("checksum"))
    #expect(LegacyStatus.error(9, of: "the firmware").message.contains("status 9"))
  }

  @Test("Any lost packet is noticed, and the firmware is never activated then")
  func lostPackets() {
    for packet in 1...50 {
      var run = LegacyRun(1000)
      run.device.loses = [packet]
      guard case .failed(.lost)? = run.finish() else {
        Issue.record("\(packet)")
        continue
      }
      #expect(!run.device.requests.contains([5]), "\(packet)")
    }
  }

  @Test("A bootloader that says at the check that bytes are missing is not told to start the firmware")
  func missingBytes() {
    var run = LegacyRun(1000)
    run.device.statuses[4] = 2
    #expect(run.finish() == .failed(.incomplete))
    #expect(!run.device.requests.contains([5]))
  }

  @Test("A step without an answer ends the transfer over this link", arguments: [1, 2, 4] as [UInt8])
  func silence(request: UInt8) {
    var run = LegacyRun(1000)
    run.device.ignores = [request]
    guard case .failed(.silence)? = run.finish() else {
      Issue.record("\(request)")
      return
    }
  }

  @Test("A firmware whose arrival is not reported has lost bytes")
  func noEnd() {
    var run = LegacyRun(1000)
    run.device.ignores = [3]
    #expect(run.finish() == .failed(.lost(received: 900, sent: 1000)))
  }

  @Test("A bootloader whose notifications are chosen at random never makes the transfer hang")
  func randomNotifications() {
    var generator = Seeded(5)
    for _ in 0..<500 {
      var transfer = LegacyRun(700).transfer
      var steps = 0
      loop: while steps < 20_000 {
        steps += 1
        switch transfer.next() {
        case .finished, .failed: break loop
        case .receive:
          switch Int.random(in: 0..<8, using: &generator) {
          case 0: transfer.timedOut()
          case 1: transfer.received([0x11, UInt8.random(in: 0...100, using: &generator), 0, 0, 0])
          case 2: transfer.received([])
          default:
            transfer.received(
              [0x10, UInt8.random(in: 1...4, using: &generator), UInt8.random(in: 1...3, using: &generator)])
          }
        default: break
        }
      }
      #expect(steps < 20_000)
    }
  }
}
