// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// What a person has chosen in a live scan: the page, the selection, the order, the filter; keys change it.
///
/// Devices are known by their identity, so that the selection stays with its device wherever the row goes.
struct ScanView: Sendable, Hashable {
  enum Page: Sendable, Hashable {
    case list
    /// What is known of a device.
    case device(String)
    /// The services of a device.
    case services(String)
  }

  /// What a key asks for beyond the view.
  enum Action: Sendable, Hashable {
    case end
    /// Connect to the device, unless that was done, and show its services.
    case connect(String)
    /// The link is no longer needed.
    case release
  }

  private(set) var page = Page.list
  private(set) var order = ScanOrder.signal
  private(set) var filter = NameFilter()
  private(set) var isPaused = false
  /// The devices whose addresses are printed at the end, in the order in which they were marked.
  private(set) var marked: [String] = []
  /// The selected device; nil selects the first row, whichever that is.
  private var chosen: String?
  /// The first row or line that is shown.
  private var top = 0
  /// How many rows or lines the last drawing had room for.
  private var room = 1

  /// The device that a page or the selection is about.
  func device(in rows: [String]) -> String? {
    switch page {
    case .list: selection(in: rows).map { rows[$0] }
    case .device(let device), .services(let device): device
    }
  }

  /// The place of the selected row; nil without rows.
  func selection(in rows: [String]) -> Int? {
    if rows.isEmpty { return nil }
    return chosen.flatMap { rows.firstIndex(of: $0) } ?? 0
  }

  // MARK: Keys

  /// Takes a key.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - rows: the devices that pass the filter, in their order.
  /// - Returns: what else is to be done; nil for nothing.
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

  // MARK: What is shown

  /// The rows that are shown, the selected one among them.
  ///
  /// - Parameters:
  ///   - rows: all that pass the filter.
  ///   - room: how many fit; if there are more, one less is shown, and a line counts the others.
  /// - Returns: their places.
  mutating func window(of rows: [String], room: Int) -> Range<Int> {
    let shown = rows.count <= room ? rows.count : max(1, room - 1)
    self.room = max(1, shown)
    guard let place = selection(in: rows) else { return 0..<0 }
    top = max(0, min(min(max(top, place - shown + 1), place), rows.count - shown))
    return top..<top + shown
  }

  /// The lines of a page that are shown.
  mutating func window(ofLines count: Int, room: Int) -> Range<Int> {
    self.room = max(1, room)
    top = max(0, min(top, count - self.room))
    return top..<min(count, top + self.room)
  }
}
