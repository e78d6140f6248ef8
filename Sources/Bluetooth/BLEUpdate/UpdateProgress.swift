// SPDX-License-Identifier: MIT

/// The part of an update that is under way; the raw value is its word in records.
public enum UpdateStage: String, Sendable, Hashable, CaseIterable {
  /// A link is opened, or opened again.
  case connecting
  /// The firmware and the services of the device are read.
  case reading
  /// The application is told to start its bootloader.
  case jumping
  /// The firmware is sent.
  case transferring
  /// The bootloader is told to start the new firmware once.
  case testing
  /// The device is told to start again.
  case resetting
  /// The device is away: it swaps or copies the firmware.
  case waiting
  /// The device is asked what it runs now.
  case proving
  /// The device is told to keep the new firmware.
  case confirming
}

/// The state of an update.
public struct UpdateProgress: Sendable, Hashable {
  /// The stage that is under way.
  public var stage: UpdateStage
  /// The bytes of this part that the device certainly has; also those of an earlier attempt.
  public var done: Int
  /// The size of this part in bytes; 0 outside of a transfer.
  public var total: Int
  /// The number of the part that is sent, from 1 on.
  public var part: Int
  /// The number of parts to send.
  public var parts: Int
  /// The address at which the device is now.
  public var address: BluetoothAddress
  /// True if a later run goes on from the bytes of this part, also after this one has ended; false outside of a transfer.
  public var isResumable = false
  /// True once the application was told to start its bootloader, in this run; false again if it refuses.
  public var hasStartedBootloader = false
  /// The reason of an interruption that was noticed just now, or why a part is left out, after which the update goes on; else
  /// nil.
  public var interruption: String?
}
