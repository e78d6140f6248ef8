// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("SMP server of a simulated device")
struct SMPServerTests {
  // MARK: Packets

  @Test("An echo comes back, from a packet in several writes, too")
  func echo() throws {
    var dialogue = SMPDialogue()
    #expect(try dialogue.ask(.write, 0, 0, ["d": "hello"]) == ["r": "hello"])
    let request = SMPMessage(.write, group: 0, command: 0, sequence: 9, ["d": "in parts"]).encoded
    #expect(dialogue.server.receive(Array(request[..<10]), at: FirmwareUUID.smp).isEmpty)
    let effects = dialogue.server.receive(Array(request[10...]), at: FirmwareUUID.smp)
    let answer = try SMPMessage(decoding: try #require(effects.compactMap(\.sent).first))
    #expect(answer.payload == ["r": "in parts"] && answer.sequence == 9)
  }

  @Test("A server without reassembly ignores packets in several writes")
  func noReassembly() throws {
    var dialogue = SMPDialogue { $0.reassembles = false }
    let request = SMPMessage(.write, group: 0, command: 0, ["d": "hello"]).encoded
    #expect(dialogue.server.receive(Array(request[..<10]), at: FirmwareUUID.smp).isEmpty)
    #expect(dialogue.server.receive(Array(request[10...]), at: FirmwareUUID.smp).isEmpty)
    #expect(try dialogue.ask(.write, 0, 0, ["d": "hello"]) == ["r": "hello"])
  }

  @Test("Packets that are larger than a buffer, or more than the buffers, are lost")
  func buffers() throws {
    var dialogue = SMPDialogue { ($0.bufferSize, $0.bufferCount) = (64, 2) }
    #expect(try dialogue.ask(.write, 0, 0, ["d": .text(String(repeating: "x", count: 80))]) == nil)
    let request = SMPMessage(.write, group: 0, command: 0, ["d": "x"]).encoded
    #expect(dialogue.server.receive(request, at: FirmwareUUID.smp, waiting: 1).count == 1)
    #expect(dialogue.server.receive(request, at: FirmwareUUID.smp, waiting: 2).isEmpty)
    #expect(try dialogue.ask(.read, 0, 6) == ["buf_size": 64, "buf_count": 2])
  }

  @Test("Maps in answers may have an end instead of a size")
  func indefiniteMaps() throws {
    var dialogue = SMPDialogue { $0.hasIndefiniteMaps = true }
    #expect(try dialogue.ask(.write, 0, 0, ["d": "x"]) == ["r": "x"])
    let bytes = try #require(dialogue.effects.compactMap(\.sent).first)
    #expect(bytes[8] == 0xbf && bytes.last == 0xff)
    #expect(try dialogue.states().count == 1)
  }

  @Test("A server of the first version says rc in each answer, also to centrals of the second")
  func firstVersion() throws {
    var dialogue = SMPDialogue { $0.protocolVersion = 1 }
    #expect(try dialogue.ask(.write, 0, 0, ["d": "x"]) == ["r": "x", "rc": 0])
    let bytes = try #require(dialogue.effects.compactMap(\.sent).first)
    #expect(bytes[0] == 0x03)
    #expect(try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])])?["rc"] == 5)
  }

  @Test("An error is one of its group, and a number of SMP for centrals of the first version")
  func errors() throws {
    var dialogue = SMPDialogue()
    #expect(
      try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])]) == ["err": ["group": 1, "rc": 8]])
    #expect(try dialogue.ask(.read, 64, 0) == ["rc": 8])
    dialogue.version = 0
    #expect(try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])]) == ["rc": 5])
  }

  @Test("A question for the buffers may be refused or stay unanswered")
  func parameters() throws {
    var refusing = SMPDialogue { $0.parameters = .unsupported }
    #expect(try refusing.ask(.read, 0, 6) == ["rc": 8])
    var silent = SMPDialogue { $0.parameters = .silent }
    #expect(try silent.ask(.read, 0, 6) == nil)
  }

  @Test("The boot loader and its mode are told, or not known")
  func bootloader() throws {
    var dialogue = SMPDialogue { $0.mode = .overwrite }
    #expect(try dialogue.ask(.read, 0, 8) == ["bootloader": "MCUboot"])
    #expect(try dialogue.ask(.read, 0, 8, ["query": "mode"]) == ["mode": 2, "no-downgrade": true])
    #expect(try dialogue.ask(.read, 0, 8, ["query": "x"]) == ["err": ["group": 0, "rc": 3]])
    var other = SMPDialogue { $0.tellsBootloader = false }
    #expect(try other.ask(.read, 0, 8) == ["rc": 8])
  }

  // MARK: Other groups

  @Test("Shell, files, settings and counters are there if the world says so")
  func otherGroups() throws {
    var dialogue = SMPDialogue { spec in
      spec.shell = [NamedText("kernel version", "Zephyr 4.1.0\n")]
      spec.files = [NamedBytes("/lfs/a", Array("hello".utf8))]
      spec.settings = [NamedBytes("x/y", [1, 2, 3])]
      spec.statistics = [NamedCounters("radio", [.init("sent", 5)])]
    }
    #expect(
      try dialogue.ask(.write, 9, 0, ["argv": ["kernel", "version"]]) == ["o": "Zephyr 4.1.0\n", "ret": 0])
    #expect(try dialogue.ask(.write, 9, 0, ["argv": ["rm"]])?["ret"] == -8)
    #expect(
      try dialogue.ask(.read, 8, 0, ["name": "/lfs/a", "off": 0])
        == ["off": 0, "data": .bytes(Array("hello".utf8)), "len": 5])
    #expect(
      try dialogue.ask(.write, 8, 0, ["name": "/lfs/b", "off": 0, "len": 2, "data": .bytes([1, 2])]) == [
        "off": 2
      ])
    #expect(try dialogue.ask(.read, 8, 1, ["name": "/lfs/b"]) == ["len": 2])
    #expect(try dialogue.ask(.read, 8, 1, ["name": "/lfs/c"]) == ["err": ["group": 8, "rc": 3]])
    #expect(try dialogue.ask(.read, 8, 2, ["name": "/lfs/a", "type": "crc32"])?["output"] == 0x3610_a686)
    #expect(try dialogue.ask(.read, 3, 0, ["name": "x/y"]) == ["val": .bytes([1, 2, 3])])
    #expect(try dialogue.ask(.write, 3, 0, ["name": "x/y", "val": .bytes([9])])?.isEmpty == true)
    #expect(try dialogue.ask(.read, 3, 0, ["name": "x/y"]) == ["val": .bytes([9])])
    #expect(try dialogue.ask(.read, 2, 0, ["name": "radio"]) == ["name": "radio", "fields": ["sent": 5]])
    #expect(try dialogue.ask(.read, 2, 1) == ["stat_list": ["radio"]])
    var bare = SMPDialogue()
    for group: UInt16 in [2, 3, 8, 9] { #expect(try bare.ask(.read, group, 0) == ["rc": 8]) }
  }
}

extension UpdateEffect {
  /// The bytes that are sent.
  var sent: [UInt8]? { if case .send(let bytes, _) = self { bytes } else { nil } }
}
