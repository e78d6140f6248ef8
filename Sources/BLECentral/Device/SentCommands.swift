// SPDX-License-Identifier: MIT

/// Counts the writes without response (ATT commands) that were sent to a device, and knows what became of them.
struct SentCommands {
  /// What became of some commands.
  enum Fate {
    case arrived
    /// A link was lost before the device was known to have received all of them.
    case lost
  }

  /// How many commands bluetoothd has accepted.
  private(set) var count = 0
  /// How many of them have arrived, or were lost.
  private var decidedCount = 0
  /// The first command whose fate nobody has asked for.
  private(set) var firstUnreported = 0
  /// Those that lost links took with them, the last few times.
  private var losses: [Range<Int>] = []

  /// Whether commands were lost without a report.
  var areLost: Bool { losses.contains { $0.upperBound > firstUnreported } }

  /// Counts commands that bluetoothd has accepted.
  mutating func add(_ commands: Int) { count += commands }

  /// Notes that the device has received the first commands.
  ///
  /// - Parameter count: the count of commands when a request was sent that the device has answered: ATT sends a request only
  ///   behind the commands before it.
  mutating func confirm(_ count: Int) {
    decidedCount = max(decidedCount, count)
    if !areLost { firstUnreported = max(firstUnreported, count) }
  }

  /// Notes that a link has ended, and with it all commands on their way.
  mutating func linkLost() {
    guard decidedCount < count else { return }
    losses = losses.suffix(7) + [decidedCount..<count]
    decidedCount = count
  }

  /// What became of some commands; nil while they may be on their way.
  func fate(of commands: Range<Int>) -> Fate? {
    if losses.contains(where: { $0.overlaps(commands) }) { return .lost }
    return decidedCount >= commands.upperBound ? .arrived : nil
  }

  /// Notes that the fate of commands was reported.
  mutating func report(_ commands: Range<Int>) {
    if commands.lowerBound <= firstUnreported { firstUnreported = max(firstUnreported, commands.upperBound) }
  }

  /// Notes that the link is given up: what may be on its way counts as lost, for those who wait for it.
  mutating func abandon() {
    linkLost()
    firstUnreported = count
  }
}
