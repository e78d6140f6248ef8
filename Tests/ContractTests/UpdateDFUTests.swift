// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEUpdate
internal import BLEWorld
internal import TestSupport
internal import Testing

/// Updates by Nordic's protocols over BlueZ; the devices exist only in the simulator.
@Suite("Updates by Nordic's DFU", .enabled(if: !Stages.isReal), .serialized, .timeLimit(.minutes(10)))
struct UpdateDFUTests {
  /// A kind of device.
  struct Device: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let spec: DFUSpec

    init(_ kind: DFUSpec.Kind, _ name: String, _ change: (inout DFUSpec) -> Void = { _ in }) {
      testDescription = "\(kind), \(name)"
      spec = DFUSpec(kind, change)
    }

    static let secure = [
      Device(.secure, "as it is"),
      Device(.secure, "same address") { $0.hasNextAddress = false },
      Device(.secure, "same address, told late") {
        ($0.hasNextAddress, $0.reportsChangeAfter) = (false, .milliseconds(300))
      },
      Device(.secure, "same address, never told") {
        ($0.hasNextAddress, $0.reportsChangeAfter) = (false, nil)
      },
      Device(.secure, "of SDK 12") { $0.buttonless = .experimental },
      Device(.secure, "without a jump") { $0.jumps = false },
      Device(.secure, "starts in its bootloader") { $0.startsInBootloader = true },
      Device(.secure, "MTU 23") { $0.mtu = 23 },
      Device(.secure, "slow flash") { $0.flashTime = .milliseconds(300) },
      Device(.secure, "jump unanswered") { $0.faults.leavesJumpUnanswered = true },
      Device(.secure, "lost packets") { $0.faults.transfer.losesAt = [0, 5000, 8191, 12_288, 19_999] },
      Device(.secure, "wrong checksums") { $0.faults.wrongChecksums = 3 },
      Device(.secure, "wrong state") { $0.faults.invalidStates = 2 },
      Device(.secure, "silence") { $0.faults.transfer.silentAt = 9000 },
      Device(.secure, "lost links") {
        $0.faults.transfer.hangsUpAt = [1, 3000, 4096, 4097, 9999, 15_000, 19_999]
      },
    ]

    static let legacy = [
      Device(.legacy, "as it is"),
      Device(.legacy, "same address") { $0.hasNextAddress = false },
      Device(.legacy, "without a jump") { $0.jumps = false },
      Device(.legacy, "starts in its bootloader") { $0.startsInBootloader = true },
      Device(.legacy, "MTU 23") { $0.mtu = 23 },
      Device(.legacy, "slow flash") { $0.flashTime = .seconds(8) },
      Device(.legacy, "jump unanswered") { $0.faults.leavesJumpUnanswered = true },
      Device(.legacy, "lost packets") { $0.faults.transfer.losesAt = [5000, 19_990] },
      Device(.legacy, "wrong state") { $0.faults.invalidStates = 2 },
      Device(.legacy, "no kinds") { $0.faults.refusesKinds = true },
      Device(.legacy, "lost links") { $0.faults.transfer.hangsUpAt = [1, 5000, 12_000, 19_999] },
    ]
  }

  @Test("New firmware runs on every kind of device", arguments: Device.secure + Device.legacy)
  func everyDevice(device: Device) async throws {
    let (firmware, bytes) = try UpdateStage.package(device.spec.kind)
    try await UpdateStage.with(dfu: device.spec) { stage in
      let result = try await stage.update(firmware)
      #expect(result.to == "2.0.0", "\(String(describing: result.to))")
      #expect(result.method == (device.spec.kind == .secure ? .secureDFU : .legacyDFU))
      if device.spec.startsInBootloader {
        #expect(result.from == nil && result.proof == .bootloaderGone)
      } else {
        #expect(result.from == "1.0.0" && result.proof == .version)
      }
      #expect(result.address == UpdateStage.address)
      #expect(result.bytes >= bytes.count)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A bootloader of a bonded device takes the firmware once the device is paired")
  func bonded() async throws {
    let (firmware, bytes) = try UpdateStage.package(.secure)
    try await UpdateStage.with(dfu: DFUSpec(.secure) { $0.buttonless = .bonded }) { stage in
      _ = try await stage.updatePairing(firmware)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A bootloader of a bonded device is found at the next address, too")
  func bondedNextAddress() async throws {
    let (firmware, bytes) = try UpdateStage.package(.secure)
    let spec = DFUSpec(.secure) { ($0.buttonless, $0.hasNextAddress) = (.bonded, true) }
    try await UpdateStage.with(dfu: spec) { stage in
      _ = try await stage.updatePairing(firmware)
      #expect(await stage.running == bytes)
    }
  }

  @Test(
    "A package of two parts that was interrupted between them or in the second goes on there",
    arguments: [0, 9000])
  func secondPart(done: Int) async throws {
    let (firmware, bytes) = try UpdateStage.twoParts()
    try await UpdateStage.with(dfu: DFUSpec(.secure) { $0.hasNextAddress = false }) { stage in
      let (reached, hasFirst) = (Promise<Void>(), Lock(false))
      let task = Task {
        try await stage.update(
          firmware,
          progress: { progress in
            if progress.done == 16_000 { hasFirst.exchange(true) }
            let isBetween = progress.stage == .waiting && hasFirst.withLock(\.self)
            if done == 0 ? isBetween : progress.part == 2 && progress.done >= done { reached.fulfil(()) }
          })
      }
      await reached.value
      task.cancel()
      let error = await #expect(throws: UpdateError.self) { try await task.value }
      #expect(error?.code == .cancelled, "\(String(describing: error))")
      let result = try await stage.update(firmware)
      #expect(result.bytes > 0 && result.bytes <= bytes.count - done)
      #expect(await stage.running == bytes)
    }
  }

  @Test("Firmware that takes its successor itself, and has no services besides, is proved by its version")
  func withoutServices() async throws {
    let (firmware, bytes) = try UpdateStage.package(.legacy)
    try await UpdateStage.with(dfu: DFUSpec(.legacy) { $0.jumps = false }, hasBattery: false) { stage in
      let result = try await stage.update(firmware)
      #expect(result.from == "1.0.0" && result.to == "2.0.0" && result.proof == .version)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A bootloader that answers nothing over two links ends the update")
  func silent() async throws {
    let (firmware, _) = try UpdateStage.package(.legacy)
    try await UpdateStage.with(dfu: DFUSpec(.legacy) { $0.flashTime = .seconds(3600) }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .timedOut, "\(String(describing: error))")
      #expect(error?.message.hasPrefix("no progress over 2 links in succession: ") == true)
    }
  }

  @Test("A refused init packet ends the update with the reason of the bootloader")
  func refusedInit() async throws {
    let (secure, _) = try UpdateStage.package(.secure)
    try await UpdateStage.with(dfu: DFUSpec(.secure) { $0.faults.refusesInit = 5 }) { stage in
      let error = await stage.failure(secure)
      #expect(
        error?.code == .refused && error?.message.contains("older") == true, "\(String(describing: error))")
      #expect(error?.message.contains("the init packet of sample.bin: ") == true)
    }
    let (legacy, _) = try UpdateStage.package(.legacy)
    try await UpdateStage.with(dfu: DFUSpec(.legacy) { $0.faults.refusesInit = 6 }) { stage in
      let error = await stage.failure(legacy)
      #expect(error?.code == .refused && error?.deviceCode == 6, "\(String(describing: error))")
      #expect(error?.message.contains("the init packet of sample.bin: ") == true)
    }
  }

  @Test("Checksums that never become right end the update after two links")
  func wrongChecksums() async throws {
    let (firmware, _) = try UpdateStage.package(.secure)
    try await UpdateStage.with(dfu: DFUSpec(.secure) { $0.faults.wrongChecksums = 1000 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .deviceError, "\(String(describing: error))")
      #expect(
        error?.message
          == "no progress over 2 links in succession: the checksums of sample.bin from byte 0 on are wrong, however "
          + "often these bytes are sent", "\(String(describing: error))")
    }
  }

  @Test("A package for the other protocol is refused before anything is sent")
  func otherProtocol() async throws {
    let (legacy, _) = try UpdateStage.package(.legacy)
    try await UpdateStage.with(dfu: DFUSpec(.secure)) { stage in
      let error = await stage.failure(legacy)
      #expect(error?.code == .unfit, "\(String(describing: error))")
      #expect(await stage.state?.isInBootloader == false)
    }
  }
}
