// SPDX-License-Identifier: MIT

/// The place in a view whose rows or lines do not all fit: the selected row, and the visible part.
///
/// Rows are known by their identity, so that the selection follows its row to another place.
package struct RowCursor: Sendable, Hashable {
  /// Nil selects the first row, whichever that is.
  private var chosen: String?
  /// The first visible row or line.
  private var top = 0
  /// The number of rows or lines that fitted the last drawing.
  private var room = 1

  package init() {}

  /// The index of the selected row; nil without rows.
  package func selection(in rows: [String]) -> Int? {
    if rows.isEmpty { return nil }
    return chosen.flatMap { rows.firstIndex(of: $0) } ?? 0
  }

  /// Selects a row, wherever it is.
  package mutating func choose(_ row: String) { chosen = row }

  /// Goes back to the beginning; the selection stays.
  package mutating func rewind() { top = 0 }

  /// Moves the selection by a key; other keys do nothing.
  package mutating func select(_ key: Key, among rows: [String]) {
    guard let place = selection(in: rows), let new = moved(from: place, by: key) else { return }
    chosen = rows[min(max(0, new), rows.count - 1)]
  }

  /// Scrolls lines by a key; other keys do nothing.
  package mutating func scroll(_ key: Key) {
    if let new = moved(from: top, by: key) { top = max(0, new) }
  }

  private func moved(from place: Int, by key: Key) -> Int? {
    switch key {
    case .up, .character("k"): place - 1
    case .down, .character("j"): place + 1
    case .pageUp: place - room
    case .pageDown: place + room
    case .home: 0
    case .end: Int.max
    default: nil
    }
  }

  /// The indexes of the visible rows, including the selected one; one less if a line counts the others.
  package mutating func window(of rows: [String], room: Int) -> Range<Int> {
    let shown = rows.count <= room ? rows.count : max(1, room - 1)
    self.room = max(1, shown)
    guard let place = selection(in: rows) else { return 0..<0 }
    top = max(0, min(min(max(top, place - shown + 1), place), rows.count - shown))
    return top..<top + shown
  }

  /// The indexes of the visible lines of a page.
  package mutating func window(ofLines count: Int, room: Int) -> Range<Int> {
    self.room = max(1, room)
    top = max(0, min(top, count - self.room))
    return top..<min(count, top + self.room)
  }
}
