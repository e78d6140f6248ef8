// SPDX-License-Identifier: MIT

/// The discovery sessions of an adapter and what the kernel is asked for in consequence.
struct DiscoveryState {
  /// Whether the radio scans.
  var isRunning = false
  /// Who has a session: bus names with their filters.
  var sessions: [String: DiscoveryFilter?] = [:]
  /// Filters of clients without a session at present.
  var presets: [String: DiscoveryFilter] = [:]
  /// A start or stop that waits for the kernel.
  var pending: MethodCall?
  /// Whose start was forgotten, because another client's came before it was answered: it can neither stop nor start.
  var stuck: Set<String> = []
  /// The addresses of what was heard in this discovery.
  var found: Set<String> = []

  /// Whether every session has a filter: then devices that do not want to be found are heard of, too.
  var isFiltered: Bool { !sessions.isEmpty && sessions.values.allSatisfy { $0 != nil } }

  var wantsDuplicates: Bool { sessions.values.contains { $0?.duplicateData ?? false } }

  /// The kernel's floor: the lowest that is asked for; none when one client asks for none.
  private var floor: Int16? {
    let floors = sessions.values.map { $0?.rssi }
    return floors.contains(nil) ? nil : floors.compactMap(\.self).min()
  }

  /// Whether a report passes the merged filters.
  ///
  /// A pattern hides what does not fit it from everybody, unless another client's pattern fits.
  func accepts(_ report: AdvertisingReport, address: String, name: String?) -> Bool {
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
