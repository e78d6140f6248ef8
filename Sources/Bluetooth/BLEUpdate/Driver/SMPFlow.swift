// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The update of a device with MCUboot, by SMP.
///
/// Runs on the thread of the manager's loop.
final class SMPFlow: UpdateFlow {
  /// The answers of the device about itself.
  private struct Facts {
    var images: [SMPImage]
    var slots: [SMPSlot]
    var bootloader: SMPBootloader?
    var board: String?

    var mode: SMPMode? { bootloader?.mode }
  }

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

  private func readFacts() async throws -> Facts {
    do {
      return try await device.persist(.reading) {
        let session = try await session()
        let bootloader = try await session.bootloader()
        // A firmware loader replaces an application that does not know images.
        let images = try await session.images()
        return Facts(
          images: images, slots: try await session.slots(), bootloader: bootloader,
          board: try await session.board())
      }
    } catch let failure as SMPFailure where failure.isNotSupported {
      throw failure.error(of: "list its images")
    }
  }

  /// Reads the facts; an application that only its firmware loader replaces lets that start first.
  private func prepare() async throws -> Facts {
    if let facts = try await factsOfApplication() { return facts }
    try await restart(bootMode: 1)
    return try await readFacts()
  }

  /// Returns the facts; nil if the device has to start its firmware loader before.
  private func factsOfApplication() async throws -> Facts? {
    do { return try await readFacts() } catch let error as UpdateError where error.code == .notSupported {
      let bootloader = try await device.persist(.reading) { try await session().bootloader() }
      guard bootloader?.mode == .firmwareLoader else { throw error }
      return nil
    }
  }

  private func version(_ facts: Facts) -> String? {
    let index = firstImage
    return facts.images.first { $0.image == index && $0.isActive }?.version ?? revision
  }

  private var firstImage: Int {
    if case .images(let images) = firmware.file.content {
      images.map(\.index).min() ?? 0
    } else {
      options.image
    }
  }

  // MARK: Targets

  private func targets(_ facts: Facts) throws(UpdateError) -> [SMPTarget] {
    let targets = try chosenTargets(facts)
    if !options.isForced { for target in targets { try check(target, facts) } }
    return targets
  }

  private func chosenTargets(_ facts: Facts) throws(UpdateError) -> [SMPTarget] {
    switch firmware.file.content {
    case .image(let image, let bytes):
      guard let hash = image.hash else { throw withoutHash(firmware.name) }
      return [
        SMPTarget(
          image: options.image, hash: hash, version: "\(image.version)", bytes: bytes, name: firmware.name)
      ]
    case .images(let images):
      var targets: [SMPTarget] = []
      for index in Set(images.map(\.index)).sorted() {
        targets.append(try target(of: images.filter { $0.index == index }, facts))
      }
      return targets
    case .nordic, .unknown: throw UpdateError(.unfit, "\(firmware.name) has no image of MCUboot")
    }
  }

  /// Returns the one of several files for an image that is made for the free slot.
  private func target(of files: [PackagedImage], _ facts: Facts) throws(UpdateError) -> SMPTarget {
    let running = facts.images.first { $0.image == files[0].index && $0.isActive }?.slot ?? 0
    // The slots of a package count on over the images.
    let fitting = files.first { $0.slot.map { $0 % 2 != running % 2 } ?? true }
    let chosen = files.count > 1 ? fitting ?? files[0] : files[0]
    guard let hash = chosen.image.hash else { throw withoutHash(chosen.name) }
    return SMPTarget(
      image: chosen.index, hash: hash, version: "\(chosen.image.version)", bytes: chosen.bytes,
      name: chosen.name, board: chosen.board, slot: files.count > 1 ? chosen.slot.map { $0 % 2 } : nil,
      siblings: files.compactMap(\.image.hash).filter { $0 != hash })
  }

  private func withoutHash(_ name: String) -> UpdateError {
    UpdateError(
      .unfit, "\(name) has no hash, by which the device would know it", hint: "sign it with imgtool")
  }

  /// Requires that an image is made for the device, as far as both say it.
  private func check(_ target: SMPTarget, _ facts: Facts) throws(UpdateError) {
    if let made = target.board, let board = facts.board, !SMPBoard.areAlike(made, board) {
      throw UpdateError(.unfit, "\(target.name) is made for the board \(made), the device is \(board)")
    }
    let running = facts.images.first { $0.image == target.image && $0.isActive }
    let known = facts.slots.map(\.image) + facts.images.map(\.image)
    if !facts.slots.isEmpty, !known.contains(target.image) {
      throw UpdateError(.unfit, "\(target.name) is image \(target.image), which the device does not have")
    }
    if let slot = slot(for: target, facts) {
      let room = slot.largestImage ?? slot.size
      if room > 0, target.bytes.count > room {
        throw UpdateError(
          .unfit, "\(target.name) has \(target.bytes.count) bytes, the slot of the device takes \(room)")
      }
    }
    if facts.bootloader?.refusesDowngrades == true, let running,
      let old = running.version.flatMap({ MCUbootImage.Version(parsing: $0) }),
      let new = MCUbootImage.Version(parsing: target.version), new < old
    {
      throw UpdateError(
        .unfit, "\(target.name) is version \(new), older than \(old), and the bootloader refuses that")
    }
  }

  /// The slot that takes an image; nil if the device does not tell.
  private func slot(for target: SMPTarget, _ facts: Facts) -> SMPSlot? {
    let running = facts.images.first { $0.image == target.image && $0.isActive }?.slot
    let own = facts.slots.filter { $0.image == target.image }
    if let slot = target.slot { return own.first { $0.slot == slot } }
    if facts.mode?.hasOneSlot == true { return own.first { $0.slot == 0 } }
    return running.flatMap { running in own.first { $0.slot != running } }
  }

  // MARK: Planning

  func plan() async throws -> UpdatePlan {
    var plan = UpdatePlan(
      address: device.address, method: .smp, from: nil, to: firmware.version, steps: [],
      bytes: firmware.parts.reduce(0) { $0 + $1.size }, isAlreadyThere: false, warnings: [])
    guard let facts = try await factsOfApplication() else {
      plan.from = revision
      plan.steps = [.resetting, .waiting, .transferring, .resetting, .waiting, .proving]
      plan.warnings = ["the firmware loader of the device starts first"]
      return plan
    }
    plan.from = version(facts)
    let targets = try targets(facts)
    let verdicts = verdicts(targets, facts)
    plan.isAlreadyThere = verdicts.allSatisfy { $0 == .nothing }
    plan.bytes = zip(targets, verdicts).reduce(0) { $0 + ($1.1.sends ? $1.0.bytes.count : 0) }
    plan.steps = steps(verdicts, facts)
    plan.warnings = warnings(targets, verdicts, facts)
    return plan
  }

  private func verdicts(_ targets: [SMPTarget], _ facts: Facts) -> [SMPVerdict] {
    targets.map { SMPVerdict($0, in: facts.images, facts.mode, isKept: options.confirmation == .now) }
  }

  private func steps(_ verdicts: [SMPVerdict], _ facts: Facts) -> [UpdateStage] {
    if verdicts.allSatisfy({ $0 == .nothing }) { return [] }
    var steps: [UpdateStage] = []
    if verdicts.contains(.resetFirst) { steps += [.resetting, .waiting, .reading] }
    if verdicts.contains(.confirmRunning) { steps.append(.confirming) }
    if verdicts.contains(where: \.sends) { steps.append(.transferring) }
    let starts = verdicts.contains { $0.sends || [.test, .reset].contains($0) }
    if facts.mode?.startsNewest != true, facts.mode?.hasOneSlot != true,
      verdicts.contains(where: { $0.sends || $0 == .test })
    {
      steps.append(options.confirmation == .now ? .confirming : .testing)
    }
    if starts { steps += [.resetting, .waiting, .proving] }
    if options.confirmation == .after, facts.mode?.startsNewest != true, facts.mode?.isFinal != true {
      steps.append(.confirming)
    }
    return steps
  }

  private func warnings(_ targets: [SMPTarget], _ verdicts: [SMPVerdict], _ facts: Facts) -> [String] {
    var warnings: [String] = []
    if facts.mode?.isFinal == true {
      warnings.append("there is no way back: the bootloader overwrites the former firmware")
    }
    if options.confirmation == .now {
      warnings.append("firmware that does not start leaves the device useless")
    }
    if options.confirmation == .never {
      warnings.append("the device returns to the former firmware at its next reset")
    }
    for (target, verdict) in zip(targets, verdicts) where verdict != .nothing {
      let running = facts.images.first { $0.image == target.image && $0.isActive }
      guard let old = running?.version.flatMap({ MCUbootImage.Version(parsing: $0) }),
        let new = MCUbootImage.Version(parsing: target.version)
      else { continue }
      if new < old { warnings.append("\(target.name) is version \(new), older than \(old)") }
      if new == old, verdict.sends {
        warnings.append("\(target.name) is another firmware with the same version, \(new)")
      }
    }
    return warnings
  }

  // MARK: Updating

  func run() async throws -> FlowOutcome {
    var facts = try await prepare()
    let from = version(facts)
    var targets = try targets(facts)
    var verdicts = verdicts(targets, facts)
    if verdicts.allSatisfy({ $0 == .nothing }) {
      return FlowOutcome(method: .smp, from: from, to: from, proof: .already, isConfirmed: true)
    }
    var restarts = 0
    while verdicts.contains(where: { [.resetFirst, .confirmRunning].contains($0) }) {
      restarts += 1
      if restarts > Self.mostRestarts { throw otherImageInTheWay }
      if verdicts.contains(.resetFirst) {
        try await restart()
      } else {
        try await confirmRunning(targets, verdicts, facts)
      }
      facts = try await readFacts()
      targets = try self.targets(facts)
      verdicts = self.verdicts(targets, facts)
    }
    try await send(targets, verdicts, facts)
    if verdicts.contains(where: { $0.sends || [.test, .reset].contains($0) }) { try await restart() }
    return try await finish(targets, facts, from)
  }

  private var otherImageInTheWay: UpdateError {
    UpdateError(
      .deviceError, "another image waits in the second slot of the device, and does not go away",
      hint: "reset the device, or erase the slot")
  }

  private func confirmRunning(
    _ targets: [SMPTarget], _ verdicts: [SMPVerdict], _ facts: Facts
  ) async throws {
    for (target, verdict) in zip(targets, verdicts) where verdict == .confirmRunning {
      let running = facts.images.first { $0.image == target.image && $0.isActive }
      let hash = target.image == 0 ? nil : running?.hash
      _ = try await device.persist(.confirming) { try await session().setState(of: hash, isKept: true) }
    }
  }

  private func send(_ targets: [SMPTarget], _ verdicts: [SMPVerdict], _ facts: Facts) async throws {
    let count = verdicts.count(where: \.sends)
    var number = 0
    for (target, verdict) in zip(targets, verdicts) where verdict.sends {
      number += 1
      try await upload(target, facts, number, of: count)
    }
    guard facts.mode?.startsNewest != true, facts.mode?.hasOneSlot != true else { return }
    for (target, verdict) in zip(targets, verdicts) where verdict.sends || verdict == .test {
      try await arm(target)
    }
  }

  // MARK: The transfer

  private func upload(_ target: SMPTarget, _ facts: Facts, _ number: Int, of count: Int) async throws {
    for attempt in 1...Self.mostUploads {
      device.beginPart(number, of: count, size: target.bytes.count)
      do {
        return try await device.persist(.transferring) { try await uploadOverLink(target, facts) }
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

  private func uploadOverLink(_ target: SMPTarget, _ facts: Facts) async throws {
    let session = try await session()
    let rules = try await rules(session, target, facts)
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
    _ session: SMPSession, _ target: SMPTarget, _ facts: Facts
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
    rules.image = slot(for: target, facts)?.uploadImage ?? target.image
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

  private func finish(_ targets: [SMPTarget], _ facts: Facts, _ from: String?) async throws -> FlowOutcome {
    var restarts = 1
    while true {
      let images = try await readImages()
      let outcomes = targets.map { SMPOutcome(of: $0, in: images, facts.mode) }
      if outcomes.contains(.waiting), restarts < Self.mostRestarts {
        restarts += 1
        try await restart()
        continue
      }
      for (target, outcome) in zip(targets, outcomes) { try requireRunning(target, outcome, images) }
      var isConfirmed = outcomes.allSatisfy { $0 == .running(isConfirmed: true) }
      if !isConfirmed, options.confirmation != .never {
        for (target, outcome) in zip(targets, outcomes) where outcome == .running(isConfirmed: false) {
          try await confirm(target, facts)
        }
        isConfirmed = true
      }
      let index = firstImage
      let to = images.first { $0.image == index && $0.isActive }?.version
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
    let running = images.first { $0.image == target.image && $0.isActive }?.version
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

  private func confirm(_ target: SMPTarget, _ facts: Facts) async throws {
    try await device.persist(.confirming) {
      let session = try await session()
      // The device may have started again since: then it may have returned to the former firmware.
      let images = try await session.images()
      let outcome = SMPOutcome(of: target, in: images, facts.mode)
      try requireRunning(target, outcome, images)
      guard outcome == .running(isConfirmed: false) else { return }
      do {
        try await session.setState(of: target.image == 0 ? nil : target.hash, isKept: true)
      } catch let failure as SMPFailure {
        throw failure.error(
          of: "keep \(target.name), so that it returns to the former firmware at its next reset")
      }
      let kept = SMPOutcome(of: target, in: try await session.images(), facts.mode)
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

extension SMPVerdict {
  /// True if the image has to be sent.
  fileprivate var sends: Bool { self == .upload }
}

/// The names of boards.
enum SMPBoard {
  /// Returns whether two names may mean the same board: a package adds the processor, with `_` or `/`, and a revision.
  static func areAlike(_ one: String, _ other: String) -> Bool {
    let (one, other) = (key(one), key(other))
    return one.isEmpty || other.isEmpty || one.hasPrefix(other) || other.hasPrefix(one)
  }

  private static func key(_ name: String) -> String {
    name.lowercased().prefix { $0 != "/" && $0 != "@" }.description
  }
}
