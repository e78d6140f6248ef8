// SPDX-License-Identifier: MIT
package import BLEFormats

/// The encoding of a number: a fixed prefix, then the number.
package struct NumberFormat: Sendable, Equatable {
  /// A numeric format: integer, IEEE 754 or IEEE 11073.
  package var format: ValueFormat
  package var prefix: [UInt8]

  package init(_ format: ValueFormat, prefix: [UInt8] = []) { (self.format, self.prefix) = (format, prefix) }

  /// Encodes a number rounded to an integer, or to two decimals for IEEE 11073; nil if it does not fit.
  func bytes(_ number: Double) -> [UInt8]? {
    let text: String
    switch format {
    case .integer: text = Int128(exactly: number.rounded()).map { $0.description } ?? "too large"
    case .medical: text = ((number * 100).rounded() / 100).description
    default: text = number.description
    }
    return (try? format.encode(text)).map { prefix + $0 }
  }
}
