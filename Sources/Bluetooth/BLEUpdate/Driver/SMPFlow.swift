// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The update of a device with MCUboot, by SMP.
///
/// Runs on the thread of the manager's loop.
final class SMPFlow: UpdateFlow {
  let device: UpdateDevice
  private let firmware: Firmware
  let options: FirmwareUpdate.Options
  private let revision: String?
  /// True if the device answers no packets that are longer than one write.
  var isWithoutReassembly = false

  /// The number of times that a device is told to start again before the new firmware counts as refused.
  static let mostRestarts = 3

  init(_ device: UpdateDevice, _ firmware: Firmware, _ offer: DeviceOffer) throws {
    (self.device, self.firmware, options) = (device, firmware, device.options)
    revision = offer.revision
  }

  func session() async throws -> SMPSession {
    try await SMPSession.open(
      over: device.peripheral, answerTime: options.answerTime, openingTime: options.openingTime)
  }

  // MARK: Reading

  private func readInventory() async throws -> SMPInventory {
    do {
      return try await device.persist(.reading) {
        let session = try await session()
        let bootloader = try await session.bootloader()
        // A firmware loader replaces an application that does not know images.
        let images = try await session.images()
        return SMPInventory(
          images: images, slots: try await slots(session), bootloader: bootloader,
          board: try await session.board())
      }
    } catch let failure as SMPFailure where failure.isNotSupported {
      throw failure.error(of: "list its images")
    }
  }

  /// The slots; none where the device does not tell them, or not as it should: an update does without them.
  private func slots(_ session: SMPSession) async throws -> [SMPSlot] {
    do { return try await session.slots() } catch let error as UpdateError where error.code == .deviceError {
      return []
    }
  }

  /// Reads the inventory; an application that only its firmware loader replaces lets that start first.
  private func prepare() async throws -> SMPInventory {
    if let inventory = try await inventoryOfApplication() { return inventory }
    try await restart(bootMode: 1)
    return try await readInventory()
  }

  /// Returns the inventory; nil if the device has to start its firmware loader before.
  private func inventoryOfApplication() async throws -> SMPInventory? {
    do { return try await readInventory() } catch let error as UpdateError where error.code == .notSupported {
      let bootloader = try await device.persist(.reading) { try await session().bootloader() }
      guard bootloader?.mode == .firmwareLoader else { throw error }
      return nil
    }
  }

  // MARK: Planning

  func plan() async throws -> UpdatePlan {
    var plan = UpdatePlan(
      address: device.address, method: .smp, from: nil, to: firmware.version, steps: [],
      bytes: firmware.parts.reduce(0) { $0 + $1.size }, isAlreadyThere: false, warnings: [])
    guard let inventory = try await inventoryOfApplication() else {
      plan.from = revision
      plan.steps = [.resetting, .waiting, .transferring, .resetting, .waiting, .proving]
      plan.warnings = ["the firmware loader of the device starts first"]
      return plan
    }
    let needs = try SMPPlan(firmware, for: inventory, options)
    plan.isAlreadyThere = needs.isDone
    plan.isRunning = needs.runsAll
    plan.from = needs.isDone ? needs.version(in: inventory.images) ?? revision : needs.formerVersion(revision)
    plan.to = needs.newVersion ?? plan.to
    plan.bytes = needs.sent.reduce(0) { $0 + $1.bytes.count }
    plan.steps = needs.steps
    plan.warnings = needs.warnings
    return plan
  }

  // MARK: Updating

  func run() async throws -> FlowOutcome {
    var plan = try SMPPlan(firmware, for: try await prepare(), options)
    let former = plan.formerVersion(revision)
    var restarts = 0
    while plan.resetsFirst > 0 {
      restarts += 1
      if restarts > Self.mostRestarts { throw otherImageInTheWay }
      try await restart()
      plan = try SMPPlan(firmware, for: try await readInventory(), options)
    }
    if plan.isDone {
      let version = plan.version(in: plan.inventory.images) ?? revision
      return FlowOutcome(
        method: .smp, from: version, to: version, proof: .already, isConfirmed: plan.unkept.isEmpty,
        unkept: plan.unkept.map { $0.unkept(in: plan.inventory.images, plan.inventory.mode) })
    }
    try await send(plan)
    if plan.starts { try await restart() }
    return try await finish(plan, former)
  }

  private var otherImageInTheWay: UpdateError {
    UpdateError(
      .blocked, "another image waits in the second slot of the device, and does not go away",
      hint: "erase the slot")
  }

  private func send(_ plan: SMPPlan) async throws {
    for (number, target) in plan.sent.enumerated() {
      try await upload(target, plan, number + 1, of: plan.sent.count)
    }
    for target in plan.armed { try await arm(target) }
  }
}
