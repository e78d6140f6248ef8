// SPDX-License-Identifier: MIT

/// The body of a message, to be read now or later; it retains the memory of the message.
package struct MessageBody: @unchecked Sendable {
  private let owner: ByteBlock?
  private let bytes: UnsafeRawBufferPointer
  private let isBigEndian: Bool

  init(_ bytes: UnsafeRawBufferPointer, in owner: ByteBlock, isBigEndian: Bool) {
    self.bytes = bytes
    self.owner = owner
    self.isBigEndian = isBigEndian
  }

  /// Makes a body from memory of the caller, which must be valid as long as the body is used.
  package init(borrowing bytes: UnsafeRawBufferPointer, isBigEndian: Bool = false) {
    self.bytes = bytes
    owner = nil
    self.isBigEndian = isBigEndian
  }

  /// Passes a reader of the body to `read`, from which no pointer into the message may escape.
  package func read<Result>(_ read: (inout WireReader) -> Result) -> Result {
    var reader = WireReader(bytes, isBigEndian: isBigEndian)
    defer { withExtendedLifetime(owner) {} }
    return read(&reader)
  }
}

/// A block of memory with one or more messages; its owner writes only to bytes that contain no message yet.
final class ByteBlock: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}
