// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The init packet of Secure DFU, as the boot loader reads it.
struct SecureInit: Sendable {
  let kind: NordicFirmware.Kind
  let version: UInt32?
  let size: Int
  /// The SHA-256 of the firmware; nil for another hash.
  let digest: [UInt8]?

  /// True if a boot loader is in the firmware.
  var hasBootloader: Bool { [.bootloader, .softDeviceAndBootloader].contains(kind) }

  /// Fails if it is none.
  init?(_ bytes: [UInt8]) {
    guard let packet = try? ProtobufFields(bytes[...]),
      let command = packet.message(1) ?? packet.message(2)?.message(1), command.number(1) == 1,
      let content = command.message(2),
      let kind = SecureInitPacket.kinds[content.number(4)]
    else { return nil }
    self.kind = kind
    version = content.numberIfPresent(1).map { UInt32(truncatingIfNeeded: $0) }
    size = (5...7).reduce(0) { $0 &+ Int(truncatingIfNeeded: content.number($1)) }
    guard size > 0 else { return nil }
    guard let hash = content.message(8), let value = hash.dataIfPresent(2) else { return nil }
    digest = hash.number(1) == 3 ? value.reversed() : nil
  }
}

/// The numbers with which Nordic's init packets tell versions.
enum NordicVersion {
  /// Returns `1.2.3` for 10203.
  static func text(_ number: UInt32) -> String {
    "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }
}
