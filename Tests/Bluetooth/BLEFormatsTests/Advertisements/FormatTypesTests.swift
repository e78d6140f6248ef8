// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

/// docs/adverts.md has a row for each format.
@Suite("Types of advertised formats")
struct FormatTypesTests {
  @Test("The types are those of the documentation, in order")
  func document() throws {
    let text = try #require(RecordedFile.read(RecordedFile.path("docs/adverts.md")))
    let table = try #require(text.ranges(of: "| `type` | what |").first)
    let rows = text[table.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("|-") }.dropFirst().prefix { $0.hasPrefix("|") }
    let types = rows.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`([a-z0-9-]+)`/).map { String($0.1) }
    }
    #expect(types.sorted() == AdvertisedFormats.types)
  }

  @Test(
    "The type of what is decoded is one of them",
    arguments: [
      "0201060916d2fc40016402ca09", "0201060716d2fc41a47266c9",
      "1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5",
      "1bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f", "0303aafe0e16aafe10ee036578616d706c6507",
    ])
  func decoded(_ digits: String) throws {
    let bytes = try #require(Hex.bytes(digits))
    let advertisement = RawAdvertisement(bytes)
    let formats = advertisement.context.formats
    #expect(!formats.isEmpty)
    for format in formats { #expect(AdvertisedFormats.types.contains(format.type)) }
  }
}
