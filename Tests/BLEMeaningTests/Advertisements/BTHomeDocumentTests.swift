// SPDX-License-Identifier: MIT
import TestSupport
internal import Testing

@testable import BLEMeaning

/// docs/adverts.md has a table of the values of BTHome, made from the kinds.
///
/// `BLECTL_RECORD=1` writes it anew.
@Suite("Document of BTHome")
struct BTHomeDocumentTests {
  private static let path: String = {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (root + ["docs", "adverts.md"]).joined(separator: "/")
  }()

  private static let mark = "| key | objects | values |\n|---|---|---|\n"

  private static var table: String {
    var keys: [String] = []
    for (_, kind) in BTHomeKind.all where !keys.contains(kind.key) { keys.append(kind.key) }
    return mark
      + keys.map { key in
        let kinds = BTHomeKind.all.filter { $0.kind.key == key }
        let numbers = kinds.map { Hex.string([$0.identifier]) }.joined(separator: ", ")
        var values: [String] = []
        for (_, kind) in kinds where !values.contains(kind.values) { values.append(kind.values) }
        return "| `\(key)` | \(numbers) | \(values.joined(separator: "; ")) |\n"
      }.joined()
  }

  @Test("The document lists every key with its values")
  func document() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: Self.mark).first?.lowerBound)
    let end = try #require(text[start...].ranges(of: "\n\n").first?.lowerBound)
    let updated = text[..<start] + Self.table.dropLast() + text[end...]
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1")
    }
  }
}

extension BTHomeKind {
  /// The values that can be given, for people.
  fileprivate var values: String {
    switch shape {
    case .number(let shape):
      let range = shape.width.range
      let unit = unit.map { " \($0.symbol)" } ?? ""
      return "\(shape.value(of: range.lowerBound).text) to \(shape.value(of: range.upperBound).text)\(unit)"
    case .state: return "`yes` or `no`"
    case .event(let names):
      return names.sorted { $0.key < $1.key }.map { "`\($0.value)`" }.joined(separator: ", ")
    case .dimmer: return "-255 to 255 steps, or `none`"
    case .command:
      let words = Self.commands.sorted { $0.key < $1.key }.map { "`\($0.value)`" }
      return words.joined(separator: ", ") + ", and up to 31 bytes"
    case .text: return "text"
    case .raw: return "bytes"
    case .version(let count): return "\(count) numbers with points between them"
    }
  }
}
