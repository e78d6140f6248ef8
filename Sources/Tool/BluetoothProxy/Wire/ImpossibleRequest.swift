// SPDX-License-Identifier: MIT

/// A request for a device or an attribute that cannot exist, or of a kind that does not: its numbers, for the answer.
///
/// A client waits for an answer to each request, whatever its numbers are.
package struct ImpossibleRequest: Sendable, Hashable {
  /// The kind of the answer.
  package enum Answer: Sendable, Hashable {
    case connection
    case paired
    case unpaired
    case cacheCleared
    case connectionParameters
    /// About the attribute with a handle; 0 stands for all.
    case attribute(handle: UInt64)
  }

  package let answer: Answer
  /// The address as a number, possibly of more than 48 bits.
  package let address: UInt64
  package let error: Int32

  init(_ answer: Answer, _ address: UInt64, error: Int32) {
    (self.answer, self.address, self.error) = (answer, address, error)
  }
}
