// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEMeaning

/// docs/characteristics.md has a table of every layout, made from the layouts.
///
/// `BLECTL_RECORD=1` writes it anew.
@Suite struct CharacteristicsDocumentTests {
  private static let path: String = {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (root + ["docs", "characteristics.md"]).joined(separator: "/")
  }()

  private static let mark = "| UUID | name | keys | source |\n|---|---|---|---|\n"

  private static var table: String {
    mark
      + LayoutPropertyTests.all.map { number, layout in
        let source =
          switch layout.source {
          case .supplement: ""
          case .specification(let name): name
          }
        let keys = layout.keys.map { key in
          let units = layout.units(of: key)
          return units.isEmpty ? "`\(key)`" : "`\(key)` (\(units.joined(separator: ", ")))"
        }
        let name = layout.name + (layout.isWritable ? " ✎" : "")
        return "| \(String(number, radix: 16)) | \(name) | \(keys.joined(separator: ", ")) | \(source) |\n"
      }.joined()
  }

  @Test func `The document lists every layout with its keys and units`() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: Self.mark).first?.lowerBound)
    let updated = text[..<start] + Self.table
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1")
    }
  }
}

extension ValueLayout {
  /// The symbols of the units that a field can have.
  fileprivate func units(of key: String) -> [String] {
    var units: [String] = []
    for part in parts {
      let found: [String] =
        switch part.content {
        case .field(let field): field.key == key ? [field.unit] : []
        case .word(let word): word.fields.filter { $0.key == key }.map(\.unit)
        }
      for unit in found where !unit.isEmpty && !units.contains(unit) { units.append(unit) }
    }
    return units
  }
}
