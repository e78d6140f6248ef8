// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
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

  /// A plan for a package that has the image twice: for the application, and for another processor.
  private func plan(
    ofTwo images: [SMPImage], _ confirmation: FirmwareUpdate.Confirmation = .after
  ) throws -> SMPPlan {
    var (bootloader, options) = (SMPBootloader(name: "MCUboot"), FirmwareUpdate.Options())
    (bootloader.modeNumber, options.confirmation) = (SMPMode.swapMove.rawValue, confirmation)
    let manifest = #"{"files": [{"file": "a.bin", "image_index": 0}, {"file": "n.bin", "image_index": 1}]}"#
    let package = StoredZip.bytes([
      ("manifest.json", Array(manifest.utf8)), ("a.bin", Self.image), ("n.bin", Self.image),
    ])
    let inventory = SMPInventory(images: images, slots: [], bootloader: bootloader, board: nil)
    return try SMPPlan(Firmware(package, named: "two.zip"), for: inventory, options)
  }

  private func running(_ version: String, hash: [UInt8] = [1]) -> SMPImage {
    SMPImage(slot: 0, version: version, hash: hash, isConfirmed: true, isActive: true)
  }

  private func unkept(_ version: String, hash: [UInt8] = [1]) -> SMPImage {
    SMPImage(slot: 0, version: version, hash: hash, isActive: true)
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

  @Test("The versions are those of the first image that the device does not run and keep")
  func versions() throws {
    let hash = Array(Self.image.suffix(32))
    func second(_ slot: Int, _ version: String, _ hash: [UInt8], runs: Bool = false, isKept: Bool) -> SMPImage
    {
      SMPImage(image: 1, slot: slot, version: version, hash: hash, isConfirmed: isKept, isActive: runs)
    }
    let application = [
      running("2.0.0", hash: hash), SMPImage(slot: 1, version: "1.2.3", hash: [1]),
    ]
    let old = try plan(ofTwo: application + [second(0, "0.9.0", [4], runs: true, isKept: true)])
    #expect(old.formerVersion("2.0.0") == "0.9.0" && old.newVersion == "2.0.0" && !old.runsAll)
    let onTrial = [
      second(0, "2.0.0", hash, runs: true, isKept: false), second(1, "0.9.0", [4], isKept: true),
    ]
    let tried = try plan(ofTwo: application + onTrial)
    #expect(tried.formerVersion("2.0.0") == "0.9.0" && tried.runsAll && tried.steps == [.confirming])
    #expect(tried.version(in: application + onTrial) == "2.0.0")
    let mode = SMPMode.swapMove
    #expect(tried.unkept.map { $0.unkept(in: application + onTrial, mode).former } == ["0.9.0"])
    // Nothing is known of an image beside the application that the device does not list.
    #expect(try plan(ofTwo: application).formerVersion("2.0.0") == nil)
  }

  @Test("The application is kept last, whatever is to do")
  func order() throws {
    let hash = Array(Self.image.suffix(32))
    let trials = (0...1).map { SMPImage(image: $0, slot: 0, version: "2.0.0", hash: hash, isActive: true) }
    for confirmation in FirmwareUpdate.Confirmation.allCases {
      let plan = try plan(ofTwo: trials, confirmation)
      #expect(plan.unkept.map(\.image) == [1, 0] && plan.keepingOrder.map(\.image) == [1, 0])
    }
  }

  @Test("What follows a reset that has to come first is in the plan, too")
  func others() throws {
    let later: [UpdateStage] = [.transferring, .testing, .resetting, .waiting, .proving, .confirming]
    let first: [UpdateStage] = [.resetting, .waiting, .reading]
    let waiting = try plan([running("1.0.0"), SMPImage(slot: 1, hash: [3], isPending: true)])
    #expect(waiting.resetsFirst == 2 && waiting.steps == first + first + later && waiting.sent.count == 1)
    #expect(waiting.warnings.contains { $0.contains("another image is to start") }, "\(waiting.warnings)")
    let former = try plan([
      unkept("3.0.0"), SMPImage(slot: 1, version: "1.0.0", hash: [3], isConfirmed: true),
    ])
    #expect(former.resetsFirst == 1 && former.steps == first + later && former.sent.count == 1)
    #expect(former.warnings == ["the device has not kept what runs: it first returns to version 1.0.0"])
  }

  @Test("Firmware that runs, but shall not be kept, needs no step; one that shall is only confirmed")
  func onTrial() throws {
    let images = [
      unkept("2.0.0", hash: Array(Self.image.suffix(32))),
      SMPImage(slot: 1, version: "1.0.0", hash: [3], isConfirmed: true),
    ]
    let never = try plan(images) { $0.confirmation = .never }
    #expect(never.isDone && never.unkept.count == 1 && never.steps.isEmpty)
    for confirmation in [FirmwareUpdate.Confirmation.now, .after] {
      let kept = try plan(images) { $0.confirmation = confirmation }
      #expect(!kept.isDone && !kept.starts && kept.warnings.isEmpty, "\(kept.warnings)")
      #expect(kept.steps == [.confirming] && kept.runsAll)
      // An earlier run has begun the update.
      #expect(kept.formerVersion(nil) == "1.0.0")
    }
  }

  @Test("A warning of what a bootloader does is given only where it does that")
  func warnings() throws {
    let way = "there is no way back: the bootloader overwrites the former firmware"
    let trial = "the device returns to the former firmware at its next reset"
    #expect(try plan([running("1.0.0")]) { $0.confirmation = .never }.warnings == [trial])
    #expect(try plan([running("1.0.0")], mode: .overwrite) { $0.confirmation = .never }.warnings == [way])
    #expect(try plan([running("1.0.0")], mode: .directXIP) { $0.confirmation = .never }.warnings.isEmpty)
    let hash = Array(Self.image.suffix(32))
    #expect(try plan([running("2.0.0", hash: hash)], mode: .overwrite).warnings.isEmpty)
  }

  @Test("Older firmware is a warning, or an error if the bootloader refuses it, unless that is forced")
  func older() throws {
    let warnings = try plan([running("3.0.0")]).warnings
    #expect(warnings == ["app.bin is version 2.0.0, older than 3.0.0"])
    let error = #expect(throws: UpdateError.self) { try plan([running("3.0.0")], refusesDowngrades: true) }
    #expect(error?.code == .unfit)
    #expect(try plan([running("3.0.0")], refusesDowngrades: true) { $0.isForced = true }.sent.count == 1)
  }

  @Test("Where the highest version starts, a lower one is an error, unless it is forced")
  func lower() throws {
    for mode in [SMPMode.directXIP, .directXIPRevert, .ramLoad] {
      let error = #expect(throws: UpdateError.self) { try plan([running("3.0.0")], mode: mode) }
      #expect(error?.code == .unfit && error?.message.contains("the highest version") == true)
      #expect(try plan([running("3.0.0")], mode: mode) { $0.isForced = true }.sent.count == 1)
      // Bootloaders do not compare the build.
      #expect(try plan([running("2.0.0.7")], mode: mode).sent.count == 1)
    }
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
