// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The answers of a device about itself.
struct SMPInventory {
  var images: [SMPImage]
  var slots: [SMPSlot]
  var bootloader: SMPBootloader?
  var board: String?

  var mode: SMPMode? { bootloader?.mode }
}

/// The images of a file that a device shall run, and the next step of each.
///
/// Only decides: ``SMPFlow`` asks the device, and does what is planned.
struct SMPPlan {
  private struct Part {
    let target: SMPTarget
    let verdict: SMPVerdict
  }

  let inventory: SMPInventory
  private let options: FirmwareUpdate.Options
  private let parts: [Part]

  /// Plans what a device with an inventory needs; throws if the file is not for the device.
  init(
    _ firmware: Firmware, for inventory: SMPInventory, _ options: FirmwareUpdate.Options
  ) throws(UpdateError) {
    (self.inventory, self.options) = (inventory, options)
    let targets = try Self.targets(firmware, inventory, options)
    parts = targets.map { target in
      let verdict = SMPVerdict(
        target, in: inventory.images, inventory.mode, isKept: options.confirmation == .now)
      return Part(target: target, verdict: verdict)
    }
    if !options.isForced { for target in targets { try check(target) } }
  }

  // MARK: What is to do

  var targets: [SMPTarget] { parts.map(\.target) }

  /// True if nothing is to do: the device runs the firmware, and keeps it if it shall.
  var isDone: Bool {
    parts.allSatisfy { $0.verdict == .nothing || $0.verdict == .confirm && options.confirmation == .never }
  }

  /// True if the device runs the firmware.
  var runsAll: Bool { parts.allSatisfy { $0.verdict == .nothing || $0.verdict == .confirm } }

  /// The images in the order in which the device is told to keep them.
  ///
  /// The application comes last: a device that refuses to keep another image returns to its former firmware as a whole.
  var keepingOrder: [SMPTarget] { targets.reversed() }

  /// The images that run, but which the device does not keep, in the order of ``keepingOrder``.
  var unkept: [SMPTarget] { targets { $0 == .confirm }.reversed() }

  /// The images to send.
  var sent: [SMPTarget] { targets { $0.sends } }

  /// The images that the bootloader has to be told to start.
  var armed: [SMPTarget] { choosesImage ? targets { $0.sends || $0 == .test } : [] }

  /// The number of times that the device has to start again before anything can be sent.
  var resetsFirst: Int { max(parts.map(\.verdict.resetsFirst).max() ?? 0, losesTrial ? 1 : 0) }

  /// True if the start of other images would end the trial of one that runs: then all are tested together.
  private var losesTrial: Bool { starts && !unkept.isEmpty }

  /// True if the device has to start again to run the images.
  var starts: Bool { parts.contains { $0.verdict.sends || [.test, .reset].contains($0.verdict) } }

  /// The stages to come.
  var steps: [UpdateStage] {
    if isDone { return [] }
    var steps: [UpdateStage] = []
    for _ in 0..<resetsFirst { steps += [.resetting, .waiting, .reading] }
    if !sent.isEmpty { steps.append(.transferring) }
    if !armed.isEmpty { steps.append(options.confirmation == .now ? .confirming : .testing) }
    if starts { steps += [.resetting, .waiting, .proving] }
    if keepsAfterwards { steps.append(.confirming) }
    return steps
  }

  /// The facts that a person should know before.
  var warnings: [String] {
    var warnings: [String] = []
    if inventory.mode?.isFinal == true, starts {
      warnings.append("there is no way back: the bootloader overwrites the former firmware")
    }
    if options.confirmation == .now, !armed.isEmpty {
      warnings.append("firmware that does not start leaves the device useless")
    }
    if options.confirmation == .never, hasTrials, parts.contains(where: { $0.verdict != .nothing }) {
      warnings.append("the device returns to the former firmware at its next reset")
    }
    for part in parts where part.verdict != .nothing {
      if part.verdict.resetsFirst > 0 || part.verdict == .confirm && losesTrial {
        warnings.append(detour(before: part.target))
      }
      guard let (old, new) = versions(of: part.target) else { continue }
      if new < old { warnings.append("\(part.target.name) is version \(new), older than \(old)") }
      if new == old, part.verdict.sends {
        warnings.append("\(part.target.name) is another firmware with the same version, \(new)")
      }
    }
    return warnings
  }

  /// The reason why the device starts again before an image is sent.
  private func detour(before target: SMPTarget) -> String {
    if let former = inventory.images.former(target.image, inventory.mode) {
      let former = former.version.map { "version \($0)" } ?? "the former firmware"
      return "the device has not kept what runs: it first returns to \(former)"
    }
    return "another image is to start at the next reset: the device starts that first"
  }

  /// True if the device returns to the former image unless it is told to keep the new one.
  private var hasTrials: Bool { inventory.mode?.startsNewest != true && inventory.mode?.isFinal != true }

  /// True if the device is told to keep an image that runs.
  private var keepsAfterwards: Bool {
    switch options.confirmation {
    case .now: !unkept.isEmpty && !losesTrial
    case .after: hasTrials
    case .never: false
    }
  }

  /// True if the bootloader does not itself choose the image that it starts.
  private var choosesImage: Bool {
    inventory.mode?.startsNewest != true && inventory.mode?.hasOneSlot != true
  }

  private func targets(_ isIncluded: (SMPVerdict) -> Bool) -> [SMPTarget] {
    parts.filter { isIncluded($0.verdict) }.map(\.target)
  }

  // MARK: The device

  /// The image whose versions an update is about: the first one of the file that is not yet done.
  private var subject: SMPTarget? { parts.first { $0.verdict != .nothing }?.target ?? targets.first }

  /// The version of the file, of the image that the update is about.
  var newVersion: String? { subject?.version }

  /// Returns the version that runs, of the image that the update is about.
  func version(in images: [SMPImage]) -> String? {
    subject.flatMap { images.running($0.image, inventory.mode) }?.version
  }

  /// Returns the version before the update, of the image that it is about; `revision` is that of the Device Information.
  ///
  /// If an earlier run has started the new firmware, that is the version to which the device would return, unless that was
  /// overwritten.
  func formerVersion(_ revision: String?) -> String? {
    guard let subject else { return revision }
    if unkept.contains(where: { $0.image == subject.image }) {
      return inventory.images.former(subject.image, inventory.mode)?.version
    }
    // The Firmware Revision is that of the application.
    return version(in: inventory.images) ?? (subject.image == 0 ? revision : nil)
  }

  /// The slot that takes an image; nil if the device does not tell.
  func slot(for target: SMPTarget) -> SMPSlot? {
    let running = inventory.images.running(target.image, inventory.mode)?.slot
    let own = inventory.slots.filter { $0.image == target.image }
    if let slot = target.slot { return own.first { $0.slot == slot } }
    if inventory.mode?.hasOneSlot == true { return own.first { $0.slot == 0 } }
    return running.flatMap { running in own.first { $0.slot != running } }
  }

  /// The version that runs before an image, and that of the image; nil unless both are known.
  private func versions(of target: SMPTarget) -> (old: MCUbootImage.Version, new: MCUbootImage.Version)? {
    guard let old = replaced(by: target)?.version.flatMap({ MCUbootImage.Version(parsing: $0) }),
      let new = MCUbootImage.Version(parsing: target.version)
    else { return nil }
    return (old, new)
  }

  /// The image in whose place another one runs: the former one, if the device returns to that before.
  private func replaced(by target: SMPTarget) -> SMPImage? {
    let running = inventory.images.running(target.image, inventory.mode)
    if let running, target.matches(running) { return running }
    return inventory.images.former(target.image, inventory.mode) ?? running
  }

  /// Requires that an image is made for the device, as far as both say it.
  private func check(_ target: SMPTarget) throws(UpdateError) {
    if let made = target.board, let board = inventory.board, !SMPBoard.areAlike(made, board) {
      throw UpdateError(.unfit, "\(target.name) is made for the board \(made), the device is \(board)")
    }
    let known = inventory.slots.map(\.image) + inventory.images.map(\.image)
    if !inventory.slots.isEmpty, !known.contains(target.image) {
      throw UpdateError(.unfit, "\(target.name) is image \(target.image), which the device does not have")
    }
    if let slot = slot(for: target) {
      let room = slot.largestImage ?? slot.size
      if room > 0, target.bytes.count > room {
        throw UpdateError(
          .unfit, "\(target.name) has \(target.bytes.count) bytes, the slot of the device takes \(room)")
      }
    }
    if inventory.bootloader?.refusesDowngrades == true, let (old, new) = versions(of: target), new < old {
      throw UpdateError(
        .unfit, "\(target.name) is version \(new), older than \(old), and the bootloader refuses that")
    }
    if inventory.mode?.startsHighest == true, let (old, new) = versions(of: target),
      new.withoutBuild < old.withoutBuild
    {
      throw UpdateError(
        .unfit,
        "\(target.name) is version \(new), older than \(old), and the bootloader starts the highest version",
        hint: "give the firmware a higher version")
    }
  }

  // MARK: The file

  private static func targets(
    _ firmware: Firmware, _ inventory: SMPInventory, _ options: FirmwareUpdate.Options
  ) throws(UpdateError) -> [SMPTarget] {
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
        targets.append(try target(of: images.filter { $0.index == index }, inventory))
      }
      return targets
    case .nordic, .unknown: throw UpdateError(.unfit, "\(firmware.name) has no image of MCUboot")
    }
  }

  /// Returns the one of several files for an image that is made for the free slot.
  private static func target(
    of files: [PackagedImage], _ inventory: SMPInventory
  ) throws(UpdateError) -> SMPTarget {
    let running = inventory.images.running(files[0].index, inventory.mode)?.slot ?? 0
    // The slots of a package count on over the images.
    let fitting = files.first { $0.slot.map { $0 % 2 != running % 2 } ?? true }
    let chosen = files.count > 1 ? fitting ?? files[0] : files[0]
    guard let hash = chosen.image.hash else { throw withoutHash(chosen.name) }
    return SMPTarget(
      image: chosen.index, hash: hash, version: "\(chosen.image.version)", bytes: chosen.bytes,
      name: chosen.name, board: chosen.board, slot: files.count > 1 ? chosen.slot.map { $0 % 2 } : nil,
      siblings: files.compactMap(\.image.hash).filter { $0 != hash })
  }

  private static func withoutHash(_ name: String) -> UpdateError {
    UpdateError(
      .unfit, "\(name) has no hash, by which the device would know it", hint: "sign it with imgtool")
  }
}

extension SMPVerdict {
  /// True if the image has to be sent, now or after other steps.
  fileprivate var sends: Bool { self == .upload || resetsFirst > 0 }

  /// The number of times that the device has to start again before.
  fileprivate var resetsFirst: Int { if case .resetFirst(let count) = self { count } else { 0 } }
}
