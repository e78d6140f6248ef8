// SPDX-License-Identifier: MIT

/// Notes for a person that wait until the terminal is free again; bounded.
struct HeldNotes: Sendable {
  /// More are not kept: the oldest go.
  static let limit = 100

  private(set) var lines: [String] = []
  private var omitted = 0

  mutating func add(_ line: String) {
    lines.append(line)
    guard lines.count > HeldNotes.limit else { return }
    lines.removeFirst()
    omitted += 1
  }

  /// All of them, in order, and how many were left out.
  var all: [String] {
    omitted == 0 ? lines : ["(\(omitted) earlier messages are left out)"] + lines
  }
}
