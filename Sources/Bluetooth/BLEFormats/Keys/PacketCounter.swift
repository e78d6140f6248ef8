// SPDX-License-Identifier: MIT

/// The counter of an encrypted packet, which increases with each packet of a device.
public struct PacketCounter: Sendable, Hashable {
  /// The number, at most ``bits`` wide.
  public let value: UInt32
  /// The width of the counter, 8 to 32: after its largest value, it restarts at 0.
  public let bits: Int

  /// Creates a counter of 1 to 32 bits; higher bits of the value are dropped.
  public init(_ value: UInt32, bits: Int) {
    self.bits = min(max(bits, 1), 32)
    self.value = value & UInt32.max >> (32 - self.bits)
  }

  /// Creates a counter as wide as its bytes, at most four, the least significant first.
  init(littleEndian bytes: some BidirectionalCollection<UInt8>) {
    self.init(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }, bits: 8 * bytes.count)
  }

  /// Returns the distance by which this counter is ahead of another one of the same width; negative if it is
  /// behind.
  ///
  /// The shorter way around the turn decides, as in RFC 1982.
  func distance(from other: PacketCounter) -> Int {
    let turn = 1 << bits
    let ahead = (Int(value) - Int(other.value) + turn) % turn
    return ahead < turn / 2 ? ahead : ahead - turn
  }
}
