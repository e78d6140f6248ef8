// SPDX-License-Identifier: MIT

/// What a central reads.
public enum ReadAnswer: Sendable, Hashable {
  /// The whole value, whatever the offset of the request: the library cuts it.
  case whole([UInt8])
  /// The bytes from the offset of the request on.
  case rest([UInt8])
}
