// SPDX-License-Identifier: MIT

/// The first few different names of what may be many.
struct BoundedNames: Sendable {
  /// Of more, only their existence is kept.
  static let limit = 12

  private(set) var names: [String] = []
  private var hasMore = false

  var isEmpty: Bool { names.isEmpty }

  mutating func add(_ name: String) {
    if names.contains(name) { return }
    if names.count < BoundedNames.limit { names.append(name) } else { hasMore = true }
  }

  /// All that are kept, and whether there are more: `a, b, …`.
  var text: String { (names + (hasMore ? ["…"] : [])).joined(separator: ", ") }
}
