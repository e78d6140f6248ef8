// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEUpdate
internal import BLEWorld
internal import TestSupport
internal import Testing

/// Updates by SMP over BlueZ; the devices exist only in the simulator.
@Suite("Updates by SMP", .enabled(if: !Stages.isReal), .serialized, .timeLimit(.minutes(10)))
struct UpdateSMPTests {
  /// A kind of device.
  struct Device: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mtu: UInt16
    let change: @Sendable (inout SMPSpec) -> Void

    init(_ name: String, mtu: UInt16 = 247, _ change: @escaping @Sendable (inout SMPSpec) -> Void = { _ in })
    {
      (testDescription, self.mtu, self.change) = (name, mtu, change)
    }

    var spec: SMPSpec {
      SMPSpec { spec in
        spec.version = "1.2.3"
        change(&spec)
      }
    }

    static let all = [
      Device("as it is"),
      Device("parameters unsupported") { $0.parameters = .unsupported },
      Device("parameters unanswered") { $0.parameters = .silent },
      Device("first version of SMP") { $0.protocolVersion = 1 },
      Device("indefinite maps") { $0.hasIndefiniteMaps = true },
      Device("MTU 23", mtu: 23),
      Device("MTU 100", mtu: 100),
      Device("MTU 90, without reassembly", mtu: 90) { $0.reassembles = false },
      Device("buffers of 300 bytes") { $0.bufferSize = 300 },
      Device("one buffer") { $0.bufferCount = 1 },
      Device("no reassembly") { $0.reassembles = false },
      Device("no reassembly, no parameters") { ($0.reassembles, $0.parameters) = (false, .silent) },
      Device("busy") { $0.faults.busyEvery = 5 },
      Device("busy for each other packet") { $0.faults.busyEvery = 2 },
      Device("overwrite") { $0.mode = .overwrite },
      Device("scratch") { $0.mode = .swapScratch },
      Device("direct") { $0.mode = .directXIP },
      Device("direct with a way back") { $0.mode = .directXIPRevert },
      Device("bootloader unknown") { $0.tellsBootloader = false },
      Device("slow flash") {
        ($0.eraseTime, $0.writeTime, $0.swapTime) = (.seconds(30), .milliseconds(5), .seconds(40))
      },
      Device("moved handles") { $0.movesBy = 40 },
      Device("moved handles, told late") { ($0.movesBy, $0.reportsChangeAfter) = (40, .milliseconds(300)) },
      Device("confirms itself") { $0.newFirmware = .confirms },
      Device("reset only by force") { $0.faults.refusesReset = true },
      Device("25 s of silence") {
        $0.faults.transfer.silentAt = 9000
        $0.faults.transfer.silence = .seconds(25)
      },
    ]
  }

  @Test("A new version answers, and is kept, on every kind of device", arguments: Device.all)
  func everyDevice(device: Device) async throws {
    let (firmware, bytes) = try UpdateStage.image()
    try await UpdateStage.with(smp: device.spec, mtu: device.mtu) { stage in
      let result = try await stage.update(firmware)
      #expect(result.from == "1.2.3" && result.to == "2.0.0")
      #expect(result.method == .smp && result.proof == .version && result.isConfirmed)
      #expect(result.bytes == bytes.count)
      #expect(await stage.running == bytes)
      #expect(await stage.state?.version == "2.0.0")
    }
  }

  @Test("Links that are lost at any bytes are replaced, and the device's bytes are those of the file")
  func lostLinks() async throws {
    let (firmware, bytes) = try UpdateStage.image(size: 60_000)
    let places = (0..<20).map { 1 + $0 * 2900 }
    let spec = SMPSpec { $0.faults.transfer.hangsUpAt = places }
    try await UpdateStage.with(smp: spec) { stage in
      let interruptions = Lock(0)
      let result = try await stage.update(
        firmware, progress: { if $0.interruption != nil { interruptions.withLock { $0 += 1 } } })
      #expect(result.to == "2.0.0")
      #expect(await stage.running == bytes)
      #expect(interruptions.withLock(\.self) >= 10)
    }
  }

  @Test("A device that forgets an upload with its link gets all of it again")
  func forgetful() async throws {
    let (firmware, bytes) = try UpdateStage.image()
    let spec = SMPSpec {
      $0.faults.transfer.hangsUpAt = [9000, 15_000]
      $0.faults.forgetsUpload = true
    }
    try await UpdateStage.with(smp: spec) { stage in
      _ = try await stage.update(firmware)
      #expect(await stage.running == bytes)
    }
  }

  @Test("An update that is cancelled goes on where it was when it is run again", arguments: [247, 65])
  func cancelled(mtu: UInt16) async throws {
    let (firmware, bytes) = try UpdateStage.image(size: 60_000)
    try await UpdateStage.with(smp: SMPSpec(), mtu: mtu) { stage in
      let reached = Promise<Void>()
      let task = Task {
        try await stage.update(firmware, progress: { if $0.done > 30_000 { reached.fulfil(()) } })
      }
      await reached.value
      task.cancel()
      let error = await #expect(throws: UpdateError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      let result = try await stage.update(firmware)
      #expect(result.bytes < bytes.count - 25_000)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A firmware that does not stay is reported as reverted, one that the bootloader refuses as refused")
  func notKept() async throws {
    let (firmware, _) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec { $0.newFirmware = .hangs }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .reverted, "\(String(describing: error))")
      #expect(await stage.state?.version == "1.0.0")
    }
    try await UpdateStage.with(smp: SMPSpec { $0.newFirmware = .rejected }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .refused, "\(String(describing: error))")
    }
  }

  @Test("A device that runs the firmware is left alone; one that was not told to keep it is told later")
  func already() async throws {
    let (firmware, _) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      let first = try await stage.update(firmware) { $0.confirmation = .never }
      #expect(first.to == "2.0.0" && !first.isConfirmed && first.unkept.map(\.image) == [0])
      let again = try await stage.update(firmware) { $0.confirmation = .never }
      #expect(again.proof == .already && !again.isConfirmed && again.bytes == 0)
      let second = try await stage.update(firmware)
      #expect(second.isConfirmed && second.bytes == 0)
      #expect(second.from == "1.0.0" && second.to == "2.0.0")
      let third = try await stage.update(firmware)
      #expect(third.proof == .already && third.bytes == 0 && third.to == "2.0.0")
    }
  }

  @Test("Other firmware replaces the one before that which was not kept, as the plan says")
  func replacesTrial() async throws {
    let (tried, _) = try UpdateStage.image()
    let (wanted, bytes) = try UpdateStage.image("1.9.0")
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      _ = try await stage.update(tried) { $0.confirmation = .never }
      let plan = try await FirmwareUpdate(wanted).plan(for: stage.peripheral)
      #expect(plan.bytes == bytes.count && plan.from == "2.0.0")
      #expect(plan.steps.starts(with: [.resetting, .waiting, .reading, .transferring]), "\(plan.steps)")
      let result = try await stage.update(wanted)
      #expect(result.from == "2.0.0" && result.to == "1.9.0" && result.isConfirmed)
      #expect(await stage.running == bytes)
    }
  }

  @Test("Other firmware that is to start is started first, and gives way")
  func replacesPending() async throws {
    let (tried, _) = try UpdateStage.image()
    let (wanted, bytes) = try UpdateStage.image("1.9.0")
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      _ = try await stage.update(tried)
      let client = SMPClient(stage.peripheral)
      let former = try #require(try await client.images().last)
      #expect(former.version == "1.0.0")
      try await client.test(try #require(former.hash))
      await client.finish()
      let result = try await stage.update(wanted)
      #expect(result.from == "2.0.0" && result.to == "1.9.0")
      #expect(await stage.running == bytes)
    }
  }

  @Test(
    "An image beside the application is proved on a server that says of the application alone that it runs")
  func onlyApplicationIsActive() async throws {
    let (firmware, _) = try UpdateStage.image()
    let spec = SMPSpec { ($0.version, $0.images, $0.activeImages) = ("1.2.3", 2, .application) }
    try await UpdateStage.with(smp: spec) { stage in
      // Such a server keeps the image only before its first start.
      let error = await stage.failure(firmware) { $0.image = 1 }
      #expect(
        error?.deviceCode == 1 && error?.hint?.contains("--confirm now") == true,
        "\(String(describing: error))")
    }
    try await UpdateStage.with(smp: spec) { stage in
      let result = try await stage.update(firmware) { ($0.image, $0.confirmation) = (1, .now) }
      #expect(
        result.from == "1.2.3" && result.to == "2.0.0" && result.isConfirmed && result.proof == .version)
      let again = try await stage.update(firmware) { $0.image = 1 }
      #expect(again.proof == .already)
    }
    try await UpdateStage.with(smp: spec) { stage in
      let result = try await stage.update(firmware) { ($0.image, $0.confirmation) = (1, .never) }
      #expect(!result.isConfirmed && result.unkept.map(\.image) == [1])
      #expect(result.unkept.allSatisfy { !$0.isKeepable })
    }
  }

  @Test(
    "A lower version is not sent to a bootloader that starts the highest one; by force, that is the reason")
  func outranked() async throws {
    let (firmware, _) = try UpdateStage.image("1.0.0")
    for mode in [SMPSpec.Mode.directXIP, .directXIPRevert] {
      let spec = SMPSpec { ($0.version, $0.mode) = ("1.2.3", mode) }
      try await UpdateStage.with(smp: spec) { stage in
        let error = await stage.failure(firmware)
        #expect(error?.code == .unfit && error?.message.contains("the highest version") == true)
        let forced = await stage.failure(firmware) { $0.isForced = true }
        #expect(forced?.code == .refused && forced?.message.contains("the highest version") == true)
        let (newer, _) = try UpdateStage.image()
        #expect(try await stage.update(newer).to == "2.0.0")
      }
    }
  }

  @Test("A device that does not answer the first part is given up after two links")
  func givenUp() async throws {
    let (firmware, _) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec { $0.faults.transfer.losesAt = [0, 0, 0, 0] }) { stage in
      let start = LoopClock.now
      let error = await stage.failure(firmware)
      #expect(error?.code == .timedOut, "\(String(describing: error))")
      #expect(LoopClock.now - start < .seconds(200))
    }
  }

  @Test("A firmware can be kept before its first start")
  func confirmedBefore() async throws {
    let (firmware, bytes) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      let result = try await stage.update(firmware) { $0.confirmation = .now }
      #expect(result.to == "2.0.0" && result.isConfirmed)
      #expect(await stage.running == bytes)
    }
  }

  @Test("Refusals of the device have its numbers, and a damaged flash is told from them")
  func refusals() async throws {
    let (firmware, _) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec { $0.faults.refusesUpload = 27 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .refused && error?.deviceCode == 27)
    }
    try await UpdateStage.with(smp: SMPSpec { $0.faults.refusesUpload = 9 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .blocked && error?.deviceCode == 9)
    }
    try await UpdateStage.with(smp: SMPSpec { $0.faults.refusesConfirm = 32 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.deviceCode == 32)
      #expect(error?.message.contains("keep") == true)
    }
    try await UpdateStage.with(smp: SMPSpec { $0.faults.transfer.corruptsAt = 5000 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .deviceError || error?.code == .refused, "\(String(describing: error))")
    }
  }

  @Test("A firmware that is too large for the slot is unfit, and nothing is sent")
  func tooLarge() async throws {
    let (firmware, _) = try UpdateStage.image(size: 30_000)
    try await UpdateStage.with(smp: SMPSpec { $0.slotSize = 20_480 }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .unfit)
      #expect(await stage.state?.slots.count == 1)
    }
  }

  @Test("A plan says what would be done, and changes nothing")
  func plan() async throws {
    let (firmware, bytes) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec()) { stage in
      let plan = try await FirmwareUpdate(firmware).plan(for: stage.peripheral)
      #expect(plan.method == .smp && plan.from == "1.0.0" && plan.to == "2.0.0")
      #expect(plan.bytes == bytes.count && !plan.isAlreadyThere)
      #expect(plan.steps == [.transferring, .testing, .resetting, .waiting, .proving, .confirming])
      #expect(await stage.state?.version == "1.0.0")
    }
  }

  @Test("A device that requires encryption is paired with if that is permitted")
  func pairing() async throws {
    let (firmware, bytes) = try UpdateStage.image()
    try await UpdateStage.with(smp: SMPSpec { $0.security = .encrypted }) { stage in
      let error = await stage.failure(firmware)
      #expect(error?.code == .needsPairing, "\(String(describing: error))")
      _ = try await stage.updatePairing(firmware)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A device whose private address is replaced when it is paired with is found again")
  func pairingOfPrivateAddress() async throws {
    let (firmware, bytes) = try UpdateStage.image()
    let address = try #require(BluetoothAddress("5B:A2:11:7C:40:1D"))
    try await UpdateStage.with(smp: SMPSpec { $0.security = .encrypted }, privateAddress: address) { stage in
      _ = try await stage.updatePairing(firmware)
      #expect(await stage.running == bytes)
    }
  }

  @Test("A file is also sent to a device that takes each write as a packet of its own")
  func fileWithoutReassembly() async throws {
    let spec = SMPSpec { spec in
      (spec.reassembles, spec.bufferSize) = (false, 1024)
      spec.files = [NamedBytes("/lfs/a.txt", Array("hello".utf8))]
    }
    try await UpdateStage.with(smp: spec) { stage in
      let client = SMPClient(stage.peripheral)
      let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
      try await client.upload(content, to: "/lfs/b.bin")
      #expect(try await client.download("/lfs/b.bin") == content)
      try await client.upload([], to: "/lfs/empty")
      #expect(try await client.fileSize("/lfs/empty") == 0)
      do throws(UpdateError) {
        _ = try await client.echo(String(repeating: "x", count: 600))
        Issue.record("a request of several writes was answered")
      } catch {
        #expect(error.code == .timedOut && error.message.contains("more than one write"), "\(error)")
      }
      do throws(UpdateError) {
        _ = try await client.echo(String(repeating: "x", count: 1100))
        Issue.record("a request was sent that is larger than the buffers")
      } catch {
        #expect(error.code == .unfit && error.message.contains("1024"), "\(error)")
      }
    }
  }

  @Test("A reset that is refused as busy is forced by an update, not by a client")
  func refusedReset() async throws {
    try await UpdateStage.with(smp: SMPSpec { $0.faults.refusesReset = true }) { stage in
      let client = SMPClient(stage.peripheral)
      do throws(UpdateError) {
        try await client.reset()
        Issue.record("a busy device was reset")
      } catch {
        #expect(error.deviceCode == 10)
      }
      try await client.reset(isForced: true)
    }
  }

  @Test("A client asks for everything that the server tells")
  func client() async throws {
    let spec = SMPSpec { spec in
      spec.version = "1.2.3"
      spec.shell = [NamedText("kernel version", "Zephyr 4.1\n")]
      spec.files = [NamedBytes("/lfs/a.txt", Array("hello".utf8))]
      spec.settings = [NamedBytes("a/b", [1, 2])]
      spec.statistics = [NamedCounters("radio", [.init("sent", 12)])]
    }
    try await UpdateStage.with(smp: spec) { stage in
      let client = SMPClient(stage.peripheral)
      #expect(try await client.echo("hello") == "hello")
      #expect(try await client.parameters().bufferSize == 2475)
      #expect(try await client.bootloader()?.mode == .swapMove)
      let images = try await client.images()
      #expect(images.map(\.version) == ["1.2.3"] && images.first?.isActive == true)
      #expect(try await client.shell(["kernel", "version"]).output.hasPrefix("Zephyr 4.1"))
      #expect(try await client.download("/lfs/a.txt") == Array("hello".utf8))
      let content = (0..<9000).map { UInt8(truncatingIfNeeded: $0) }
      try await client.upload(content, to: "/lfs/b.bin")
      #expect(try await client.download("/lfs/b.bin") == content)
      #expect(try await client.fileSize("/lfs/b.bin") == 9000)
      #expect(try await client.statistics() == ["radio"])
      #expect(try await client.statistics(of: "radio").map(\.number) == [12])
      #expect(try await client.setting("a/b") == [1, 2])
      try await client.setSetting("a/b", to: [3])
      #expect(try await client.setting("a/b") == [3])
      do throws(UpdateError) {
        _ = try await client.download("/lfs/none")
        Issue.record("a file that does not exist was sent")
      } catch {
        #expect(error.deviceCode != nil)
      }
      try await client.reset()
    }
  }
}
