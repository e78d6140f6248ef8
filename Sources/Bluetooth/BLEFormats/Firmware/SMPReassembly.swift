// SPDX-License-Identifier: MIT

/// Puts packets of SMP together, which notifications and writes split at any place.
package struct SMPReassembly: Sendable {
  private var buffer: [UInt8] = []

  package init() {}

  /// The number of bytes of a packet that is not whole yet.
  package var count: Int { buffer.count }

  /// Takes the next bytes, and returns the packets that are whole now.
  ///
  /// - Throws: if the bytes do not begin a packet. All that were kept are dropped then, and also what follows packets that
  ///   were whole, without an error.
  package mutating func append(_ bytes: [UInt8]) throws(CBORError) -> [[UInt8]] {
    buffer += bytes
    var packets: [[UInt8]] = []
    do throws(CBORError) {
      while buffer.count >= SMPMessage.headerSize {
        let size = try SMPHeader(buffer[..<SMPMessage.headerSize]).size
        guard buffer.count >= size else { break }
        packets.append(Array(buffer[..<size]))
        buffer.removeFirst(size)
      }
    } catch {
      reset()
      if packets.isEmpty { throw error }
    }
    return packets
  }

  /// Drops the bytes of a packet that is not whole, as after a lost link.
  package mutating func reset() { buffer = [] }
}
