// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An image that a device shall run.
struct SMPTarget: Sendable {
  /// The number of the image on the device.
  var image: Int
  /// The hash by which SMP names it.
  var hash: [UInt8]
  /// The version of its header.
  var version: String
  /// The bytes to send.
  var bytes: [UInt8]
  /// The name of its file.
  var name: String
  /// The board that it is made for, if the package says it.
  var board: String?
  /// The slot that it is made for, if it runs where it lies.
  var slot: Int?
  /// The hashes of the same firmware made for the other slot.
  var siblings: [[UInt8]] = []

  /// Returns whether an image on the device is this one, in either form.
  func matches(_ image: SMPImage) -> Bool {
    image.image == self.image && image.hash.map { $0 == hash || siblings.contains($0) } ?? false
  }
}

/// The next step towards an image, by what the slots of a device contain.
enum SMPVerdict: Equatable {
  /// It runs, and the device keeps it.
  case nothing
  /// It runs; the device does not keep it yet.
  case confirm
  /// It starts at the next reset.
  case reset
  /// It is there; the bootloader has to be told.
  case test
  /// Its slot is taken until the device has started again so many times: by an image that is to start, or by the one that the
  /// device returns to.
  case resetFirst(Int)
  /// It has to be sent.
  case upload

  /// Decides about a target.
  ///
  /// `isKept` is whether the device shall keep the image from its first start on.
  init(_ target: SMPTarget, in images: [SMPImage], _ mode: SMPMode?, isKept: Bool = false) {
    let running = images.running(target.image, mode)
    if let running, target.matches(running) {
      self = running.isConfirmed || mode?.startsNewest == true ? .nothing : .confirm
      return
    }
    // Where a device reports no running image, as in a firmware loader, the first slot is that of the application.
    let others = images.filter { $0.image == target.image && $0 != running }
    let isOnTrial = images.former(target.image, mode) != nil
    if let waiting = others.first(where: { $0.hash == target.hash }) {
      let starts = waiting.isPermanent || waiting.isPending && !isKept
      // The image before one on trial comes back by itself, and a device refuses to test it.
      let comesBack = isOnTrial && waiting.isConfirmed
      self = mode?.startsNewest == true || starts || comesBack ? .reset : .test
      return
    }
    if mode?.startsNewest != true, mode?.hasOneSlot != true {
      if let pending = others.first(where: \.isPending) {
        // One that is only tested gives way at the second reset.
        self = .resetFirst(pending.isPermanent || mode?.isFinal == true ? 1 : 2)
        return
      }
      if isOnTrial {
        self = .resetFirst(1)
        return
      }
    }
    self = .upload
  }
}

/// The outcome of the start of an image.
enum SMPOutcome: Equatable {
  /// It runs.
  case running(isConfirmed: Bool)
  /// The bootloader has taken it from the second slot; the device does not list what lies in the first one.
  case taken(isConfirmed: Bool)
  /// It lies in the other slot: the device ran it, and has returned to the former one.
  case reverted
  /// The bootloader has not started it, and will not.
  case refused
  /// The bootloader has erased it: it has refused it, or it was started, and was not kept.
  case erased
  /// The bootloader starts the image with the highest version, which is another one.
  case outranked
  /// The bootloader will start it at the next reset.
  case waiting

  init(of target: SMPTarget, in images: [SMPImage], _ mode: SMPMode?) {
    let running = images.running(target.image, mode)
    if let running, target.matches(running) {
      self = .running(isConfirmed: running.isConfirmed || mode?.startsNewest == true)
      return
    }
    let others = images.filter { $0.image == target.image && $0 != running }
    if let other = others.first(where: { $0.hash == target.hash }) {
      if mode?.startsHighest == true, target.isOutranked(by: running) {
        self = .outranked
      } else if mode?.startsNewest == true {
        self = .refused
      } else if other.isPending || other.isPermanent {
        self = .waiting
      } else {
        // Without a test, nothing comes back.
        self = other.isBootable && mode?.isFinal != true ? .reverted : .refused
      }
    } else if images.hidesRunning(target.image, mode) {
      // The image before one on trial counts as kept.
      self = .taken(isConfirmed: !others.contains(where: \.isConfirmed))
    } else {
      self = mode == .directXIPRevert ? .erased : .refused
    }
  }

  /// True if the device runs the image, and keeps it.
  var isKept: Bool { self == .running(isConfirmed: true) || self == .taken(isConfirmed: true) }
}

extension SMPTarget {
  /// Returns whether a bootloader that starts the highest version prefers the image that runs.
  func isOutranked(by running: SMPImage?) -> Bool {
    guard let now = running?.version.flatMap({ MCUbootImage.Version(parsing: $0) }),
      let new = MCUbootImage.Version(parsing: version)
    else { return false }
    return new.withoutBuild <= now.withoutBuild
  }
}

extension [SMPImage] {
  /// Returns the image with a number that runs.
  ///
  /// Zephyr up to 3.4 says of the application alone that it runs. Where images are copied or swapped, another one runs in its
  /// first slot.
  func running(_ number: Int, _ mode: SMPMode?) -> SMPImage? {
    first { $0.image == number && $0.isActive }
      ?? (runsFirstSlot(number, mode) ? first { $0.image == number && $0.slot == 0 } : nil)
  }

  /// Returns whether a device lists the image with a number that runs: MCUboot cannot read the flash of some cores.
  func hidesRunning(_ number: Int, _ mode: SMPMode?) -> Bool {
    runsFirstSlot(number, mode) && running(number, mode) == nil
  }

  /// Returns the image with a number that the device returns to at its next reset; nil if it keeps what runs.
  func former(_ number: Int, _ mode: SMPMode?) -> SMPImage? {
    guard mode?.startsNewest != true, mode?.isFinal != true else { return nil }
    let running = running(number, mode)
    let others = filter { $0.image == number && $0 != running }
    if let running { return running.isConfirmed ? nil : others.first }
    return hidesRunning(number, mode) ? others.first(where: \.isConfirmed) : nil
  }

  /// Returns whether an image with a number runs in its first slot, if none of that number is said to run.
  func runsFirstSlot(_ number: Int, _ mode: SMPMode?) -> Bool {
    mode?.copies != false && contains { $0.isActive } && !contains { $0.image == number && $0.isActive }
  }
}
