// SPDX-License-Identifier: MIT

/// A block of memory that messages lie in: one that was built, or several that were received together.
///
/// Written to by one owner, and only where no message lies yet; read-only there from then on.
final class ByteBlock: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    base = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit { base.deallocate() }
}
