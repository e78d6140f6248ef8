// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// All possible keys of a decoded value, without duplicates, in the order of the bytes: the columns of a table of such
  /// values.
  public var shownKeys: [String] {
    var seen: Set<String> = []
    return parts.flatMap(\.shownKeys).filter { seen.insert($0).inserted }
  }
}
