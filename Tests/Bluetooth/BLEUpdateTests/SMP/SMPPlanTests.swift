// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@testable internal import BLEUpdate

@Suite("SMPPlan")
struct SMPPlanTests {
  /// An image of version 2.0.0 that no processor can run.
  private static let image: [UInt8] = {
    let header: [UInt8] = [0x3d, 0xb8, 0xf3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2]
    let program = header + [UInt8](repeating: 0, count: 11) + [1, 2, 3, 4]
    return program + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + ((try? SHA256.digest(of: program)) ?? [])
  }()

  private func plan(
    _ images: [SMPImage], slots: [SMPSlot] = [], mode: SMPMode? = .swapMove, refusesDowngrades: Bool = false,
    _ change: (inout FirmwareUpdate.Options) -> Void = { _ in }
  ) throws -> SMPPlan {
    var (bootloader, options) = (SMPBootloader(name: "MCUboot"), FirmwareUpdate.Options())
    bootloader.modeNumber = mode?.rawValue
    bootloader.refusesDowngrades = refusesDowngrades
    change(&options)
    let inventory = SMPInventory(images: images, slots: slots, bootloader: bootloader, board: nil)
    return try SMPPlan(Firmware(Self.image, named: "app.bin"), for: inventory, options)
  }

  private func running(_ version: String, hash: [UInt8] = [1]) -> SMPImage {
    SMPImage(slot: 0, version: version, hash: hash, isConfirmed: true, isActive: true)
  }

  @Test(
    "New firmware is sent, tested, started and confirmed; where the newest starts, it is only sent and started"
  )
  func new() throws {
    let tested = try plan([running("1.0.0")])
    #expect(tested.sent.count == 1 && tested.armed.count == 1 && tested.starts && !tested.isDone)
    #expect(tested.steps == [.transferring, .testing, .resetting, .waiting, .proving, .confirming])
    let newest = try plan([running("1.0.0")], mode: .directXIP)
    #expect(newest.sent.count == 1 && newest.armed.isEmpty && newest.starts)
    #expect(newest.steps == [.transferring, .resetting, .waiting, .proving])
  }

  @Test("Firmware that the device runs and keeps needs no step")
  func done() throws {
    let hash = Array(Self.image.suffix(32))
    let plan = try plan([running("2.0.0", hash: hash)])
    #expect(plan.isDone && plan.steps.isEmpty && plan.sent.isEmpty && !plan.starts && plan.warnings.isEmpty)
    #expect(plan.version(in: plan.inventory.images) == "2.0.0")
  }

  @Test("The former version is that before the update, also if an earlier run has started the new firmware")
  func former() throws {
    let hash = Array(Self.image.suffix(32))
    #expect(try plan([running("1.0.0")]).formerVersion("r") == "1.0.0")
    #expect(try plan([SMPImage(slot: 0, hash: [1], isActive: true)]).formerVersion("r") == "r")
    let tested = SMPImage(slot: 0, version: "2.0.0", hash: hash, isActive: true)
    let former = SMPImage(slot: 1, version: "1.0.0", hash: [1])
    #expect(try plan([tested, former]).formerVersion("2.0.0") == "1.0.0")
    #expect(try plan([tested]).formerVersion("2.0.0") == nil)
  }

  @Test("Another image that waits for the next reset, or one that would come back, goes first")
  func others() throws {
    let waiting = try plan([running("1.0.0"), SMPImage(slot: 1, hash: [3], isPending: true)])
    #expect(waiting.resetsFirst && waiting.steps == [.resetting, .waiting, .reading, .confirming])
    var onTrial = running("1.0.0")
    onTrial.isConfirmed = false
    let former = try plan([onTrial, SMPImage(slot: 1, hash: [3], isConfirmed: true)])
    #expect(!former.resetsFirst && former.blocked.count == 1)
  }

  @Test("Older firmware is a warning, or an error if the bootloader refuses it, unless that is forced")
  func older() throws {
    let warnings = try plan([running("3.0.0")]).warnings
    #expect(warnings == ["app.bin is version 2.0.0, older than 3.0.0"])
    let error = #expect(throws: UpdateError.self) { try plan([running("3.0.0")], refusesDowngrades: true) }
    #expect(error?.code == .unfit)
    #expect(try plan([running("3.0.0")], refusesDowngrades: true) { $0.isForced = true }.sent.count == 1)
  }

  @Test("Firmware that is larger than its slot, or for an image that the device lacks, is an error")
  func unfit() throws {
    let small = SMPSlot(image: 0, slot: 1, size: 64)
    #expect(throws: UpdateError.self) { try plan([running("1.0.0")], slots: [small]) }
    #expect(throws: UpdateError.self) {
      try plan([running("1.0.0")], slots: [SMPSlot(image: 0, slot: 1, size: 4096)]) { $0.image = 1 }
    }
  }
}
