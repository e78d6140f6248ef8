// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An image in a slot, as the boot loader MCUboot judges it.
struct SlotImage: Sendable, Equatable {
  let version: MCUbootImage.Version
  /// The hash that stands behind the image.
  let hash: [UInt8]
  /// True if that is the hash of the image.
  let isIntact: Bool

  /// Fails unless the bytes begin with an image that has a hash.
  init?(_ bytes: [UInt8]) {
    guard let image = try? MCUbootImage(parsing: bytes), let hash = image.hash else { return nil }
    (version, self.hash) = (image.version, hash)
    isIntact = image.problems.isEmpty
  }
}
