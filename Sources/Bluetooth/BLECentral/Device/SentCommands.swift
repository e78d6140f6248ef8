// SPDX-License-Identifier: MIT

/// Counts the writes without response (ATT commands) sent to a device, and tracks which of them arrived.
struct SentCommands {
  enum Fate {
    case arrived
    /// A link was lost before the device was known to have received all of them.
    case lost
    /// Their socket was given up before bluetoothd had read all of them.
    case unread
  }

  /// The number of commands that bluetoothd has accepted or will accept.
  ///
  /// Some may still wait in a socket.
  private(set) var count = 0
  /// The first command of each socket that bluetoothd may not have read.
  private var sockets: [Int] = []
  /// The number of commands that arrived or were lost.
  private var decidedCount = 0
  /// The first command whose fate was not reported yet.
  private(set) var firstUnreported = 0
  /// The commands lost with links, for the last few losses.
  private var losses: [Range<Int>] = []
  /// The commands in sockets that were given up, for the last few of them.
  private var unread: [Range<Int>] = []

  /// True if there are commands that may be lost, and were not reported yet.
  var areLost: Bool { (losses + unread).contains { $0.upperBound > firstUnreported } }

  /// The number of commands that certainly precede a request sent now.
  ///
  /// bluetoothd reads sockets at times of its own choice.
  var countBeforeRequest: Int { sockets.min() ?? count }

  mutating func add(_ commands: Int) { count += commands }

  /// Records that the next commands may go into a socket, and returns the first of them.
  mutating func beginSocket() -> Int {
    sockets.append(count)
    return count
  }

  /// Records that bluetoothd has read a socket to its end, or closed it.
  mutating func endSocket(from first: Int) {
    if let place = sockets.firstIndex(of: first) { sockets.remove(at: place) }
  }

  /// Handles the closing of a socket that bluetoothd may not have read to its end.
  mutating func abandonSocket(from first: Int) {
    endSocket(from: first)
    let undecided = max(decidedCount, first)
    if undecided < count { unread = unread.suffix(7) + [undecided..<count] }
  }

  /// Records that the device received the first `count` commands, those before a request that it answered.
  mutating func confirm(_ count: Int) {
    decidedCount = max(decidedCount, count)
    if !areLost { firstUnreported = max(firstUnreported, count) }
  }

  /// Records the end of a link, and with it the loss of all pending commands.
  mutating func linkLost() {
    guard decidedCount < count else { return }
    losses = losses.suffix(7) + [decidedCount..<count]
    decidedCount = count
  }

  /// Returns the fate of some commands; nil while they may be on their way.
  func fate(of commands: Range<Int>) -> Fate? {
    if losses.contains(where: { $0.overlaps(commands) }) { return .lost }
    if unread.contains(where: { $0.overlaps(commands) }) { return .unread }
    return decidedCount >= commands.upperBound ? .arrived : nil
  }

  mutating func report(_ commands: Range<Int>) {
    if commands.lowerBound <= firstUnreported { firstUnreported = max(firstUnreported, commands.upperBound) }
  }

  /// Records that the link is given up.
  ///
  /// For tasks that wait, pending commands count as lost.
  mutating func abandon() {
    linkLost()
    firstUnreported = count
  }
}
