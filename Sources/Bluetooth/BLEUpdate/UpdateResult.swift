// SPDX-License-Identifier: MIT

/// A successful update.
public struct UpdateResult: Sendable, Hashable {
  /// The address at which the new firmware runs.
  public var address: BluetoothAddress
  /// The way in which the firmware was carried.
  public var method: UpdateMethod
  /// The version that the device reported before; nil if it reported none.
  ///
  /// Of firmware with several images, both versions are those of the first one that the device did not run before.
  public var from: String?
  /// The version that the device reports now; nil if it reports none.
  public var to: String?
  /// The bytes that the device received in this run.
  public var bytes: Int
  /// The time from the first link to the proof.
  public var duration: Duration
  /// The proof that the new firmware runs.
  public var proof: UpdateProof
  /// False if the device will return to the former firmware at its next reset, because confirmation was not wanted.
  public var isConfirmed: Bool
  /// The images that the device has not been told to keep, for SMP; empty if it keeps all.
  public var unkept: [UnkeptImage] = []

  /// An image that runs on a device with MCUboot until the next reset.
  public struct UnkeptImage: Sendable, Hashable {
    /// The number of the image: 0 where a device has only one.
    public var image: Int
    /// The hash by which SMP names it.
    public var hash: [UInt8]
    /// The version to which the device returns; nil if it does not report it.
    public var former: String?
    /// False if the device cannot be told to keep it while it runs, but only before its first start.
    public var isKeepable = true
  }
}

/// The kinds of proof that a device runs the new firmware; the raw value is the word in records.
public enum UpdateProof: String, Sendable, Hashable, CaseIterable {
  /// The device reports the new version.
  case version
  /// The device reports the hash of the new firmware as that of the running one.
  case hash
  /// The bootloader has accepted the firmware, and the device has answered since, without its bootloader.
  case bootloaderGone = "bootloader-gone"
  /// The bootloader has taken the image from the slot to which it was sent; the device does not list what runs in its place.
  case taken
  /// The device ran the firmware before.
  case already
}
