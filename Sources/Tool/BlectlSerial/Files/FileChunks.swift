// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments

/// A file in chunks, each with its offset before it where that is wanted.
struct FileChunks: Sendable {
  /// The number of bytes of the file in a chunk; the last one may have fewer.
  let size: Int
  /// The maximum number of bytes in a packet.
  var packetSize: Int { size + (offsetFormat?.numberSize ?? 0) }
  private let content: [UInt8]
  private let offsetFormat: ValueFormat?

  /// Divides a file into chunks of a wanted size, nil for as many bytes as fit into a packet of `room` bytes.
  ///
  /// - Throws: ``CommandError`` if a chunk does not fit.
  init(
    _ content: [UInt8], of wanted: Int?, offsetFormat: ValueFormat?, into room: Int, of carrier: String
  ) throws(CommandError) {
    (self.content, self.offsetFormat) = (content, offsetFormat)
    let room = room - (offsetFormat?.numberSize ?? 0)
    if let wanted, wanted > room {
      throw CommandError(
        status: .failed,
        message: "cannot send chunks of \(wanted.bytes): \(room) fit into a packet of this \(carrier)")
    }
    size = wanted ?? max(1, room)
  }

  /// Makes the packets of up to `count` chunks, and returns them with the offset behind them.
  func packets(from start: Int, _ count: Int) throws(CommandError) -> (packets: [[UInt8]], end: Int) {
    let end = min(start + count * size, content.count)
    var packets: [[UInt8]] = []
    for offset in stride(from: start, to: end, by: size) {
      let bytes = content[offset..<min(offset + size, end)]
      packets.append(try prefix(of: offset) + bytes)
    }
    return (packets, end)
  }

  private func prefix(of offset: Int) throws(CommandError) -> [UInt8] {
    guard let offsetFormat else { return [] }
    do throws(FormatError) {
      return try offsetFormat.encode("\(offset)")
    } catch {
      throw CommandError(status: .failed, message: "cannot send the offset: \(error)")
    }
  }
}
