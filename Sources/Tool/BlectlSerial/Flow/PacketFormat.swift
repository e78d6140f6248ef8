// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The output format of received packets: as they are, with the time before each line, or as lines of
/// hexadecimal digits.
package final class PacketFormat: Sendable {
  private static let bytesPerLine = 16

  private let isHex: Bool
  private let time: (@Sendable () -> String)?
  /// True if the next byte begins a line.
  private let isAtStart = Lock(true)

  /// `time` is what to write before a line.
  package init(isHex: Bool, time: (@Sendable () -> String)?) { (self.isHex, self.time) = (isHex, time) }

  package func text(of packet: [UInt8]) -> [UInt8] {
    if isHex { return dump(packet) }
    guard let time else { return packet }
    return isAtStart.withLock { isAtStart in
      var text: [UInt8] = []
      for byte in packet {
        if isAtStart { text += "\(time())  ".utf8 }
        text.append(byte)
        isAtStart = byte == UInt8(ascii: "\n")
      }
      return text
    }
  }

  private func dump(_ packet: [UInt8]) -> [UInt8] {
    let prefix = time.map { "\($0())  " } ?? ""
    var text: [UInt8] = []
    for start in stride(from: 0, to: packet.count, by: Self.bytesPerLine) {
      let part = packet[start..<min(start + Self.bytesPerLine, packet.count)]
      let hex = part.map { Hex.string([$0]) }.joined(separator: " ")
      let padding = String(repeating: " ", count: 3 * Self.bytesPerLine - 1 - hex.utf8.count)
      text += "\(prefix)\(hex)\(padding)  |".utf8
      text += part.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: ".") }
      text += "|\n".utf8
    }
    return text
  }
}
