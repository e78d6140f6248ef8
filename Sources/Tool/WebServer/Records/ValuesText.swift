// SPDX-License-Identifier: MIT
internal import JSON

/// The answer of `/api/values`, made line by line when the client takes it.
///
/// All lines together may have 20 MB. A line that is made later may have values behind the place that the answer names: a
/// client that follows the records from there gets them again, with the same times.
struct ValuesText {
  private let query: ValuesQuery
  private let beginning: [UInt8]
  private var keys: ArraySlice<PageSeries.Key>
  private var hasBegun = false
  private var hasLine = false
  private var hasEnded = false

  init(_ query: ValuesQuery, from hub: RecordHub) {
    self.query = query
    beginning = Array(hub.object { $1.array("series") { _ in } }.dropLast("]}\n".utf8.count))
    keys = hub.model.keys(for: query)[...]
  }

  /// Returns the next bytes, about `size` of them; nil at the end.
  mutating func next(from model: PageModel, size: Int) -> [UInt8]? {
    if hasEnded { return nil }
    var bytes = hasBegun ? [] : beginning
    hasBegun = true
    while bytes.count < size, let key = keys.popFirst() {
      var json = JSONWriter(reservingCapacity: 4096)
      guard model.writeLine(key, query, to: &json) else { continue }
      if hasLine { bytes.append(UInt8(ascii: ",")) }
      hasLine = true
      bytes += json.bytes
    }
    if keys.isEmpty {
      hasEnded = true
      bytes += Array("]}\n".utf8)
    }
    return bytes
  }
}
