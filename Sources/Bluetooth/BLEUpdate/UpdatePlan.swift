// SPDX-License-Identifier: MIT

/// The effects that an update of a device would have.
public struct UpdatePlan: Sendable, Hashable {
  /// The address of the device.
  public var address: BluetoothAddress
  /// The way to carry the firmware.
  public var method: UpdateMethod
  /// The version that the device reports before the update; nil if it reports none.
  ///
  /// If an earlier run has started the firmware already, that is the version to which the device would return.
  public var from: String?
  /// The version of the firmware; nil if the file does not tell it.
  public var to: String?
  /// The stages to come, in order; empty if nothing is to do.
  public var steps: [UpdateStage]
  /// The bytes to send; the device may have some of them from an earlier attempt.
  public var bytes: Int
  /// True if only the bootloader of the device runs now, for Nordic's DFU.
  public var isInBootloader = false
  /// True if the device runs this firmware, and nothing is to do.
  public var isAlreadyThere: Bool
  /// True if the device runs this firmware; it may still have to be told to keep it.
  public var isRunning = false
  /// Facts to consider first, such as that the former firmware cannot come back.
  public var warnings: [String]
}
