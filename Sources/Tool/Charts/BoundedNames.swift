// SPDX-License-Identifier: MIT

/// The first few different names of many.
struct BoundedNames: Sendable {
  /// Beyond the limit, only the existence of more names is kept.
  static let limit = 12

  private(set) var names: [String] = []
  private var hasMore = false

  var isEmpty: Bool { names.isEmpty }

  mutating func add(_ name: String) {
    if names.contains(name) { return }
    if names.count < BoundedNames.limit { names.append(name) } else { hasMore = true }
  }

  /// The kept names, and whether there are more: `a, b, …`.
  var text: String { (names + (hasMore ? ["…"] : [])).joined(separator: ", ") }
}
