// SPDX-License-Identifier: MIT

/// The body of a message, to be read now or later; it retains the memory of the message.
package struct MessageBody: Sendable {
  private let block: ByteBlock
  private let offset: Int
  private let count: Int
  private let isBigEndian: Bool

  init(in block: ByteBlock, at offset: Int, count: Int, isBigEndian: Bool) {
    (self.block, self.offset, self.count) = (block, offset, count)
    self.isBigEndian = isBigEndian
  }

  /// Makes a body from a copy of bytes.
  package init(copying bytes: UnsafeRawBufferPointer, isBigEndian: Bool = false) {
    block = ByteBlock(capacity: bytes.count)
    if let base = bytes.baseAddress { block.base.copyMemory(from: base, byteCount: bytes.count) }
    (offset, count) = (0, bytes.count)
    self.isBigEndian = isBigEndian
  }

  /// Passes a reader of the body to `read`, from which no pointer into the message may escape.
  package func read<Result>(_ read: (inout WireReader) -> Result) -> Result {
    var reader = WireReader(
      UnsafeRawBufferPointer(start: block.base + offset, count: count), isBigEndian: isBigEndian)
    defer { withExtendedLifetime(block) {} }
    return read(&reader)
  }
}

/// A block of memory with one or more messages.
///
/// It is Sendable because its owner writes only to bytes that contain no message yet.
final class ByteBlock: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}
