// SPDX-License-Identifier: MIT

/// Bytes of the socket between the two programs, taken out line by line.
package struct LineBuffer: Sendable {
  private var rest: [UInt8] = []

  package init() {}

  package mutating func append(_ bytes: some Collection<UInt8>) { rest += bytes }

  /// The next line, without its end; nil if it is not complete.
  package mutating func next() -> [UInt8]? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest.removeFirst(end + 1) }
    return Array(rest[..<end])
  }

  /// All complete lines but empty ones; nil if none is complete.
  package mutating func all() -> [[UInt8]]? {
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest.removeFirst(end + 1) }
    return rest[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map {
      Array($0)
    }
  }
}
