// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The user's choices in a live scan: the page, the selection, the order, the filter; keys change them.
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
  var cursor = RowCursor()

  /// The device of the page or the selection.
  func device(in rows: [String]) -> String? {
    switch page {
    case .list: cursor.selection(in: rows).map { rows[$0] }
    case .device(let device), .services(let device): device
    }
  }

  // MARK: Keys

  /// Handles a key; `rows` are the devices that pass the filter, in order.
  mutating func press(_ key: Key, rows: [String]) -> Action? {
    if filter.isTyping, filter.take(key) {
      cursor.rewind()
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
    default: if page == .list { cursor.select(key, among: rows) } else { cursor.scroll(key) }
    }
    return nil
  }

  private mutating func mark(_ device: String) {
    if let index = marked.firstIndex(of: device) { marked.remove(at: index) } else { marked.append(device) }
  }

  private mutating func open(_ rows: [String]) -> Action? {
    guard let device = device(in: rows) else { return nil }
    if page == .list {
      cursor.choose(device)
      show(.device(device))
      return nil
    }
    if page == .device(device) { show(.services(device)) }
    return .connect(device)
  }

  private mutating func goBack() -> Action? {
    switch page {
    case .list:
      filter.drop()
      return nil
    case .device:
      show(.list)
      return nil
    case .services(let device):
      show(.device(device))
      return .release
    }
  }

  private mutating func show(_ page: Page) {
    self.page = page
    cursor.rewind()
  }
}
