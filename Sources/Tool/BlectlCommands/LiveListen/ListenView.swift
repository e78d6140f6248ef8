// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The user's choices in the table of `listen`: the page, the selection, the filter; keys change them.
struct ListenView: Sendable, Hashable {
  enum Page: Sendable, Hashable {
    case list
    /// All values of a device.
    case device(String)
  }

  private(set) var page = Page.list
  private(set) var filter = NameFilter()
  private(set) var isPaused = false
  var cursor = RowCursor()

  /// Handles a key; `rows` are the devices that pass the filter, in order; returns whether it ends the view.
  mutating func press(_ key: Key, rows: [String]) -> Bool {
    if filter.isTyping, filter.take(key) {
      cursor.rewind()
      return false
    }
    switch (key, page) {
    case (.character("q"), _): return true
    case (.character("p"), _): isPaused.toggle()
    case (.character("/"), .list): filter.begin()
    case (.escape, .list): filter.drop()
    case (.escape, .device): show(.list)
    case (.enter, .list):
      guard let place = cursor.selection(in: rows) else { return false }
      cursor.choose(rows[place])
      show(.device(rows[place]))
    case (_, .list): cursor.select(key, among: rows)
    case (_, .device): cursor.scroll(key)
    }
    return false
  }

  private mutating func show(_ page: Page) {
    self.page = page
    cursor.rewind()
  }
}
