// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An image in a slot of a device with MCUboot.
public struct SMPImage: Sendable, Hashable {
  /// The number of the image: 0 where a device has only one.
  public var image: Int
  /// The slot of the image: 0 or 1.
  public var slot: Int
  /// The version, as the device writes it.
  public var version: String?
  /// The hash by which SMP names the image.
  public var hash: [UInt8]?
  /// True if the bootloader can start it.
  public var isBootable: Bool
  /// True if the bootloader starts it at the next reset.
  public var isPending: Bool
  /// True if the device keeps it.
  public var isConfirmed: Bool
  /// True if it runs.
  public var isActive: Bool
  /// True if the device will keep it once it has started it.
  public var isPermanent: Bool

  init(_ map: CBORMap) {
    func flag(_ key: String) -> Bool { map[key]?.bool ?? (map[key]?.int).map { $0 != 0 } ?? false }
    image = map["image"]?.int ?? 0
    slot = map["slot"]?.int ?? 0
    version = map["version"]?.text
    hash = map["hash"]?.bytes
    (isBootable, isPending) = (flag("bootable"), flag("pending"))
    (isConfirmed, isActive, isPermanent) = (flag("confirmed"), flag("active"), flag("permanent"))
  }

  init(
    image: Int = 0, slot: Int, version: String? = nil, hash: [UInt8]?, isBootable: Bool = true,
    isPending: Bool = false, isConfirmed: Bool = false, isActive: Bool = false, isPermanent: Bool = false
  ) {
    (self.image, self.slot, self.version, self.hash) = (image, slot, version, hash)
    (self.isBootable, self.isPending, self.isConfirmed) = (isBootable, isPending, isConfirmed)
    (self.isActive, self.isPermanent) = (isActive, isPermanent)
  }
}

/// A slot of a device with MCUboot, as a place for an image.
public struct SMPSlot: Sendable, Hashable {
  /// The number of the image.
  public var image: Int
  /// The slot of the image: 0 or 1.
  public var slot: Int
  /// The size in bytes.
  public var size: Int
  /// The largest image that fits, if the device says it.
  public var largestImage: Int?
  /// The number of the image to give with an upload to this slot; nil if uploads cannot go there.
  public var uploadImage: Int?

  /// Reads the answer to the question for the slots.
  static func all(in answer: CBORMap) -> [SMPSlot] {
    (answer["images"]?.array ?? []).compactMap(\.map).flatMap { image in
      (image["slots"]?.array ?? []).compactMap(\.map).map { slot in
        SMPSlot(
          image: image["image"]?.int ?? 0, slot: slot["slot"]?.int ?? 0, size: slot["size"]?.int ?? 0,
          largestImage: image["max_image_size"]?.int, uploadImage: slot["upload_image_id"]?.int)
      }
    }
  }
}
