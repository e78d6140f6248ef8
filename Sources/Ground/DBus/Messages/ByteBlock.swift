// SPDX-License-Identifier: MIT

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
