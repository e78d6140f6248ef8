// SPDX-License-Identifier: MIT

/// A log of JSON records, one a line (NDJSON).
package enum JSONLines {
  /// Calls `take` with each record and its line, counted from 1; blank lines are none.
  ///
  /// - Throws: the first error, at its line.
  package static func each(
    in log: some Collection<UInt8>, _ take: (JSONNode, Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    let lines = log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      let node: JSONNode
      do throws(JSONError) {
        node = try JSONReader.read(line)
      } catch {
        throw JSONError(JSONPlace(line: index + 1, column: error.place.column), error.pointer, error.message)
      }
      try take(node, index + 1)
    }
  }
}
