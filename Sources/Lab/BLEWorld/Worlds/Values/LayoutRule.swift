// SPDX-License-Identifier: MIT
package import BLEFormats

/// Values by the layout of their fields, some of which change; the others are zero, checksums right.
package struct LayoutRule: Sendable, Equatable {
  package var layout: OwnLayout
  package var fields: [FieldSpec]

  package init(_ layout: OwnLayout, _ fields: [FieldSpec] = []) {
    (self.layout, self.fields) = (layout, fields)
  }
}

/// The values of a layout, one after another from the first.
struct LayoutSequence {
  private let layout: ValueLayout
  private var fields: FieldSequences

  init(_ rule: LayoutRule) {
    let layout = rule.layout.layout
    self.layout = layout
    fields = FieldSequences(rule.fields) { layout.elementCount(of: $0) ?? 1 }
  }

  /// Returns the next value; `now` is the time of a field whose text is `now`.
  ///
  /// - Throws: why the values of the fields cannot be encoded together.
  mutating func next(at now: CivilTime) throws(FormatError) -> [UInt8] {
    let layout = layout
    return try fields.next { fields throws(FormatError) in try layout.encode(fields: fields, at: now) }
  }
}
