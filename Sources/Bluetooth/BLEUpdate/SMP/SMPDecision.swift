// SPDX-License-Identifier: MIT

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
  /// Another image would start at the next reset: that first, since no other one can be put in its place before.
  case resetFirst
  /// The device would return to what it ran before, which lies in the other slot: it has to keep what runs now.
  case confirmRunning
  /// It has to be sent.
  case upload

  /// Decides about a target.
  ///
  /// `isKept` is whether the device shall keep the image from its first start on.
  init(_ target: SMPTarget, in images: [SMPImage], _ mode: SMPMode?, isKept: Bool = false) {
    let own = images.filter { $0.image == target.image }
    if let running = own.first(where: { $0.isActive && target.matches($0) }) {
      self = running.isConfirmed || mode?.startsNewest == true ? .nothing : .confirm
      return
    }
    // Where a device reports no running image, as in a firmware loader, the first slot is that of the application.
    let others = own.filter { !$0.isActive }
    if let waiting = others.first(where: { $0.hash == target.hash }) {
      if mode?.startsNewest == true {
        self = .reset
      } else if waiting.isPermanent || waiting.isPending && !isKept {
        self = .reset
      } else {
        self = .test
      }
      return
    }
    if mode?.startsNewest != true, mode?.hasOneSlot != true {
      if others.contains(where: \.isPending) {
        self = .resetFirst
        return
      }
      if others.contains(where: \.isConfirmed), own.contains(where: { $0.isActive && !$0.isConfirmed }) {
        self = .confirmRunning
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
  /// It lies in the other slot: the device ran it, and has returned to the former one.
  case reverted
  /// The bootloader has not started it, and will not.
  case refused
  /// The bootloader will start it at the next reset.
  case waiting

  init(of target: SMPTarget, in images: [SMPImage], _ mode: SMPMode?) {
    let own = images.filter { $0.image == target.image }
    if let running = own.first(where: { $0.isActive && target.matches($0) }) {
      self = .running(isConfirmed: running.isConfirmed || mode?.startsNewest == true)
    } else if let other = own.first(where: { !$0.isActive && $0.hash == target.hash }) {
      if mode?.startsNewest == true {
        self = .refused
      } else if other.isPending || other.isPermanent {
        self = .waiting
      } else {
        self = other.isBootable ? .reverted : .refused
      }
    } else {
      self = .refused
    }
  }
}
