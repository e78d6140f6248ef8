// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats

/// The packets that both sides of a port with credits may send.
final class SerialCredits: Sendable {
  /// The number of packets that the device may have in flight; a device may permit fewer.
  private static let window = 32
  /// More than any device has room for: one that grants more is wrong, and not believed.
  private static let most = 1024

  private struct State {
    /// The number of packets that we may send.
    var available = 0
    /// The number of packets that the device may still send.
    var granted = 0
  }

  private let state = Watched(State())
  private let rules: SerialService.Credits

  init(_ rules: SerialService.Credits) { self.rules = rules }

  // MARK: Sending

  /// Takes what the device notifies; returns false if it ends the exchange.
  func received(_ value: [UInt8]) -> Bool {
    guard let count = value.first, value.count == 1 else { return true }
    if count == rules.end { return false }
    guard count <= rules.most else { return true }
    state.change { $0.available = min($0.available + Int(count), Self.most) }
    return true
  }

  /// The number of packets that may be sent.
  var count: Int { state.withLock { $0.available } }

  /// Waits until packets may be sent, or the task is cancelled.
  func waitUntilAvailable() async { await state.wait { $0.available > 0 } }

  func spend(_ packets: Int) { state.withLock { $0.available = max(0, $0.available - packets) } }

  // MARK: Receiving

  func arrived(_ packets: Int) { state.withLock { $0.granted = max(0, $0.granted - packets) } }

  /// Returns the number of packets to grant now, within the available room.
  ///
  /// It prefers one large grant to several small ones.
  func due(room: Int) -> Int {
    state.withLock { state in
      let window = min(Self.window, rules.most)
      let due = min(window, room) - state.granted
      guard due >= window / 2 || state.granted == 0 && due > 0 else { return 0 }
      state.granted += due
      return due
    }
  }
}
