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

  /// Reads the answer to the question for the images.
  static func all(in answer: CBORMap) throws(WrongType) -> [SMPImage] {
    try answer.list("images") { map throws(WrongType) in try SMPImage(map) }
  }

  private init(_ map: CBORMap) throws(WrongType) {
    func flag(_ key: String) throws(WrongType) -> Bool { try map.value(key, as: \.flag) ?? false }
    guard let slot = try map.value("slot", as: \.count) else { throw WrongType() }
    self.slot = slot
    image = try map.value("image", as: \.count) ?? 0
    version = try map.value("version", as: \.text)
    hash = try map.value("hash", as: \.bytes)
    (isBootable, isPending) = (try flag("bootable"), try flag("pending"))
    (isConfirmed, isActive) = (try flag("confirmed"), try flag("active"))
    isPermanent = try flag("permanent")
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
  static func all(in answer: CBORMap) throws(WrongType) -> [SMPSlot] {
    try answer.list("images") { image throws(WrongType) in
      let number = try image.value("image", as: \.count) ?? 0
      let largest = try image.value("max_image_size", as: \.count)
      return try image.list("slots") { slot throws(WrongType) in
        guard let place = try slot.value("slot", as: \.count) else { throw WrongType() }
        return SMPSlot(
          image: number, slot: place, size: try slot.value("size", as: \.count) ?? 0, largestImage: largest,
          uploadImage: try slot.value("upload_image_id", as: \.count))
      }
    }.flatMap(\.self)
  }
}
