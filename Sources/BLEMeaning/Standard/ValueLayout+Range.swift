// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Decodes the Valid Range descriptor (2906) of a characteristic with this layout: the lower and the upper limit.
  ///
  /// - Parameter bytes: the value of the descriptor.
  /// - Returns: the fields of both, with `minimum_` and `maximum_` before their keys.
  public func decodeRange(_ bytes: [UInt8]) -> DecodedFields {
    let half = bytes.count / 2
    var decoded = DecodedFields()
    for (prefix, label, part) in [
      ("minimum_", "from", bytes[..<half]), ("maximum_", "to", bytes[half...]),
    ] {
      let limit = decode(Array(part))
      for var field in limit.fields {
        field.key = prefix + field.key
        field.label = field.label.isEmpty ? label : "\(label) \(field.label)"
        decoded.fields.append(field)
      }
      decoded.problems += limit.problems
      decoded.rest += limit.rest
    }
    return decoded
  }
}
