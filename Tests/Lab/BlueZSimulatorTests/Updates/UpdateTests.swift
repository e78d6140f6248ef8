// SPDX-License-Identifier: MIT
import BLEFormats
import DBus
import TestSupport
import Testing

@testable import BLEWorld
@testable import BlueZSimulator

/// Firmware updates of simulated devices, seen from the bus.
@Suite("Firmware update of a simulated device")
struct UpdateTests {
  private static let image = SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: 5000)

  // MARK: SMP

  @Test(
    "An image that is sent and tested runs after the reset, and stays once it is confirmed",
    arguments: [23, 247])
  func smp(_ mtu: UInt16) async throws {
    try await UpdateStage.run(smp: SMPSpec { $0.version = "1.2.3" }, mtu: mtu) { stage in
      #expect(try await stage.version() == "1.2.3")
      var central = try await SMPCentral(stage, part: Int(mtu) - 3)
      #expect(try await central.ask(.write, 0, 0, ["d": "hi"]) == ["r": "hi"])
      try await central.upload(Self.image)
      let end = try await central.test()
      try await stage.reconnect(from: end)
      #expect(try await stage.version() == "2.0.0")
      central = try await SMPCentral(stage, part: Int(mtu) - 3)
      _ = try await central.ask(.write, 1, 0, ["confirm": true])
      let firmware = try #require(await stage.simulator.firmware(of: UpdateStage.address))
      #expect(firmware.slots[0].bytes == Self.image && firmware.slots[0].flags == ["active", "confirmed"])
      let state = try #require(await stage.simulator.state.peripherals.first)
      #expect(state.firmware == firmware && state.firmware?.version == "2.0.0")
    }
  }

  @Test("A device that closes the link goes on where it was, and loses nothing")
  func hangUp() async throws {
    try await UpdateStage.run(smp: SMPSpec { $0.faults.transfer.hangsUpAt = [2500] }) { stage in
      let central = try await SMPCentral(stage)
      let start = stage.client.log.end
      try await central.upload(Array(Self.image[..<2000]), size: 1000, whole: Self.image)
      // The third packet is not answered.
      let packet = SMPMessage(
        .write, group: 1, command: 1, sequence: 9,
        ["off": 2000, "data": .bytes(Array(Self.image[2000..<3000]))]
      ).encoded
      for place in stride(from: 0, to: packet.count, by: 244) {
        try await stage.command(central.path, Array(packet[place..<min(place + 244, packet.count)]))
      }
      try await stage.reconnect(from: start)
      let again = try await SMPCentral(stage)
      try await again.upload(Self.image)
      let firmware = try #require(await stage.simulator.firmware(of: UpdateStage.address))
      #expect(firmware.slots[1].bytes == Self.image)
    }
  }

  @Test("New firmware may have its services elsewhere, and BlueZ makes their objects anew")
  func movedServices() async throws {
    try await UpdateStage.run(smp: SMPSpec { $0.movesBy = 5 }) { stage in
      let central = try await SMPCentral(stage)
      try await central.upload(Self.image)
      let end = try await central.test()
      try await stage.reconnect(from: end)
      #expect(try await stage.path(FirmwareUUID.smp) != central.path)
      #expect(try await stage.version() == "2.0.0")
    }
  }

  // MARK: Boot loaders of Nordic's

  private static let code = SampleFirmware.code(6000)

  /// Sends an init packet and firmware, object by object.
  private func sendSecurely(_ stage: UpdateStage, to address: String) async throws {
    let control = try await stage.path(FirmwareUUID.dfuControl, of: address)
    let packet = try await stage.path(FirmwareUUID.dfuPacket, of: address)
    try await stage.client.gatt("StartNotify", control)
    func send(_ type: UInt8, _ object: ArraySlice<UInt8>) async throws {
      let size = (0..<4).map { UInt8(truncatingIfNeeded: object.count >> (8 * $0)) }
      #expect(try await stage.request(control, [1, type] + size) == [0x60, 1, 1])
      for place in stride(from: object.startIndex, to: object.endIndex, by: 240) {
        try await stage.command(packet, Array(object[place..<min(place + 240, object.endIndex)]))
      }
      #expect(try await stage.request(control, [3]).prefix(3) == [0x60, 3, 1])
      #expect(try await stage.request(control, [4]) == [0x60, 4, 1])
    }
    try await send(1, SampleFirmware.secureInit(for: Self.code, version: 20_000)[...])
    try await send(2, Self.code[..<4096])
    try await send(2, Self.code[4096...])
  }

  @Test("An application jumps to its boot loader at the next address, and comes back with the new version")
  func secure() async throws {
    try await UpdateStage.run(dfu: DFUSpec(.secure)) { stage in
      let jump = try await stage.path(FirmwareUUID.buttonless)
      try await stage.client.gatt("StartNotify", jump)
      var start = stage.client.log.end
      #expect(try await stage.request(jump, [1]) == [0x20, 1, 1])
      try await stage.reconnect(from: start, to: UpdateStage.next)
      let state = await stage.simulator.state
      #expect(state.peripherals.map(\.isPresent) == [false, true])
      start = stage.client.log.end
      try await sendSecurely(stage, to: UpdateStage.next)
      let bootloader = BusClient.devicePath(UpdateStage.next)
      _ = try #require(
        await stage.client.log.first(from: start, setting: "Connected", to: .boolean(false), at: bootloader))
      try await stage.client.connect(UpdateStage.address)
      #expect(try await stage.version() == "2.0.0")
      let firmware = try #require(await stage.simulator.firmware(of: UpdateStage.address))
      #expect(firmware.slots.map(\.bytes) == [Self.code] && !firmware.isInBootloader)
    }
  }

  @Test(
    "A boot loader at the same address has its own objects once it has reported a change, and never without",
    arguments: [Duration.zero, .milliseconds(300), nil])
  func sameAddress(_ reports: Duration?) async throws {
    let spec = DFUSpec(.secure) { spec in
      spec.hasNextAddress = false
      spec.reportsChangeAfter = reports
    }
    try await UpdateStage.run(dfu: spec) { stage in
      let jump = try await stage.path(FirmwareUUID.buttonless)
      try await stage.client.gatt("StartNotify", jump)
      var start = stage.client.log.end
      #expect(try await stage.request(jump, [1]) == [0x20, 1, 1])
      try await stage.reconnect(from: start)
      guard let reports else {
        // The service of the application is gone, and that of the boot loader has another handle: its objects are new.
        return #expect(await stage.simulator.firmware(of: UpdateStage.address)?.isInBootloader == true)
      }
      if reports > .zero {
        let resolved = stage.client.log.end
        _ = try #require(
          await stage.client.log.first(from: resolved) { event in
            if case .added(_, let interfaces) = event {
              interfaces.contains("org.bluez.GattCharacteristic1")
            } else {
              false
            }
          })
      }
      start = stage.client.log.end
      try await sendSecurely(stage, to: UpdateStage.address)
      try await stage.reconnect(from: start)
      #expect(try await stage.version() == "2.0.0")
    }
  }

  @Test("Running firmware takes Legacy DFU itself, and restarts with the new version")
  func legacy() async throws {
    try await UpdateStage.run(dfu: DFUSpec(.legacy) { $0.jumps = false }) { stage in
      let control = try await stage.path(FirmwareUUID.legacyControl)
      let packet = try await stage.path(FirmwareUUID.legacyPacket)
      try await stage.client.gatt("StartNotify", control)
      func command(_ bytes: [UInt8]) async throws -> [UInt8] {
        let start = stage.client.log.end
        try await stage.command(packet, bytes)
        return try await stage.notification(control, from: start)
      }
      try await stage.client.write(control, [1, 4])
      #expect(try await command([0, 0, 0, 0, 0, 0, 0, 0, 0x70, 0x17, 0, 0]) == [0x10, 1, 1])
      try await stage.client.write(control, [2, 0])
      try await stage.command(packet, SampleFirmware.legacyInit(for: Self.code, version: 20_000))
      #expect(try await stage.request(control, [2, 1]) == [0x10, 2, 1])
      try await stage.client.write(control, [3])
      for place in stride(from: 0, to: 5900, by: 100) {
        try await stage.command(packet, Array(Self.code[place..<place + 100]))
      }
      #expect(try await command(Array(Self.code[5900...])) == [0x10, 3, 1])
      #expect(try await stage.request(control, [4]) == [0x10, 4, 1])
      let start = stage.client.log.end
      try await stage.client.write(control, [5])
      try await stage.reconnect(from: start)
      #expect(try await stage.version() == "2.0.0")
    }
  }

  @Test("The state of the control channel tells the firmware, and what was received")
  func state() async throws {
    try await UpdateStage.run(smp: SMPSpec { $0.version = "1.2.3" }) { stage in
      let text = String(decoding: ControlAnswer.state(await stage.simulator.state), as: UTF8.self)
      #expect(
        text.contains(
          #""firmware":{"protocol":"smp","version":"1.2.3","in_bootloader":false,"slots":[{"slot":"image 0 slot 0","version":"1.2.3","flags":["active","confirmed"],"bytes":"#
        ))
      #expect(text.contains(#""sha256":""#))
    }
  }
}
