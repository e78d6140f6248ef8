// SPDX-License-Identifier: MIT

/// The discovery sessions of an adapter and the merged filter for the kernel.
struct DiscoveryState {
  /// Whether the radio scans.
  var isRunning = false
  /// The sessions: bus names with their filters.
  var sessions: [String: ClientDiscoveryFilter?] = [:]
  /// Filters of clients without a session.
  var presets: [String: ClientDiscoveryFilter] = [:]
  /// A start or stop that waits for the kernel.
  var pending: MethodCall?
  /// Clients whose start was lost when another client started before the reply: they can neither stop nor start.
  var stuck: Set<String> = []
  /// The addresses of the devices found in this discovery.
  var found: Set<String> = []

  /// Whether every session has a filter; then devices that are not discoverable are reported, too.
  var isFiltered: Bool { !sessions.isEmpty && sessions.values.allSatisfy { $0 != nil } }

  var wantsDuplicates: Bool { sessions.values.contains { $0?.duplicateData ?? false } }

  /// The kernel's minimum signal strength: the lowest of all clients, none if a client has none.
  private var floor: Int16? {
    let floors = sessions.values.map { $0?.rssi }
    return floors.contains(nil) ? nil : floors.compactMap(\.self).min()
  }

  /// Whether a report passes the merged filters.
  ///
  /// A pattern hides devices that do not match it from all clients, unless another client's pattern matches.
  func accepts(_ report: AdvertisingReport, address: String, name: String?) -> Bool {
    // While the last session is stopping, its filter is gone, but the radio still listens.
    guard !sessions.isEmpty else { return false }
    if isFiltered, let floor, report.rssi < floor { return false }
    let filters = sessions.values.compactMap(\.self)
    let patterns = filters.filter { $0.pattern != nil }
    if !patterns.isEmpty, !patterns.contains(where: { $0.matchesPattern(address: address, name: name) }) {
      return false
    }
    guard isFiltered else { return true }
    return filters.contains { $0.accepts(report) }
  }
}
