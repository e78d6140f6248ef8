// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Legacy DFU of a simulated device")
struct LegacyBootloaderTests {
  private static let firmware = SampleFirmware.code(1010)
  private static let initPacket = SampleFirmware.legacyInit(for: firmware, version: 20_103)

  /// The receipts for so many bytes each.
  private static func receipts(_ counts: Int...) -> [[UInt8]] {
    counts.map { count in
      var receipt: [UInt8] = [0x11]
      receipt += LittleEndian.bytes(count, 4)
      return receipt
    }
  }

  /// The sizes at the beginning of a transfer of an application.
  private static func sizes(_ size: Int) -> [UInt8] {
    var sizes = [UInt8](repeating: 0, count: 8)
    sizes += LittleEndian.bytes(size, 4)
    return sizes
  }

  /// A boot loader, and a central that writes to it.
  private struct Dialogue {
    var bootloader: LegacyBootloader
    var effects: [UpdateEffect] = []

    init(_ change: (inout DFUSpec) -> Void = { _ in }) {
      bootloader = LegacyBootloader(
        DFUSpec(.legacy) { spec in
          spec.startsInBootloader = true
          change(&spec)
        })
    }

    /// Writes to the control point, and returns what is sent.
    @discardableResult
    mutating func control(_ bytes: UInt8...) -> [[UInt8]] {
      effects = bootloader.receive(bytes, at: FirmwareUUID.legacyControl)
      return effects.compactMap(\.sent)
    }

    /// Writes packets, and returns what is sent.
    @discardableResult
    mutating func send(_ bytes: [UInt8], part: Int = 20) -> [[UInt8]] {
      effects = stride(from: 0, to: bytes.count, by: part).flatMap {
        bootloader.receive(Array(bytes[$0..<min($0 + part, bytes.count)]), at: FirmwareUUID.legacyPacket)
      }
      return effects.compactMap(\.sent)
    }

    /// Begins a transfer of an application.
    mutating func begin(_ size: Int, _ initPacket: [UInt8]) {
      #expect(control(1, 4).isEmpty)
      #expect(send(LegacyBootloaderTests.sizes(size)) == [[0x10, 1, 1]])
      #expect(control(2, 0).isEmpty)
      send(initPacket)
      #expect(control(2, 1) == [[0x10, 2, 1]])
    }
  }

  @Test("Firmware replaces the application, with receipts on the way, and the version of the init packet")
  func update() throws {
    var dialogue = Dialogue()
    dialogue.begin(Self.firmware.count, Self.initPacket)
    #expect(dialogue.control(8, 10, 0).isEmpty)
    #expect(dialogue.control(3).isEmpty)
    var expected = Self.receipts(200, 400, 600, 800, 1000)
    expected.append([0x10, 3, 1])
    #expect(dialogue.send(Self.firmware) == expected)
    #expect(dialogue.control(7) == [[0x10, 7, 1, 0xf2, 0x03, 0, 0]])
    #expect(dialogue.control(4) == [[0x10, 4, 1]])
    #expect(dialogue.control(5).isEmpty && dialogue.effects.last == .restart)
    _ = dialogue.bootloader.restart()
    let state = dialogue.bootloader.state
    #expect(!state.isInBootloader && state.version == "2.1.3")
    #expect(state.slots.map(\.name) == ["application"] && state.slots[0].bytes == Self.firmware)
  }

  @Test("A lost packet shows in the receipts, and the firmware is not valid")
  func lostPacket() throws {
    var dialogue = Dialogue { $0.faults.transfer.losesAt = [300] }
    dialogue.begin(Self.firmware.count, Self.initPacket)
    dialogue.control(8, 10, 0)
    dialogue.control(3)
    #expect(dialogue.send(Self.firmware) == Self.receipts(200, 380, 580, 780, 980))
    #expect(dialogue.control(4) == [[0x10, 4, 2]])
    // Who activates it nevertheless is left with the boot loader.
    dialogue.control(5)
    _ = dialogue.bootloader.restart()
    #expect(dialogue.bootloader.isInBootloader && dialogue.bootloader.version == "1.0.0")
  }

  @Test("Firmware with another checksum than the init packet says is refused")
  func wrongChecksum() throws {
    var dialogue = Dialogue { $0.faults.transfer.corruptsAt = 10 }
    dialogue.begin(Self.firmware.count, Self.initPacket)
    dialogue.control(3)
    #expect(dialogue.send(Self.firmware) == [[0x10, 3, 1]])
    #expect(dialogue.control(4) == [[0x10, 4, 5]])
  }

  @Test("A boot loader in a wrong state takes a transfer after a reset")
  func invalidState() throws {
    var dialogue = Dialogue { $0.faults.invalidStates = 1 }
    #expect(dialogue.control(1, 4).isEmpty)
    #expect(dialogue.send(Self.sizes(1010)) == [[0x10, 1, 2]])
    dialogue.control(6)
    #expect(dialogue.effects.last == .restart)
    dialogue.bootloader.linkEnded()
    _ = dialogue.bootloader.restart()
    #expect(dialogue.bootloader.isInBootloader)
    dialogue.begin(Self.firmware.count, Self.initPacket)
  }

  @Test("A boot loader that knows no kinds takes one size")
  func noKinds() throws {
    var dialogue = Dialogue { $0.faults.refusesKinds = true }
    #expect(dialogue.control(1, 4) == [[0x10, 1, 3]])
    #expect(dialogue.control(1).isEmpty)
    #expect(dialogue.send(LittleEndian.bytes(1010, 4)) == [[0x10, 1, 1]])
  }

  @Test("A wrong order, too large firmware and a wrong init packet are refused")
  func refusals() throws {
    var dialogue = Dialogue()
    #expect(dialogue.control(3) == [[0x10, 3, 2]])
    #expect(dialogue.control(4) == [[0x10, 4, 2]])
    #expect(dialogue.control(2, 0) == [[0x10, 2, 2]])
    #expect(dialogue.control(0x20) == [[0x10, 0x20, 3]])
    #expect(dialogue.control(1, 4).isEmpty)
    #expect(dialogue.send([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) == [[0x10, 1, 4]])
    #expect(dialogue.control(1, 4).isEmpty)
    #expect(dialogue.send([0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0]) == [[0x10, 1, 1]])
    #expect(dialogue.control(2, 0).isEmpty)
    dialogue.send([1, 2, 3])
    #expect(dialogue.control(2, 1) == [[0x10, 2, 6]])
  }

  @Test("A transfer does not survive its link")
  func lostLink() throws {
    var dialogue = Dialogue()
    dialogue.begin(Self.firmware.count, Self.initPacket)
    dialogue.control(3)
    dialogue.send(Array(Self.firmware[..<400]))
    dialogue.bootloader.linkEnded()
    #expect(dialogue.bootloader.state.slots.isEmpty)
    dialogue.begin(Self.firmware.count, Self.initPacket)
  }

  @Test("An application jumps without an answer, and takes nothing else")
  func jump() throws {
    var application = LegacyBootloader(DFUSpec(.legacy))
    let refused = application.receive([3], at: FirmwareUUID.legacyControl)
    #expect(refused.compactMap(\.sent) == [[0x10, 3, 3]])
    let effects = application.receive([1, 4], at: FirmwareUUID.legacyControl)
    #expect(effects.last == .restart && effects.allSatisfy { $0.sent == nil })
    _ = application.restart()
    #expect(application.isInBootloader)
  }

  @Test("Firmware that takes an update itself runs until the new one does")
  func withoutJump() throws {
    var dialogue = Dialogue { ($0.startsInBootloader, $0.jumps) = (false, false) }
    dialogue.begin(Self.firmware.count, Self.initPacket)
    dialogue.control(3)
    dialogue.send(Self.firmware, part: 244)
    #expect(dialogue.control(4) == [[0x10, 4, 1]])
    dialogue.control(5)
    _ = dialogue.bootloader.restart()
    #expect(!dialogue.bootloader.isInBootloader && dialogue.bootloader.version == "2.1.3")
  }
}
