// SPDX-License-Identifier: MIT

/// A signal that is marshalled once and sent tens of thousands of times per second, with new bytes in one
/// place.
package struct SignalTemplate {
  private let marshalled: [UInt8]
  private let header: MessageHeader
  private let place: Range<Int>

  /// Prepares the signal that `make` builds around `count` bytes; fails if they occur never or more than
  /// once.
  package init?(count: Int, _ make: ([UInt8]) -> Message) {
    guard count > 0 else { return nil }
    let message = make(Array(repeating: 0, count: count))
    let low = message.withBytes { Array($0) }
    let high = make(Array(repeating: 255, count: count)).withBytes { Array($0) }
    guard low.count == high.count else { return nil }
    let differing = low.indices.filter { low[$0] != high[$0] }
    guard differing.count == count, let first = differing.first, differing.last == first + count - 1 else {
      return nil
    }
    marshalled = low
    header = message.header
    place = first..<(first + count)
  }

  package var count: Int { place.count }

  /// Returns the signal with these bytes; nil if their number is wrong.
  package func signal(with bytes: [UInt8]) -> Message? {
    guard bytes.count == place.count else { return nil }
    let block = ByteBlock(capacity: marshalled.count)
    let whole = UnsafeMutableRawBufferPointer(start: block.base, count: block.capacity)
    whole.copyBytes(from: marshalled)
    UnsafeMutableRawBufferPointer(rebasing: whole[place]).copyBytes(from: bytes)
    return Message(block, at: 0..<block.capacity, header, [])
  }
}
