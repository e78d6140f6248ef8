// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The init packet that a bootloader of Secure DFU has: that of the part that an interrupted run was sending.
struct HeldInitPacket: Equatable {
  let size: Int
  let checksum: UInt32

  /// The request for it, which changes nothing.
  static let request: [UInt8] = [6, 1]
  private static let answer: [UInt8] = [0x60, 6]

  /// Reads the answer, of which a refusal stands for no init packet; nil for that to another request.
  init?(_ answer: [UInt8]) {
    guard answer.starts(with: Self.answer), answer.count >= 3 else { return nil }
    guard answer[2] == SecureResult.success, answer.count >= 15 else {
      (size, checksum) = (0, 0)
      return
    }
    func number(_ range: Range<Int>) -> UInt32 { answer[range].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    (size, checksum) = (Int(number(7..<11)), number(11..<15))
  }

  /// Returns whether it is wholly that of a part.
  func isWhole(of part: NordicFirmware) -> Bool {
    size == part.initPacket.count && checksum == CRC32.of(part.initPacket)
  }
}
