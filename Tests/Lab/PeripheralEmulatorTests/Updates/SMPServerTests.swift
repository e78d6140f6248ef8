// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("SMP server of a simulated device")
struct SMPServerTests {
  /// A server, and a central that asks it and collects what happens.
  private struct Dialogue {
    var server: SMPServer
    var effects: [UpdateEffect] = []
    var version: UInt8 = 1
    private var sequence: UInt8 = 0

    init(_ change: (inout SMPSpec) -> Void = { _ in }) { server = SMPServer(SMPSpec(change)) }

    /// Sends a request; returns the answer, or nil if there is none.
    mutating func ask(
      _ operation: SMPMessage.Operation, _ group: UInt16, _ command: UInt8, _ payload: CBORMap = [:]
    ) throws -> CBORMap? {
      sequence &+= 1
      let request = SMPMessage(
        operation, group: group, command: command, sequence: sequence, version: version, payload)
      effects = server.receive(request.encoded, at: FirmwareUUID.smp)
      guard let answer = effects.compactMap(\.sent).first else { return nil }
      let response = try SMPMessage(decoding: answer)
      #expect(response.sequence == sequence && response.group == group && response.command == command)
      #expect(response.operation == operation.response)
      return response.payload
    }

    mutating func states() throws -> [CBORMap] {
      try #require(try ask(.read, 1, 0)?["images"]?.array).compactMap(\.map)
    }

    /// Uploads firmware in parts, from where the server wants them; returns the last answer.
    @discardableResult
    mutating func upload(_ firmware: [UInt8], part: Int = 200, upgrade: Bool = false) throws -> CBORMap {
      var (offset, answer): (Int, CBORMap) = (0, [:])
      let digest = try SHA256.digest(of: firmware)
      repeat {
        let data = Array(firmware[offset..<min(offset + part, firmware.count)])
        var payload: CBORMap = ["off": CBORValue(offset), "data": .bytes(data)]
        if offset == 0 {
          payload["len"] = CBORValue(firmware.count)
          payload["sha"] = .bytes(digest)
          if upgrade { payload["upgrade"] = true }
        }
        // A lost packet is sent again.
        guard let next = try ask(.write, 1, 1, payload) else { continue }
        answer = next
        guard let wanted = next["off"]?.int else { return next }
        offset = wanted
      } while offset < firmware.count
      return answer
    }

    mutating func choose(_ firmware: [UInt8], confirm: Bool = false) throws -> CBORMap? {
      let hash = try #require(SlotImage(firmware)).hash
      return try ask(.write, 1, 0, ["hash": .bytes(hash), "confirm": .bool(confirm)])
    }

    /// Resets the device, and returns how long it is away.
    mutating func reset() throws -> Duration? {
      #expect(try ask(.write, 0, 5)?.isEmpty == true)
      #expect(effects.last == .restart)
      server.linkEnded()
      return server.restart()
    }
  }

  private static let firmware = SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 3000)

  private func flags(_ map: CBORMap) -> [String] {
    ["active", "confirmed", "pending", "permanent"].filter { map[$0]?.bool == true }
  }

  // MARK: Packets

  @Test("An echo comes back, from a packet in several writes, too")
  func echo() throws {
    var dialogue = Dialogue()
    #expect(try dialogue.ask(.write, 0, 0, ["d": "hello"]) == ["r": "hello"])
    let request = SMPMessage(.write, group: 0, command: 0, sequence: 9, ["d": "in parts"]).encoded
    #expect(dialogue.server.receive(Array(request[..<10]), at: FirmwareUUID.smp).isEmpty)
    let effects = dialogue.server.receive(Array(request[10...]), at: FirmwareUUID.smp)
    let answer = try SMPMessage(decoding: try #require(effects.compactMap(\.sent).first))
    #expect(answer.payload == ["r": "in parts"] && answer.sequence == 9)
  }

  @Test("A server without reassembly ignores packets in several writes")
  func noReassembly() throws {
    var dialogue = Dialogue { $0.reassembles = false }
    let request = SMPMessage(.write, group: 0, command: 0, ["d": "hello"]).encoded
    #expect(dialogue.server.receive(Array(request[..<10]), at: FirmwareUUID.smp).isEmpty)
    #expect(dialogue.server.receive(Array(request[10...]), at: FirmwareUUID.smp).isEmpty)
    #expect(try dialogue.ask(.write, 0, 0, ["d": "hello"]) == ["r": "hello"])
  }

  @Test("Packets that are larger than a buffer, or more than the buffers, are lost")
  func buffers() throws {
    var dialogue = Dialogue { ($0.bufferSize, $0.bufferCount) = (64, 2) }
    #expect(try dialogue.ask(.write, 0, 0, ["d": .text(String(repeating: "x", count: 80))]) == nil)
    let request = SMPMessage(.write, group: 0, command: 0, ["d": "x"]).encoded
    #expect(dialogue.server.receive(request, at: FirmwareUUID.smp, waiting: 1).count == 1)
    #expect(dialogue.server.receive(request, at: FirmwareUUID.smp, waiting: 2).isEmpty)
    #expect(try dialogue.ask(.read, 0, 6) == ["buf_size": 64, "buf_count": 2])
  }

  @Test("Maps in answers may have an end instead of a size")
  func indefiniteMaps() throws {
    var dialogue = Dialogue { $0.hasIndefiniteMaps = true }
    #expect(try dialogue.ask(.write, 0, 0, ["d": "x"]) == ["r": "x"])
    let bytes = try #require(dialogue.effects.compactMap(\.sent).first)
    #expect(bytes[8] == 0xbf && bytes.last == 0xff)
    #expect(try dialogue.states().count == 1)
  }

  @Test("A server of the first version says rc in each answer, also to centrals of the second")
  func firstVersion() throws {
    var dialogue = Dialogue { $0.protocolVersion = 1 }
    #expect(try dialogue.ask(.write, 0, 0, ["d": "x"]) == ["r": "x", "rc": 0])
    let bytes = try #require(dialogue.effects.compactMap(\.sent).first)
    #expect(bytes[0] == 0x03)
    #expect(try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])])?["rc"] == 5)
  }

  @Test("An error is one of its group, and a number of SMP for centrals of the first version")
  func errors() throws {
    var dialogue = Dialogue()
    #expect(
      try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])]) == ["err": ["group": 1, "rc": 8]])
    #expect(try dialogue.ask(.read, 64, 0) == ["rc": 8])
    dialogue.version = 0
    #expect(try dialogue.ask(.write, 1, 0, ["hash": .bytes([1])]) == ["rc": 5])
  }

  @Test("A question for the buffers may be refused or stay unanswered")
  func parameters() throws {
    var refusing = Dialogue { $0.parameters = .unsupported }
    #expect(try refusing.ask(.read, 0, 6) == ["rc": 8])
    var silent = Dialogue { $0.parameters = .silent }
    #expect(try silent.ask(.read, 0, 6) == nil)
  }

  @Test("The boot loader and its mode are told, or not known")
  func bootloader() throws {
    var dialogue = Dialogue { $0.mode = .overwrite }
    #expect(try dialogue.ask(.read, 0, 8) == ["bootloader": "MCUboot"])
    #expect(try dialogue.ask(.read, 0, 8, ["query": "mode"]) == ["mode": 2, "no-downgrade": true])
    #expect(try dialogue.ask(.read, 0, 8, ["query": "x"]) == ["err": ["group": 0, "rc": 3]])
    var other = Dialogue { $0.tellsBootloader = false }
    #expect(try other.ask(.read, 0, 8) == ["rc": 8])
  }

  // MARK: Images

  @Test("A tested image runs after a reset, and stays once it is confirmed")
  func testAndConfirm() throws {
    var dialogue = Dialogue { ($0.restartTime, $0.swapTime) = (.seconds(1), .seconds(2)) }
    let before = try dialogue.states()
    #expect(before.count == 1 && flags(before[0]) == ["active", "confirmed"])
    #expect(before[0]["version"] == "1.0.0")
    #expect(try dialogue.upload(Self.firmware) == ["off": CBORValue(Self.firmware.count), "match": true])
    let states = try #require(try dialogue.choose(Self.firmware)?["images"]?.array?.compactMap(\.map))
    #expect(states.map(flags) == [["active", "confirmed"], ["pending"]])
    #expect(try dialogue.reset() == .seconds(3))
    #expect(dialogue.server.version == "2.0.0")
    #expect(try dialogue.states().map(flags) == [["active"], []])
    #expect(try dialogue.ask(.write, 1, 0, ["confirm": true]) != nil)
    #expect(try dialogue.reset() == .seconds(1))
    #expect(dialogue.server.version == "2.0.0")
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"], []])
    let slots = dialogue.server.state.slots
    #expect(slots.map(\.version) == ["2.0.0", "1.0.0"])
    #expect(slots[0].bytes == Self.firmware && slots[0].flags == ["active", "confirmed"])
  }

  @Test("An image that nobody confirms is gone after the next reset")
  func revert() throws {
    var dialogue = Dialogue()
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "2.0.0")
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "1.0.0")
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"], []])
  }

  @Test("A confirmed image stays at once")
  func permanent() throws {
    var dialogue = Dialogue()
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware, confirm: true)
    #expect(try dialogue.states().map(flags)[1] == ["pending", "permanent"])
    _ = try dialogue.reset()
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"], []])
  }

  @Test(
    "New firmware that confirms itself stays, one that hangs or is rejected is gone",
    arguments: [
      (SMPSpec.NewFirmware.confirms, "2.0.0"), (.waits, "2.0.0"), (.hangs, "1.0.0"), (.rejected, "1.0.0"),
    ])
  func newFirmware(_ behaviour: SMPSpec.NewFirmware, _ version: String) throws {
    var dialogue = Dialogue { $0.newFirmware = behaviour }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == version)
    #expect(try dialogue.states().count == (behaviour == .rejected ? 1 : 2))
    #expect(try flags(dialogue.states()[0]).contains("confirmed") == (behaviour != .waits))
  }

  @Test("A device whose confirmed firmware hangs never comes back")
  func bricked() throws {
    var dialogue = Dialogue { $0.newFirmware = .hangs }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware, confirm: true)
    #expect(try dialogue.reset() == nil)
  }

  @Test("A boot loader that overwrites keeps nothing to go back to")
  func overwrite() throws {
    var dialogue = Dialogue { $0.mode = .overwrite }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"]])
    #expect(dialogue.server.version == "2.0.0")
  }

  @Test("Where images run in their slots, the newest one runs after a reset, without a test")
  func directXIP() throws {
    var dialogue = Dialogue { $0.mode = .directXIP }
    try dialogue.upload(Self.firmware)
    #expect(try dialogue.choose(Self.firmware) == ["rc": 8])
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "2.0.0")
    let states = try dialogue.states()
    #expect(states.map { $0["slot"]?.int } == [0, 1] && flags(states[1]) == ["active", "confirmed"])
    // The next one goes into the first slot.
    let newer = SampleFirmware.image(MCUbootImage.Version(major: 3, minor: 0))
    try dialogue.upload(newer)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "3.0.0" && dialogue.server.state.slots[0].bytes == newer)
  }

  @Test("Where images run in their slots and revert, an unconfirmed one is erased")
  func directXIPRevert() throws {
    var dialogue = Dialogue { $0.mode = .directXIPRevert }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "2.0.0")
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "1.0.0")
    #expect(try dialogue.states().count == 1)
  }

  @Test("An upload is refused while another image waits, or the running one is on trial")
  func refusals() throws {
    var dialogue = Dialogue()
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    #expect(try dialogue.upload(Self.firmware) == ["err": ["group": 1, "rc": 28]])
    _ = try dialogue.reset()
    #expect(try dialogue.upload(Self.firmware) == ["err": ["group": 1, "rc": 9]])
    #expect(try dialogue.ask(.write, 1, 5, ["slot": 1]) == ["err": ["group": 1, "rc": 9]])
  }

  @Test("An upload is refused that is no image, too large, or not newer")
  func unfit() throws {
    var dialogue = Dialogue { $0.slotSize = 12_288 }
    #expect(try dialogue.upload([UInt8](repeating: 7, count: 100)) == ["err": ["group": 1, "rc": 23]])
    #expect(
      try dialogue.upload(SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 9000))
        == ["err": ["group": 1, "rc": 30]])
    #expect(
      try dialogue.upload(
        SampleFirmware.image(MCUbootImage.Version(major: 1, minor: 0), seed: 2), upgrade: true)
        == ["err": ["group": 1, "rc": 27]])
    var refusing = Dialogue { $0.faults.refusesUpload = 15 }
    #expect(try refusing.upload(Self.firmware) == ["err": ["group": 1, "rc": 15]])
  }

  @Test(
    "An interrupted upload goes on where it stopped, unless the device forgets it", arguments: [false, true])
  func resume(_ forgets: Bool) throws {
    var dialogue = Dialogue { $0.faults.forgetsUpload = forgets }
    let first = Array(Self.firmware[..<500])
    let digest = try SHA256.digest(of: Self.firmware)
    let payload: CBORMap = [
      "off": 0, "len": CBORValue(Self.firmware.count), "sha": .bytes(digest), "data": .bytes(first),
    ]
    #expect(try dialogue.ask(.write, 1, 1, payload) == ["off": 500])
    dialogue.server.linkEnded()
    let rest: CBORMap = ["off": 500, "data": .bytes(Array(Self.firmware[500..<600]))]
    if forgets {
      #expect(try dialogue.ask(.write, 1, 1, rest) == ["off": 0])
    } else {
      #expect(try dialogue.ask(.write, 1, 1, payload) == ["off": 500])
      #expect(try dialogue.ask(.write, 1, 1, rest) == ["off": 600])
    }
    try dialogue.upload(Self.firmware)
    #expect(dialogue.server.state.slots[1].bytes == Self.firmware)
  }

  @Test("A packet out of order is answered with the byte that is wanted")
  func outOfOrder() throws {
    var dialogue = Dialogue()
    #expect(try dialogue.ask(.write, 1, 1, ["off": 77, "data": .bytes([1])]) == ["off": 0])
  }

  @Test("Lost, hung up, silent and busy: each fault happens once, and all bytes arrive")
  func transferFaults() throws {
    var dialogue = Dialogue { spec in
      spec.faults.transfer = TransferFaults(
        hangsUpAt: [700, 1500], losesAt: [250], silentAt: 900, silence: .seconds(25))
      spec.faults.busyEvery = 5
    }
    var seen: [UpdateEffect] = []
    var offset = 0
    let digest = try SHA256.digest(of: Self.firmware)
    while offset < Self.firmware.count {
      var payload: CBORMap = [
        "off": CBORValue(offset),
        "data": .bytes(Array(Self.firmware[offset..<min(offset + 100, Self.firmware.count)])),
      ]
      if offset == 0 {
        payload["len"] = CBORValue(Self.firmware.count)
        payload["sha"] = .bytes(digest)
      }
      let answer = try dialogue.ask(.write, 1, 1, payload)
      if answer?["rc"] == 10 { #expect(answer?["off"]?.int == offset) }
      seen += dialogue.effects.filter { $0.sent == nil }
      offset = answer?["off"]?.int ?? offset
    }
    #expect(seen == [.hangUp, .pause(.seconds(25)), .hangUp])
    #expect(dialogue.server.state.slots[1].bytes == Self.firmware)
  }

  @Test("Firmware that the flash stores wrongly does not match, and never runs")
  func damaged() throws {
    var dialogue = Dialogue { $0.faults.transfer.corruptsAt = 1000 }
    #expect(try dialogue.upload(Self.firmware)["match"] == false)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "1.0.0")
  }

  @Test("Erasing takes its time before the answer")
  func eraseTime() throws {
    var dialogue = Dialogue { $0.eraseTime = .seconds(7) }
    let payload: CBORMap = [
      "off": 0, "len": CBORValue(Self.firmware.count), "data": .bytes(Array(Self.firmware[..<64])),
    ]
    _ = try dialogue.ask(.write, 1, 1, payload)
    #expect(dialogue.effects.first == .pause(.seconds(7)))
  }

  @Test("Two images start together")
  func twoImages() throws {
    var dialogue = Dialogue { $0.images = 2 }
    #expect(try dialogue.states().map { $0["image"]?.int } == [0, 1])
    let sizes = try #require(try dialogue.ask(.read, 1, 6)?["images"]?.array?.compactMap(\.map))
    #expect(sizes.map { $0["image"]?.int } == [0, 1])
  }

  @Test("A reset may need force")
  func force() throws {
    var dialogue = Dialogue { $0.faults.refusesReset = true }
    #expect(try dialogue.ask(.write, 0, 5) == ["rc": 10])
    #expect(!dialogue.effects.contains(.restart))
    #expect(try dialogue.ask(.write, 0, 5, ["force": 1])?.isEmpty == true)
    #expect(dialogue.effects.contains(.restart))
  }

  // MARK: Other groups

  @Test("Shell, files, settings and counters are there if the world says so")
  func otherGroups() throws {
    var dialogue = Dialogue { spec in
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
    var bare = Dialogue()
    for group: UInt16 in [2, 3, 8, 9] { #expect(try bare.ask(.read, group, 0) == ["rc": 8]) }
  }
}

extension UpdateEffect {
  /// The bytes that are sent.
  var sent: [UInt8]? { if case .send(let bytes, _) = self { bytes } else { nil } }
}
