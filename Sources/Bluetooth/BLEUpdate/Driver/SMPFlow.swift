// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The update of a device with MCUboot, by SMP.
///
/// Runs on the thread of the manager's loop.
final class SMPFlow: UpdateFlow {
  private let device: UpdateDevice
  private let firmware: Firmware
  private let options: FirmwareUpdate.Options
  private let revision: String?
  /// True if the device answers no packets that are longer than one write.
  private var isWithoutReassembly = false

  /// The number of times that a device is told to start again before the new firmware counts as refused.
  private static let mostRestarts = 3
  /// The number of times that an image is sent whose hash is then another one.
  private static let mostUploads = 2
  /// The most packets and bytes under way, whatever a device says.
  private static let mostPackets = 16
  private static let mostBytes = 16384

  init(_ device: UpdateDevice, _ firmware: Firmware, _ offer: DeviceOffer) throws {
    (self.device, self.firmware, options) = (device, firmware, device.options)
    revision = offer.revision
  }

  private func session() async throws -> SMPSession {
    try await SMPSession.open(over: device.peripheral, answerTime: options.answerTime)
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
          images: images, slots: try await session.slots(), bootloader: bootloader,
          board: try await session.board())
      }
    } catch let failure as SMPFailure where failure.isNotSupported {
      throw failure.error(of: "list its images")
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
    plan.from = needs.version(in: inventory.images) ?? revision
    plan.isAlreadyThere = needs.isDone
    plan.bytes = needs.sent.reduce(0) { $0 + $1.bytes.count }
    plan.steps = needs.steps
    plan.warnings = needs.warnings
    return plan
  }

  // MARK: Updating

  func run() async throws -> FlowOutcome {
    var plan = try SMPPlan(firmware, for: try await prepare(), options)
    if plan.isDone {
      let version = plan.version(in: plan.inventory.images) ?? revision
      return FlowOutcome(method: .smp, from: version, to: version, proof: .already, isConfirmed: true)
    }
    let from = plan.formerVersion(revision)
    var restarts = 0
    while plan.resetsFirst || !plan.blocked.isEmpty {
      restarts += 1
      if restarts > Self.mostRestarts { throw otherImageInTheWay }
      if plan.resetsFirst { try await restart() } else { try await confirmRunning(plan) }
      plan = try SMPPlan(firmware, for: try await readInventory(), options)
    }
    try await send(plan)
    if plan.starts { try await restart() }
    return try await finish(plan, from)
  }

  private var otherImageInTheWay: UpdateError {
    UpdateError(
      .deviceError, "another image waits in the second slot of the device, and does not go away",
      hint: "reset the device, or erase the slot")
  }

  private func confirmRunning(_ plan: SMPPlan) async throws {
    for target in plan.blocked {
      let hash = target.image == 0 ? nil : plan.inventory.images.running(target.image)?.hash
      _ = try await device.persist(.confirming) { try await session().setState(of: hash, isKept: true) }
    }
  }

  private func send(_ plan: SMPPlan) async throws {
    for (number, target) in plan.sent.enumerated() {
      try await upload(target, plan, number + 1, of: plan.sent.count)
    }
    for target in plan.armed { try await arm(target) }
  }

  // MARK: The transfer

  private func upload(_ target: SMPTarget, _ plan: SMPPlan, _ number: Int, of count: Int) async throws {
    for attempt in 1...Self.mostUploads {
      device.beginPart(number, of: count, size: target.bytes.count)
      do {
        return try await device.persist(.transferring) { try await uploadOverLink(target, plan) }
      } catch SMPUpload.Failure.mismatch {
        // What was sent before a resume may have been damaged; the device begins anew.
        guard attempt == Self.mostUploads else { continue }
        throw UpdateError(
          .deviceError,
          "the device has received all of \(target.name), but it has another hash than what was sent",
          hint: "its flash may be damaged")
      }
    }
  }

  private func uploadOverLink(_ target: SMPTarget, _ plan: SMPPlan) async throws {
    let session = try await session()
    let rules = try await rules(session, target, plan)
    let sha = try? SHA256.digest(of: target.bytes)
    var upload = SMPUpload(target.bytes, sha: sha, rules, firstSequence: session.nextSequence)
    defer { if upload.isWithoutReassembly { isWithoutReassembly = true } }
    do {
      try await session.upload(&upload) { done, start in device.transferred(done, from: start) }
    } catch let failure as SMPUpload.Failure {
      throw error(of: failure, target)
    }
  }

  private func rules(
    _ session: SMPSession, _ target: SMPTarget, _ plan: SMPPlan
  ) async throws -> SMPUpload.Rules {
    let parameters = try await session.parameters()
    let fragment = session.link.fragmentSize
    var rules = SMPUpload.Rules(packetSize: fragment, fragmentSize: fragment)
    if let parameters, !isWithoutReassembly {
      rules.packetSize = min(parameters.bufferSize, SMPMessage.headerSize + SMPMessage.largestPayload)
    }
    if let size = options.packetSize { rules.packetSize = min(size, rules.packetSize) }
    let room = max(1, Self.mostBytes / max(1, rules.packetSize))
    // One of the buffers is for the answer.
    let buffers = parameters.map { max(1, $0.bufferCount - 1) } ?? 1
    rules.window = options.window ?? min(buffers, room, Self.mostPackets)
    rules.image = plan.slot(for: target)?.uploadImage ?? target.image
    (rules.answerTime, rules.eraseTime) = (options.answerTime, options.eraseTime)
    rules.version = session.version
    return rules
  }

  private func error(of failure: SMPUpload.Failure, _ target: SMPTarget) -> any Error {
    switch failure {
    case .refused(let failure): failure.error(of: "take \(target.name)")
    case .mismatch: failure
    case .silence: Silence("the device does not answer to parts of \(target.name) any more")
    case .noProgress: Silence("the device wants the same part of \(target.name) again and again")
    case .busy: Silence("the device is busy for too long")
    case .malformed(let words): UpdateError(.deviceError, words)
    case .packetsTooSmall(let size):
      UpdateError(
        .notSupported,
        "packets of \(size) bytes are too small, and the device does not put larger ones together",
        hint: "the MTU of the link decides; some devices negotiate a larger one on their next link")
    }
  }

  // MARK: Starting

  /// Tells the bootloader to start an image.
  private func arm(_ target: SMPTarget) async throws {
    let isKept = options.confirmation == .now
    try await device.persist(isKept ? .confirming : .testing) {
      let session = try await session()
      let images = try await session.images()
      // The answer to an earlier request may be lost.
      switch SMPVerdict(target, in: images, nil, isKept: isKept) {
      case .reset, .nothing, .confirm: return
      case .upload, .resetFirst, .confirmRunning:
        throw UpdateError(
          .refused, "the device has received \(target.name), but does not list it among its images",
          hint: "see whether it is signed, and made for this device")
      case .test: break
      }
      do {
        try await session.setState(of: target.hash, isKept: isKept)
      } catch let failure as SMPFailure {
        throw failure.error(of: "start \(target.name)")
      }
      device.achieved()
    }
  }

  private func restart(bootMode: Int? = nil) async throws {
    try await device.persist(.resetting) {
      let session = try await session()
      do {
        try await session.reset(bootMode: bootMode)
      } catch let failure as SMPFailure {
        throw failure.error(of: "start again")
      } catch let error as BLEError where Remedy(for: error) == .reopen {
        // It was faster than its answer.
      }
    }
    try await device.awaitEnd()
    try await device.awaitReturn()
  }

  // MARK: Proving

  private func finish(_ plan: SMPPlan, _ from: String?) async throws -> FlowOutcome {
    var restarts = 1
    let targets = plan.targets
    while true {
      let images = try await readImages()
      let outcomes = targets.map { SMPOutcome(of: $0, in: images, plan.inventory.mode) }
      if outcomes.contains(.waiting), restarts < Self.mostRestarts {
        restarts += 1
        try await restart()
        continue
      }
      for (target, outcome) in zip(targets, outcomes) { try requireRunning(target, outcome, images) }
      var isConfirmed = outcomes.allSatisfy { $0 == .running(isConfirmed: true) }
      if !isConfirmed, options.confirmation != .never {
        for (target, outcome) in zip(targets, outcomes) where outcome == .running(isConfirmed: false) {
          try await confirm(target, plan.inventory.mode)
        }
        isConfirmed = true
      }
      let to = plan.version(in: images)
      return FlowOutcome(
        method: .smp, from: from, to: to, proof: to == nil ? .hash : .version, isConfirmed: isConfirmed)
    }
  }

  private func readImages() async throws -> [SMPImage] {
    do {
      return try await device.persist(.proving) {
        do { return try await session().images() } catch let error as UpdateError
          where error.code == .notSupported
        {
          // BlueZ may still show the services of the former firmware.
          throw Silence("\(error.message), though the device is back")
        }
      }
    } catch let failure as SMPFailure {
      throw failure.error(of: "list its images")
    }
  }

  private func requireRunning(
    _ target: SMPTarget, _ outcome: SMPOutcome, _ images: [SMPImage]
  ) throws(UpdateError) {
    let running = images.running(target.image)?.version
    let now = running.map { "version \($0)" } ?? "its former firmware"
    switch outcome {
    case .running: return
    case .reverted:
      throw UpdateError(
        .reverted, "the device runs \(now) again: \(target.name) was started, and was not kept",
        hint: "the new firmware may have crashed, or was reset before it was confirmed; its log may tell")
    case .refused:
      throw UpdateError(
        .refused, "the device runs \(now): its bootloader has not started \(target.name)",
        hint: "see whether it is signed with the key that the bootloader knows, and made for this device")
    case .waiting:
      throw UpdateError(
        .refused, "the device runs \(now): its bootloader still has not started \(target.name)",
        hint: "reset the device by hand; it may need power for longer")
    }
  }

  private func confirm(_ target: SMPTarget, _ mode: SMPMode?) async throws {
    try await device.persist(.confirming) {
      let session = try await session()
      // The device may have started again since: then it may have returned to the former firmware.
      let images = try await session.images()
      let outcome = SMPOutcome(of: target, in: images, mode)
      try requireRunning(target, outcome, images)
      guard outcome == .running(isConfirmed: false) else { return }
      do {
        try await session.setState(of: target.image == 0 ? nil : target.hash, isKept: true)
      } catch let failure as SMPFailure {
        throw failure.error(
          of: "keep \(target.name), so that it returns to the former firmware at its next reset")
      }
      let kept = SMPOutcome(of: target, in: try await session.images(), mode)
      guard kept == .running(isConfirmed: true) else {
        throw UpdateError(
          .deviceError,
          "the device runs \(target.name), but does not keep it: its next reset brings the former firmware"
        )
      }
      device.achieved()
    }
  }
}
