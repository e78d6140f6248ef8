// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The firmware of a peripheral at one moment.
package struct FirmwareState: Sendable, Equatable {
  /// Firmware that the peripheral holds.
  package struct Slot: Sendable, Equatable {
    /// Such as `image 0 slot 1`, or `application`.
    package var name: String
    package var version: String?
    /// Such as `active` and `confirmed`.
    package var flags: [String]
    package var bytes: [UInt8]

    package init(_ name: String, version: String? = nil, flags: [String] = [], bytes: [UInt8]) {
      (self.name, self.version, self.flags, self.bytes) = (name, version, flags, bytes)
    }

    /// The hash of all its bytes, in hexadecimal digits; nil without libcrypto.
    package var digest: String? { (try? SHA256.digest(of: bytes)).map { Hex.string($0) } }
  }

  /// `smp`, `secure-dfu` or `legacy-dfu`.
  package var updateProtocol: String
  /// The version of the firmware that runs, or ran before the boot loader.
  package var version: String
  package var isInBootloader: Bool
  package var slots: [Slot]

  package init(_ updateProtocol: String, version: String, isInBootloader: Bool, slots: [Slot]) {
    (self.updateProtocol, self.version) = (updateProtocol, version)
    (self.isInBootloader, self.slots) = (isInBootloader, slots)
  }
}
