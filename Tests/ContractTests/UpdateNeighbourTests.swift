// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Updates by Nordic's protocols beside devices with the next addresses, as in a rack; only in the simulator.
@Suite(
  "Updates beside neighbours", .enabled(if: !Stages.isReal), .serialized, .timeLimit(.minutes(10)))
struct UpdateNeighbourTests {
  private static let last = BluetoothAddress(number: UpdateStage.address.number - 1) ?? BuiltIn.nobody
  private static let next = BluetoothAddress(number: UpdateStage.address.number + 1) ?? BuiltIn.nobody

  private func neighbour(
    _ address: BluetoothAddress, smp: SMPSpec? = nil, dfu: DFUSpec? = nil
  ) -> PeripheralSpec {
    PeripheralSpec(
      address: "\(address)", advertisement: AdvertisementSpec(name: "Neighbour"),
      services: [ServiceSpec(.batteryService, [CharacteristicSpec(.batteryLevel, .read, value: [70])])],
      smp: smp, dfu: dfu, mtu: 247)
  }

  @Test(
    "A device that is away for a while is updated, not the next one",
    arguments: [DFUSpec.Kind.secure, .legacy],
    [false, true])
  func next(kind: DFUSpec.Kind, isInBootloader: Bool) async throws {
    let (firmware, bytes) = try UpdateStage.package(kind)
    let own = DFUSpec(kind) { ($0.hasNextAddress, $0.restartTime) = (false, .seconds(6)) }
    // An application, or a bootloader that waits for its own update.
    let others = DFUSpec(kind) { ($0.hasNextAddress, $0.startsInBootloader) = (false, isInBootloader) }
    try await UpdateStage.with(dfu: own, beside: [neighbour(Self.next, dfu: others)]) { stage in
      let result = try await stage.update(firmware)
      #expect(result.to == "2.0.0" && result.address == UpdateStage.address)
      #expect(await stage.running == bytes)
      let other = try #require(await stage.simulated.simulator.firmware(of: "\(Self.next)"))
      #expect(other.version == "1.0.0" && other.isInBootloader == isInBootloader && other.slots.isEmpty)
    }
  }

  @Test(
    "Only a device whose services are those of its bootloader is taken for one that an earlier run has left")
  func noted() async throws {
    let (firmware, bytes) = try UpdateStage.package(.secure)
    let own = DFUSpec(.secure) { $0.hasNextAddress = false }
    try await UpdateStage.with(dfu: own, beside: [neighbour(Self.next, dfu: own)]) { stage in
      let other = try await Contract.hear(Self.next, stage.central)
      var options = FirmwareUpdate.Options()
      options.application = UpdateStage.address
      let update = FirmwareUpdate(firmware, options: options)
      let result = try await update.run(on: other) { _ in }
      #expect(result.address == UpdateStage.address)
      #expect(await stage.running == bytes)
      #expect(await stage.simulated.simulator.firmware(of: "\(Self.next)")?.version == "1.0.0")
    }
  }

  @Test("A stale note about a bootloader does not lead to that of a device that is updated beside this one")
  func staleNote() async throws {
    let (firmware, bytes) = try UpdateStage.package(.secure)
    let own = DFUSpec(.secure) { $0.hasNextAddress = false }
    let others = DFUSpec(.secure) { ($0.hasNextAddress, $0.startsInBootloader) = (false, true) }
    try await UpdateStage.with(dfu: own, beside: [neighbour(Self.next, dfu: others)]) { stage in
      let other = try await Contract.hear(Self.next, stage.central)
      try await other.connect()
      let next = Self.next
      let result = try await stage.update(firmware) { options in
        (options.application, options.bootloader) = (UpdateStage.address, next)
        options.others = { [next] }
      }
      #expect(result.address == UpdateStage.address && result.to == "2.0.0")
      #expect(await stage.running == bytes)
      let state = try #require(await stage.simulated.simulator.firmware(of: "\(next)"))
      #expect(state.isInBootloader && state.slots.isEmpty)
    }
  }

  @Test(
    "A bootloader that an earlier run has left is found with a file for another one, too, and refuses that at once",
    arguments: [false, true])
  func otherFile(isFound: Bool) async throws {
    let (firmware, _) = try UpdateStage.package(.legacy)
    try await UpdateStage.with(dfu: DFUSpec(.secure)) { stage in
      try await stage.startBootloader(.secure)
      let bootloader = try await Contract.hear(Self.next, stage.central)
      var options = FirmwareUpdate.Options()
      (options.application, options.bootloader) = (UpdateStage.address, isFound ? Self.next : nil)
      let update = FirmwareUpdate(firmware, options: options)
      let error = await #expect(throws: UpdateError.self) { try await update.plan(for: bootloader) }
      #expect(error?.code == .unfit, "\(String(describing: error))")
      #expect(error?.message == "the file is for Legacy DFU, the device offers Secure DFU")
    }
  }

  @Test(
    "A neighbour does not answer for a device whose application has an unknown address",
    arguments: [DFUSpec.Kind.secure, .legacy])
  func last(kind: DFUSpec.Kind) async throws {
    let (firmware, bytes) = try UpdateStage.package(kind)
    let own = DFUSpec(kind) {
      ($0.hasNextAddress, $0.startsInBootloader, $0.restartTime) = (false, true, .seconds(8))
    }
    let other = neighbour(Self.last, smp: SMPSpec { $0.version = "7.7.7" })
    try await UpdateStage.with(dfu: own, beside: [other]) { stage in
      let result = try await stage.update(firmware)
      #expect(result.to == "2.0.0" && result.address == UpdateStage.address)
      #expect(result.duration > .seconds(8))
      #expect(await stage.running == bytes)
    }
  }

  @Test(
    "A device that begins in its bootloader is found at the address of its application, if that is back",
    arguments: [DFUSpec.Kind.secure, .legacy])
  func applicationIsBack(kind: DFUSpec.Kind) async throws {
    let (firmware, bytes) = try UpdateStage.package(kind)
    let own = DFUSpec(kind) { $0.idleTime = .seconds(60) }
    try await UpdateStage.with(dfu: own) { stage in
      try await stage.startBootloader(kind)
      let bootloader = try await Contract.hear(Self.next, stage.central)
      try await bootloader.connect()
      // It gives up when the update has just begun.
      try await stage.central.loop.sleep(for: .seconds(57.5))
      let result = try await FirmwareUpdate(firmware).run(on: bootloader) { _ in }
      #expect(result.address == UpdateStage.address)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A device that does not come back is not updated", arguments: [DFUSpec.Kind.secure, .legacy])
  func gone(kind: DFUSpec.Kind) async throws {
    let (firmware, _) = try UpdateStage.package(kind)
    let own = DFUSpec(kind) { ($0.startsInBootloader, $0.restartTime) = (true, .seconds(600)) }
    try await UpdateStage.with(dfu: own) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .timedOut, "\(String(describing: error))")
      #expect(error?.message.contains("the new firmware is not there") == true)
    }
  }
}

extension UpdateStage {
  /// Lets the application start its bootloader.
  fileprivate func startBootloader(_ kind: DFUSpec.Kind) async throws {
    let (uuid, request): (BluetoothUUID, [UInt8]) =
      kind == .secure ? (FirmwareUUID.buttonless, [1]) : (FirmwareUUID.legacyControl, [1, 4])
    try await peripheral.connect()
    let all = try await peripheral.discoverServices().flatMap(\.characteristics)
    guard let control = all.first(where: { $0.uuid == uuid }) else { throw Contract.Missing(what: "\(uuid)") }
    // The link may end before the answer.
    try? await peripheral.writeValue(request, for: control)
  }
}
