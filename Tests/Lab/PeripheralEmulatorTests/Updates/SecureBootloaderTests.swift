// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Secure DFU of a simulated device")
struct SecureBootloaderTests {
  private static let firmware = SampleFirmware.code(9000)
  private static let initPacket = SampleFirmware.secureInit(for: firmware, version: 20_103)

  /// A number, as the protocol sends it.
  private static func number(_ number: Int) -> [UInt8] { LittleEndian.bytes(number, 4) }

  private static func checksum(_ bytes: some Collection<UInt8>) -> [UInt8] {
    LittleEndian.bytes(CRC32.of(Array(bytes)), 4)
  }

  /// What a boot loader has of an object: its largest size, and what has arrived of it.
  private static func offer(_ limit: Int, _ bytes: some Collection<UInt8>) -> [UInt8] {
    var answer: [UInt8] = [1]
    answer += number(limit)
    answer += number(bytes.count)
    answer += checksum(bytes)
    return answer
  }

  /// The answer to the request for a checksum.
  private static func received(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var answer: [UInt8] = [1]
    answer += number(bytes.count)
    answer += checksum(bytes)
    return answer
  }

  /// A boot loader, and a central that writes to it.
  private struct Dialogue {
    var bootloader: SecureBootloader
    var effects: [UpdateEffect] = []

    init(_ change: (inout DFUSpec) -> Void = { _ in }) {
      bootloader = SecureBootloader(
        DFUSpec(.secure) { spec in
          spec.startsInBootloader = true
          change(&spec)
        })
    }

    /// Writes to the control point; returns the answer behind 60 and the request.
    mutating func control(_ bytes: [UInt8]) -> [UInt8] {
      effects = bootloader.receive(bytes, at: FirmwareUUID.dfuControl)
      let answer = effects.compactMap(\.sent).first ?? []
      #expect(answer.starts(with: [0x60, bytes[0]]))
      return Array(answer.dropFirst(2))
    }

    mutating func create(_ type: UInt8, _ size: Int) -> [UInt8] {
      control([1, type] + LittleEndian.bytes(size, 4))
    }

    mutating func send(_ bytes: ArraySlice<UInt8>, part: Int = 240) {
      for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: part) {
        effects += bootloader.receive(
          Array(bytes[start..<min(start + part, bytes.endIndex)]), at: FirmwareUUID.dfuPacket)
      }
    }

    /// Sends an init packet, and returns the answer to its execution.
    mutating func sendInit(_ packet: [UInt8]) -> [UInt8] {
      #expect(create(1, packet.count) == [1])
      send(packet[...])
      #expect(control([3]) == SecureBootloaderTests.received(packet))
      return control([4])
    }

    /// Sends firmware from its beginning, object by object, and returns the last answer.
    mutating func sendFirmware(_ firmware: [UInt8], size: Int = 4096) -> [UInt8] {
      var answer: [UInt8] = []
      for start in stride(from: 0, to: firmware.count, by: size) {
        let end = min(start + size, firmware.count)
        #expect(create(2, end - start) == [1])
        send(firmware[start..<end])
        #expect(control([3]) == SecureBootloaderTests.received(firmware[..<end]))
        answer = control([4])
      }
      return answer
    }
  }

  @Test("A boot loader takes no other one that is not newer than itself")
  func ownVersion() {
    var dialogue = Dialogue()
    let code = SampleFirmware.code(100)
    for (version, answer) in [(2, [1]), (2, [0x0b, 5]), (1, [0x0b, 5]), (3, [1])] as [(UInt32, [UInt8])] {
      let packet = SampleFirmware.secureInit(for: code, version: version, kind: .bootloader)
      #expect(dialogue.sendInit(packet) == answer, "\(version)")
      if answer == [1] { #expect(dialogue.sendFirmware(code) == [1]) }
    }
  }

  @Test("Firmware in objects replaces the application, with the version of the init packet")
  func update() throws {
    var dialogue = Dialogue()
    #expect(dialogue.control([6, 1]) == Self.offer(512, []))
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.control([2, 0, 0]) == [1])
    #expect(dialogue.control([6, 2]) == Self.offer(4096, []))
    #expect(dialogue.sendFirmware(Self.firmware) == [1])
    #expect(dialogue.effects.last == .restart)
    #expect(dialogue.bootloader.restart() == .milliseconds(500))
    let state = dialogue.bootloader.state
    #expect(!state.isInBootloader && state.version == "2.1.3" && dialogue.bootloader.isChanged)
    #expect(state.slots.map(\.name) == ["application"] && state.slots[0].bytes == Self.firmware)
  }

  @Test("After a lost link, an object goes on where it stopped")
  func resume() throws {
    var dialogue = Dialogue()
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.send(Self.firmware[..<1200])
    dialogue.bootloader.linkEnded()
    #expect(dialogue.control([6, 2]) == Self.offer(4096, Self.firmware[..<1200]))
    // The init packet is still valid.
    #expect(dialogue.control([6, 1]) == Self.offer(512, Self.initPacket))
    #expect(dialogue.control([4]) == [1])
    _ = dialogue.control([6, 2])
    dialogue.send(Self.firmware[1200..<4096])
    #expect(dialogue.control([4]) == [1])
    // An object that is created again begins behind the last one that was executed.
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.send(Self.firmware[4096..<5000])
    #expect(dialogue.create(2, 4096) == [1])
    #expect(dialogue.control([3]) == Self.received(Self.firmware[..<4096]))
  }

  @Test("Receipts come after each so many packets")
  func receipts() throws {
    var dialogue = Dialogue()
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.control([2, 3, 0]) == [1])
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.effects = []
    dialogue.send(Self.firmware[..<1000], part: 100)
    let receipts = dialogue.effects.compactMap(\.sent).map { Array($0.dropFirst(2)) }
    let expected = [300, 600, 900].map { Self.received(Self.firmware[..<$0]) }
    #expect(receipts == expected)
  }

  @Test("Data without an init packet, an unknown request and an object that is too large are refused")
  func refusals() throws {
    var dialogue = Dialogue()
    #expect(dialogue.create(2, 4096) == [8])
    #expect(dialogue.control([0x55]) == [2])
    #expect(dialogue.create(3, 10) == [7])
    #expect(dialogue.create(1, 513) == [4])
    #expect(dialogue.control([6, 9]) == [7])
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.create(2, 4097) == [4])
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.send(Self.firmware[..<100])
    #expect(dialogue.control([4]) == [8])
  }

  @Test("An init packet that is none is refused, and so is one that the world refuses")
  func badInit() throws {
    var dialogue = Dialogue()
    #expect(dialogue.sendInit([1, 2, 3]) == [0x0b, 4])
    var refusing = Dialogue { $0.faults.refusesInit = 5 }
    #expect(refusing.sendInit(Self.initPacket) == [0x0b, 5])
  }

  @Test("Firmware with another hash than the init packet says is refused")
  func wrongHash() throws {
    var dialogue = Dialogue { $0.faults.transfer.corruptsAt = 5000 }
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.sendFirmware(Self.firmware) == [0x0b, 0x0c])
    #expect(!dialogue.effects.contains(.restart))
  }

  @Test("A lost packet and a wrong checksum show in the next checksum, once")
  func faults() throws {
    var dialogue = Dialogue { spec in
      spec.faults.transfer.losesAt = [500]
      spec.faults.wrongChecksums = 1
    }
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.send(Self.firmware[..<960])
    #expect(Array(dialogue.control([3])[1..<5]) == Self.number(720))
    #expect(dialogue.create(2, 4096) == [1])
    dialogue.send(Self.firmware[..<960])
    #expect(dialogue.control([3]) == Self.received(Self.firmware[..<960]))
  }

  @Test("A slow flash loses the packets that come at once")
  func slowFlash() throws {
    var dialogue = Dialogue { $0.flashTime = .milliseconds(400) }
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.create(2, 4096) == [1])
    #expect(dialogue.effects.last == .loseWrites(for: .milliseconds(400)))
  }

  @Test("An application jumps to its boot loader, which may get a name, and a lost jump is one, too")
  func jump() throws {
    var application = SecureBootloader(DFUSpec(.secure))
    #expect(!application.isInBootloader)
    let answers = [[2, 4] + Array("Mine".utf8), [2, 9, 65], [7]].map {
      application.receive($0, at: FirmwareUUID.buttonless).compactMap(\.sent)
    }
    #expect(answers == [[[0x20, 2, 1]], [[0x20, 2, 5]], [[0x20, 7, 2]]])
    let effects = application.receive([1], at: FirmwareUUID.buttonless)
    #expect(effects.first?.sent == [0x20, 1, 1] && effects.last == .restart)
    _ = application.restart()
    #expect(application.isInBootloader && application.bootloaderName == "Mine")
    var mute = SecureBootloader(DFUSpec(.secure) { $0.faults.leavesJumpUnanswered = true })
    let silent = mute.receive([1], at: FirmwareUUID.buttonless)
    #expect(silent.first == .unanswered && silent.last == .restart && silent.allSatisfy { $0.sent == nil })
  }

  @Test("A boot loader that is given up starts its application, unless that is gone")
  func abort() throws {
    var dialogue = Dialogue { $0.startsInBootloader = false }
    _ = dialogue.bootloader.receive([1], at: FirmwareUUID.buttonless)
    _ = dialogue.bootloader.restart()
    #expect(dialogue.control([0x0c]) == [1])
    #expect(dialogue.effects.last == .restart)
    _ = dialogue.bootloader.restart()
    #expect(!dialogue.bootloader.isInBootloader)
    _ = dialogue.bootloader.receive([1], at: FirmwareUUID.buttonless)
    _ = dialogue.bootloader.restart()
    #expect(dialogue.sendInit(Self.initPacket) == [1])
    #expect(dialogue.create(2, 4096) == [1])
    _ = dialogue.control([0x0c])
    _ = dialogue.bootloader.restart()
    #expect(dialogue.bootloader.isInBootloader)
  }
}
