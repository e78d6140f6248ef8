// SPDX-License-Identifier: MIT
internal import Glibc

/// Text inside a message, not copied; valid only as long as the ``WireReader`` that returned it.
package struct WireText {
  package let utf8: UnsafeRawBufferPointer

  package static func == (text: WireText, literal: StaticString) -> Bool {
    guard text.utf8.count == literal.utf8CodeUnitCount else { return false }
    guard let base = text.utf8.baseAddress else { return true }
    return memcmp(base, literal.utf8Start, text.utf8.count) == 0
  }

  package static func == (text: WireText, other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    // Nearly all texts are contiguous; making sure of it would count references.
    return other.utf8.withContiguousStorageIfAvailable { text.isEqual(to: $0) }
      ?? text.utf8.elementsEqual(other.utf8)
  }

  private func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = utf8.baseAddress, let otherBase = other.baseAddress else { return true }
    return memcmp(base, otherBase, other.count) == 0
  }

  package static func ~= (literal: StaticString, text: WireText) -> Bool { text == literal }

  package var string: String { String(decoding: utf8, as: UTF8.self) }
}
