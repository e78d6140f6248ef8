// SPDX-License-Identifier: MIT

/// A block of memory that contains messages: one that was built, or several that were received together.
///
/// Its single owner writes only to bytes that contain no message yet; all other bytes are read-only.
final class ByteBlock: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}
