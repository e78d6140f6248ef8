// SPDX-License-Identifier: MIT
internal import Glibc

/// Bytes that end where readable memory ends: whoever reads behind them dies of it.
package struct GuardedBytes {
  private let mapping: UnsafeMutableRawPointer
  private let readable: Int
  private let page = Int(getpagesize())

  /// Room for at most `capacity` bytes.
  package init(capacity: Int) {
    readable = (capacity / page + 1) * page
    let memory = mmap(nil, readable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { preconditionFailure("no memory for guarded bytes") }
    mapping = memory
    precondition(mprotect(mapping + readable, page, PROT_NONE) == 0, "no guard behind the bytes")
  }

  /// Calls `body` with a copy of `bytes` at the very end of the readable memory.
  package func with<Result>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    precondition(bytes.count <= readable)
    let start = UnsafeMutableRawBufferPointer(start: mapping + readable - bytes.count, count: bytes.count)
    start.copyBytes(from: bytes)
    return body(UnsafeRawBufferPointer(start))
  }

  /// Gives the memory back.
  package func free() { munmap(mapping, readable + page) }
}
