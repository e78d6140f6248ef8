// SPDX-License-Identifier: MIT
internal import Glibc

/// Bytes that end where readable memory ends: a read behind them ends the process.
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

/// A random number generator that gives the same numbers on every run (SplitMix64), so that a failure can be
/// repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers depend on the seed only.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
