// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The user's choices in a live scan: the page, the selection, the order, the filter; keys change them.
///
/// Devices are known by their identity, so that the selection follows its device to another row.
struct ScanView: Sendable, Hashable {
  enum Page: Sendable, Hashable {
    case list
    /// The details of a device.
    case device(String)
    case services(String)
  }

  /// A request of a key beyond the view.
  enum Action: Sendable, Hashable {
    case end
    /// Connect to the device if necessary, and show its services.
    case connect(String)
    /// The link is no longer needed.
    case release
  }

  private(set) var page = Page.list
  private(set) var order = ScanOrder.signal
  private(set) var filter = NameFilter()
  private(set) var isPaused = false
  /// The devices whose addresses are printed at the end, in the order of their marking.
  private(set) var marked: [String] = []
  /// Nil selects the first row, whichever device that is.
  private var chosen: String?
  /// The first visible row or line.
  private var top = 0
  /// The number of rows or lines that fitted the last drawing.
  private var room = 1

  /// The device of the page or the selection.
  func device(in rows: [String]) -> String? {
    switch page {
    case .list: selection(in: rows).map { rows[$0] }
    case .device(let device), .services(let device): device
    }
  }

  /// The index of the selected row; nil without rows.
  func selection(in rows: [String]) -> Int? {
    if rows.isEmpty { return nil }
    return chosen.flatMap { rows.firstIndex(of: $0) } ?? 0
  }

  // MARK: Keys

  /// Handles a key; `rows` are the devices that pass the filter, in order.
  mutating func press(_ key: Key, rows: [String]) -> Action? {
    if filter.isTyping, filter.take(key) {
      top = 0
      return nil
    }
    switch key {
    case .character("q"): return .end
    case .character("p"): isPaused.toggle()
    case .character("y"): if let device = device(in: rows) { mark(device) }
    case .enter: return open(rows)
    case .escape: return goBack()
    case .character("s") where page == .list: order = order.next
    case .character("/") where page == .list: filter.begin()
    default: move(key, rows)
    }
    return nil
  }

  private mutating func mark(_ device: String) {
    if let index = marked.firstIndex(of: device) { marked.remove(at: index) } else { marked.append(device) }
  }

  private mutating func open(_ rows: [String]) -> Action? {
    guard let device = device(in: rows) else { return nil }
    if page == .list {
      chosen = device
      (page, top) = (.device(device), 0)
      return nil
    }
    if page == .device(device) { (page, top) = (.services(device), 0) }
    return .connect(device)
  }

  private mutating func goBack() -> Action? {
    switch page {
    case .list:
      filter.drop()
      return nil
    case .device:
      (page, top) = (.list, 0)
      return nil
    case .services(let device):
      (page, top) = (.device(device), 0)
      return .release
    }
  }

  private mutating func move(_ key: Key, _ rows: [String]) {
    if page == .list {
      guard let place = selection(in: rows), let new = moved(from: place, by: key) else { return }
      chosen = rows[min(max(0, new), rows.count - 1)]
    } else if let new = moved(from: top, by: key) {
      top = max(0, new)
    }
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

  // MARK: Visible rows

  /// The indexes of the visible rows, including the selected one; one less if a line counts the others.
  mutating func window(of rows: [String], room: Int) -> Range<Int> {
    let shown = rows.count <= room ? rows.count : max(1, room - 1)
    self.room = max(1, shown)
    guard let place = selection(in: rows) else { return 0..<0 }
    top = max(0, min(min(max(top, place - shown + 1), place), rows.count - shown))
    return top..<top + shown
  }

  /// The indexes of the visible lines of a page.
  mutating func window(ofLines count: Int, room: Int) -> Range<Int> {
    self.room = max(1, room)
    top = max(0, min(top, count - self.room))
    return top..<min(count, top + self.room)
  }
}
