// SPDX-License-Identifier: MIT

/// Counts the writes without response (ATT commands) that were sent to a device, and those known to have arrived.
struct SentCommands {
  /// How many commands bluetoothd has accepted.
  private(set) var count = 0
  /// How many of them are done with: the device has received them, or their loss was reported.
  private var settledCount = 0
  /// How many had been sent when a link was last lost.
  private var lostCount = 0

  /// Whether commands may still be on their way, or were lost without a report.
  var areUnconfirmed: Bool { settledCount < count }
  /// Whether a link was lost before the device was known to have received all commands.
  var areLost: Bool { settledCount < lostCount }

  /// Counts commands that bluetoothd has accepted.
  mutating func add(_ commands: Int) { count += commands }

  /// Notes that the device has received the first commands.
  ///
  /// - Parameter count: the count of commands when a request was sent that the device has answered: ATT sends a request only
  ///   behind the commands before it.
  mutating func confirm(_ count: Int) { if !areLost { settledCount = max(settledCount, count) } }

  /// Is done with all commands so far.
  mutating func settle() { settledCount = count }

  mutating func linkLost() { lostCount = count }
}
