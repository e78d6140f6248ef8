// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Images on the SMP server of a simulated device")
struct SMPImageTests {
  private static let firmware = SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 3000)

  private func flags(_ map: CBORMap) -> [String] {
    ["active", "confirmed", "pending", "permanent"].filter { map[$0]?.bool == true }
  }

  @Test("A tested image runs after a reset, and stays once it is confirmed")
  func testAndConfirm() throws {
    var dialogue = SMPDialogue { ($0.restartTime, $0.swapTime) = (.seconds(1), .seconds(2)) }
    let before = try dialogue.states()
    #expect(before.count == 1 && flags(before[0]) == ["active", "confirmed"])
    #expect(before[0]["version"] == "1.0.0")
    #expect(try dialogue.upload(Self.firmware) == ["off": CBORValue(Self.firmware.count), "match": true])
    let states = try #require(try dialogue.choose(Self.firmware)?["images"]?.array?.compactMap(\.map))
    #expect(states.map(flags) == [["active", "confirmed"], ["pending"]])
    #expect(try dialogue.reset() == .seconds(3))
    #expect(dialogue.server.version == "2.0.0")
    #expect(try dialogue.states().map(flags) == [["active"], ["confirmed"]])
    #expect(try dialogue.ask(.write, 1, 0, ["confirm": true]) != nil)
    #expect(try dialogue.reset() == .seconds(1))
    #expect(dialogue.server.version == "2.0.0")
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"], []])
    let slots = dialogue.server.state.slots
    #expect(slots.map(\.version) == ["2.0.0", "1.0.0"])
    #expect(slots[0].bytes == Self.firmware && slots[0].flags == ["active", "confirmed"])
  }

  @Test("A server that marks the application alone says of no other image that it runs, nor keeps it then")
  func onlyApplication() throws {
    var dialogue = SMPDialogue { ($0.images, $0.activeImages) = (2, .application) }
    let second = try dialogue.states()[1]
    #expect(second["image"]?.int == 1 && flags(second) == ["confirmed"])
    let hash = try #require(second["hash"])
    #expect(try dialogue.ask(.write, 1, 0, ["hash": hash, "confirm": true]) == ["rc": 1])
  }

  @Test("An image that nobody confirms is gone after the next reset")
  func revert() throws {
    var dialogue = SMPDialogue()
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
    var dialogue = SMPDialogue()
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
    var dialogue = SMPDialogue { $0.newFirmware = behaviour }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == version)
    #expect(try dialogue.states().count == (behaviour == .rejected ? 1 : 2))
    #expect(try flags(dialogue.states()[0]).contains("confirmed") == (behaviour != .waits))
  }

  @Test("A device whose confirmed firmware hangs never comes back")
  func bricked() throws {
    var dialogue = SMPDialogue { $0.newFirmware = .hangs }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware, confirm: true)
    #expect(try dialogue.reset() == nil)
  }

  @Test("A boot loader that overwrites keeps nothing to go back to")
  func overwrite() throws {
    var dialogue = SMPDialogue { $0.mode = .overwrite }
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(try dialogue.states().map(flags) == [["active", "confirmed"]])
    #expect(dialogue.server.version == "2.0.0")
  }

  @Test("Where images run in their slots, the newest one runs after a reset, without a test")
  func directXIP() throws {
    var dialogue = SMPDialogue { $0.mode = .directXIP }
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
    var dialogue = SMPDialogue { $0.mode = .directXIPRevert }
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
    var dialogue = SMPDialogue()
    try dialogue.upload(Self.firmware)
    _ = try dialogue.choose(Self.firmware)
    #expect(try dialogue.upload(Self.firmware) == ["err": ["group": 1, "rc": 28]])
    _ = try dialogue.reset()
    #expect(try dialogue.upload(Self.firmware) == ["err": ["group": 1, "rc": 9]])
    #expect(try dialogue.ask(.write, 1, 5, ["slot": 1]) == ["err": ["group": 1, "rc": 9]])
  }

  @Test("An upload is refused that is no image, too large, or not newer")
  func unfit() throws {
    var dialogue = SMPDialogue { $0.slotSize = 12_288 }
    #expect(try dialogue.upload([UInt8](repeating: 7, count: 100)) == ["err": ["group": 1, "rc": 23]])
    #expect(
      try dialogue.upload(SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 9000))
        == ["err": ["group": 1, "rc": 30]])
    #expect(
      try dialogue.upload(
        SampleFirmware.image(MCUbootImage.Version(major: 1, minor: 0), seed: 2), upgrade: true)
        == ["err": ["group": 1, "rc": 27]])
    var refusing = SMPDialogue { $0.faults.refusesUpload = 15 }
    #expect(try refusing.upload(Self.firmware) == ["err": ["group": 1, "rc": 15]])
  }

  @Test(
    "An interrupted upload goes on where it stopped, unless the device forgets it", arguments: [false, true])
  func resume(_ forgets: Bool) throws {
    var dialogue = SMPDialogue { $0.faults.forgetsUpload = forgets }
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
    var dialogue = SMPDialogue()
    #expect(try dialogue.ask(.write, 1, 1, ["off": 77, "data": .bytes([1])]) == ["off": 0])
  }

  @Test("Lost, hung up, silent and busy: each fault happens once, and all bytes arrive")
  func transferFaults() throws {
    var dialogue = SMPDialogue { spec in
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
    var dialogue = SMPDialogue { $0.faults.transfer.corruptsAt = 1000 }
    #expect(try dialogue.upload(Self.firmware)["match"] == false)
    _ = try dialogue.choose(Self.firmware)
    _ = try dialogue.reset()
    #expect(dialogue.server.version == "1.0.0")
  }

  @Test("Erasing takes its time before the answer")
  func eraseTime() throws {
    var dialogue = SMPDialogue { $0.eraseTime = .seconds(7) }
    let payload: CBORMap = [
      "off": 0, "len": CBORValue(Self.firmware.count), "data": .bytes(Array(Self.firmware[..<64])),
    ]
    _ = try dialogue.ask(.write, 1, 1, payload)
    #expect(dialogue.effects.first == .pause(.seconds(7)))
  }

  @Test("Two images start together")
  func twoImages() throws {
    var dialogue = SMPDialogue { $0.images = 2 }
    #expect(try dialogue.states().map { $0["image"]?.int } == [0, 1])
    let sizes = try #require(try dialogue.ask(.read, 1, 6)?["images"]?.array?.compactMap(\.map))
    #expect(sizes.map { $0["image"]?.int } == [0, 1])
  }

  @Test("A reset may need force")
  func force() throws {
    var dialogue = SMPDialogue { $0.faults.refusesReset = true }
    #expect(try dialogue.ask(.write, 0, 5) == ["rc": 10])
    #expect(!dialogue.effects.contains(.restart))
    #expect(try dialogue.ask(.write, 0, 5, ["force": 1])?.isEmpty == true)
    #expect(dialogue.effects.contains(.restart))
  }

}
