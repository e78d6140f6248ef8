// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The start of images, and the proof that they run.
extension SMPFlow {
  /// Tells the bootloader to start an image.
  func arm(_ target: SMPTarget) async throws {
    let isKept = options.confirmation == .now
    try await device.persist(isKept ? .confirming : .testing) {
      let session = try await session()
      let images = try await session.images()
      // The answer to an earlier request may be lost.
      switch SMPVerdict(target, in: images, nil, isKept: isKept) {
      case .reset, .nothing, .confirm: return
      case .upload, .resetFirst:
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

  /// Lets the device start again, and waits until it is back.
  func restart(bootMode: Int? = nil) async throws {
    try await device.persist(.resetting) {
      let session = try await session()
      do {
        do {
          try await session.reset(bootMode: bootMode)
        } catch let failure as SMPFailure where failure.isBusy {
          try await session.reset(isForced: true, bootMode: bootMode)
        }
      } catch let failure as SMPFailure {
        throw failure.error(of: "start again")
      } catch let error as BLEError where Remedy(for: error) == .reopen {
        // It was faster than its answer.
      }
    }
    try await device.awaitEnd()
    try await device.awaitReturn()
  }

  /// Proves that the images of a plan run, and lets the device keep them.
  func finish(_ plan: SMPPlan, _ from: String?) async throws -> FlowOutcome {
    var restarts = 1
    let (targets, mode) = (plan.targets, plan.inventory.mode)
    while true {
      let images = try await readImages()
      let outcomes = targets.map { SMPOutcome(of: $0, in: images, mode) }
      if outcomes.contains(.waiting), restarts < Self.mostRestarts {
        restarts += 1
        try await restart()
        continue
      }
      for (target, outcome) in zip(targets, outcomes) {
        try requireRunning(target, outcome, images.running(target.image, mode))
      }
      var unkept: [UpdateResult.UnkeptImage] = []
      for target in plan.keepingOrder where !SMPOutcome(of: target, in: images, mode).isKept {
        if options.confirmation == .never {
          unkept.append(target.unkept(in: images, mode))
        } else {
          try await confirm(target, mode)
        }
      }
      let to = plan.version(in: images)
      return FlowOutcome(
        method: .smp, from: from, to: to, proof: UpdateProof(of: outcomes, version: to),
        isConfirmed: unkept.isEmpty, unkept: unkept)
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
    _ target: SMPTarget, _ outcome: SMPOutcome, _ running: SMPImage?
  ) throws(UpdateError) {
    let now = running?.version.map { "version \($0)" } ?? "its former firmware"
    switch outcome {
    case .running, .taken: return
    case .reverted:
      throw UpdateError(
        .reverted, "the device runs \(now) again: \(target.name) was started, and was not kept",
        hint: "the new firmware may have crashed, or was reset before it was confirmed; its log may tell")
    case .refused:
      throw UpdateError(
        .refused, "the device runs \(now): its bootloader has not started \(target.name)",
        hint: "see whether it is signed with the key that the bootloader knows, and made for this device")
    case .erased:
      throw UpdateError(
        .refused, "the device runs \(now): its bootloader has erased \(target.name)",
        hint: "it may have another signature, or have crashed, or was reset before it was confirmed")
    case .outranked:
      throw UpdateError(
        .refused,
        "the device runs \(now): its bootloader starts the highest version, and that of \(target.name) is \(target.version)",
        hint: "give the firmware a higher version")
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
      try requireRunning(target, outcome, images.running(target.image, mode))
      if outcome.isKept { return }
      do {
        try await session.setState(of: target.image == 0 ? nil : target.hash, isKept: true)
      } catch let failure as SMPFailure {
        throw unkept(target, failure.error(of: "keep \(target.name)").message, failure.code)
      }
      guard SMPOutcome(of: target, in: try await session.images(), mode).isKept else {
        throw unkept(target, "the device runs \(target.name), but does not keep it", nil)
      }
      device.achieved()
    }
  }

  /// The error for an image that runs, but which the device does not keep.
  private func unkept(_ target: SMPTarget, _ reason: String, _ code: Int?) -> UpdateError {
    // Zephyr up to 3.4 confirms no image but that of the application once it runs.
    UpdateError(
      .deviceError, "\(reason): its next reset brings the former firmware",
      hint: target.image == 0
        ? nil : "reset the device, and let it keep the image before its first start (--confirm now)",
      deviceCode: code)
  }
}

extension SMPTarget {
  /// Returns the image as one that the device does not keep, by what its slots contain.
  func unkept(in images: [SMPImage], _ mode: SMPMode?) -> UpdateResult.UnkeptImage {
    UpdateResult.UnkeptImage(
      image: image, hash: hash, former: images.former(image, mode)?.version,
      // Zephyr up to 3.4 confirms only the application once it runs, and lists only that as active.
      isKeepable: image == 0 || !images.runsFirstSlot(image, mode))
  }
}

extension UpdateProof {
  /// The proof by images that run, or that the bootloader has taken; `version` is the one that the device reports.
  init(of outcomes: [SMPOutcome], version: String?) {
    let isListed = outcomes.allSatisfy { if case .taken = $0 { false } else { true } }
    self = !isListed ? .taken : version == nil ? .hash : .version
  }
}
