// SPDX-License-Identifier: MIT

/// The body of a message, to be read now or later.
///
/// It retains the memory of the message, which does not change.
package struct MessageBody: @unchecked Sendable {
  private let owner: ByteBlock?
  private let bytes: UnsafeRawBufferPointer
  private let isBigEndian: Bool

  init(_ bytes: UnsafeRawBufferPointer, in owner: ByteBlock, isBigEndian: Bool) {
    self.bytes = bytes
    self.owner = owner
    self.isBigEndian = isBigEndian
  }

  /// A body in memory of the caller.
  ///
  /// - Parameters:
  ///   - bytes: valid for as long as the body is used.
  ///   - isBigEndian: their byte order.
  package init(borrowing bytes: UnsafeRawBufferPointer, isBigEndian: Bool = false) {
    self.bytes = bytes
    owner = nil
    self.isBigEndian = isBigEndian
  }

  /// Reads the body.
  ///
  /// No pointer into the message may escape `read`.
  package func read<Result>(_ read: (inout WireReader) -> Result) -> Result {
    var reader = WireReader(bytes, isBigEndian: isBigEndian)
    defer { withExtendedLifetime(owner) {} }
    return read(&reader)
  }
}
