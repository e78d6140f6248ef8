// SPDX-License-Identifier: MIT

/// The answer to a central's read.
public enum ReadAnswer: Sendable, Hashable {
  /// The whole value at any offset of the request: the library cuts it.
  case whole([UInt8])
  /// The bytes from the offset of the request on.
  case rest([UInt8])
}
