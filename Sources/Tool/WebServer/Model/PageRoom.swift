// SPDX-License-Identifier: MIT

/// The search for room in a full table of the page.
///
/// Of a crowd that changes its addresses, each is heard for a while and never again. Entries that are known for longer than
/// they are silent stay.
struct PageRoom: Sendable {
  /// The earliest time of the next search, in seconds.
  private var nextSearch = -Double.infinity

  /// The time between two searches without a result, in seconds.
  private static let pause = 10.0
  /// The time for which even an entry that was heard only once is kept, in seconds.
  private static let leastTime = 600.0

  /// Returns the entries that make room, each of which was heard from `first` to `last`: at most a sixteenth of the limit, the
  /// longest silent first.
  mutating func gone<Key: Hashable>(
    of limit: Int, at seconds: Double, _ all: some Sequence<(key: Key, first: Double, last: Double)>
  ) -> Set<Key> {
    // Earlier than the last search: the clock was set back.
    if seconds < nextSearch, seconds >= nextSearch - Self.pause { return [] }
    let silent = all.filter { seconds - $0.last > max(Self.leastTime, $0.last - $0.first) }
    if silent.isEmpty { nextSearch = seconds + Self.pause }
    return Set(silent.sorted { $0.last < $1.last }.prefix(max(1, limit / 16)).map(\.key))
  }
}
