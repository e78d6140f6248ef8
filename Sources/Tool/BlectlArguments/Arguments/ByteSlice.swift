// SPDX-License-Identifier: MIT

/// The bytes of a value that a pattern is about: `[2..4]` are two bytes, since the end is not included.
package struct ByteSlice: Sendable, Hashable {
  private enum End: Sendable, Hashable {
    /// As many bytes as the pattern takes: `[2]`.
    case fitting
    /// Up to before this byte: `[2..4]`.
    case before(Int)
    /// All the rest: `[2..]`.
    case open
  }

  /// As it was written: `[2..4]`.
  let text: String
  private let start: Int
  private var end: End

  /// Splits a pattern such as `[2..4] u16 > 100`; returns nil if it is not about a part of the value.
  package static func split(_ text: String) throws(ArgumentError) -> (slice: ByteSlice, rest: String)? {
    guard text.hasPrefix("[") else { return nil }
    guard let match = text.wholeMatch(of: /(\[([^\]]*)\]) *(.*)/) else {
      throw ArgumentError(text, "has no ']' behind its bytes; write [0], [2..4] or [2..]")
    }
    let slice = try ByteSlice(String(match.1), String(match.2))
    guard !match.3.isEmpty else {
      throw ArgumentError(match.1, "needs a pattern behind it, such as u16 100..200 or 9f??")
    }
    return (slice, String(match.3))
  }

  private init(_ text: String, _ contents: String) throws(ArgumentError) {
    self.text = text
    guard let match = contents.wholeMatch(of: /([0-9]+)(?:(\.\.)([0-9]*))?/) else {
      throw ArgumentError(text, "does not name bytes; write [0], [2..4] or [2..]")
    }
    start = try Int(parsingOffset: match.1)
    guard match.2 != nil, let last = match.3 else {
      end = .fitting
      return
    }
    end = last.isEmpty ? .open : .before(try Int(parsingOffset: last))
    if case .before(let end) = end, end <= start {
      throw ArgumentError(text, "contains no byte; the end is not included: [\(start)..\(start + 1)] is one")
    }
  }

  /// Returns the slice with its end known, for a pattern that takes bytes in steps of `size`.
  ///
  /// - Parameters:
  ///   - size: how many bytes the pattern takes; nil if it takes any number.
  ///   - repeats: whether it also takes several times as many.
  ///   - pattern: what takes them, for the error.
  /// - Returns: the slice.
  /// - Throws: that the slice has another length.
  func fitted(to size: Int?, repeats: Bool, _ pattern: String) throws(ArgumentError) -> ByteSlice {
    switch end {
    case .open: return self
    case .fitting:
      var slice = self
      slice.end = .before(start + (size ?? 1))
      return slice
    case .before(let end):
      let count = end - start
      guard let size, repeats ? !count.isMultiple(of: size) : count != size else { return self }
      throw ArgumentError(
        text,
        "is \(count) byte\(count == 1 ? "" : "s"), but \(pattern) takes \(size): [\(start)..\(start + size)]")
    }
  }

  /// Returns these bytes of a value; nil if it is too short.
  func bytes(of value: [UInt8]) -> [UInt8]? {
    guard case .before(let end) = end else {
      return start <= value.count ? Array(value[start...]) : nil
    }
    return end <= value.count ? Array(value[start..<end]) : nil
  }
}
