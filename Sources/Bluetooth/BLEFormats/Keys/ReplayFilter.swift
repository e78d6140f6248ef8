// SPDX-License-Identifier: MIT

/// Judges the packet counters of one device and key, so that recorded packets which another radio sends again are noticed.
///
/// ```swift
/// var filter = ReplayFilter()
/// filter.judge(PacketCounter(7, bits: 32))             // .fresh
/// filter.judge(PacketCounter(7, bits: 32))             // .repeated
/// filter.judge(PacketCounter(6, bits: 32))             // .stale
/// filter.judge(PacketCounter(6, bits: 32))             // .replayed
/// ```
public struct ReplayFilter: Sendable, Hashable {
  /// The judgement of a packet.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It is newer than all before it.
    case fresh
    /// It is the latest packet once more: devices repeat a packet until they have a new one.
    case repeated
    /// It is older than the latest packet, and was already received.
    case replayed
    /// It is older than the latest packet, and was not received before.
    case stale
    /// It is much older, and its counter is below 100: the device has probably restarted, for example with a new battery.
    case restarted
  }

  /// The number of counters up to the latest one that are remembered.
  static let window = 64
  /// Counters below this may be those of a device that has restarted.
  private static let restartLimit = 100

  private var latest: PacketCounter?
  /// The received counters: bit n stands for the counter n before the latest one.
  private var received: UInt64 = 0

  /// Creates a filter that has received nothing.
  public init() {}

  /// Judges a packet and remembers it; the caller decides what to do with packets that are not fresh.
  ///
  /// A counter of 8 or 16 bits restarts at 0 after its last value. After a long silence, such a packet can therefore look stale.
  public mutating func judge(_ counter: PacketCounter) -> Verdict {
    guard let latest, latest.bits == counter.bits else { return accept(counter, as: .fresh) }
    let distance = counter.distance(from: latest)
    if distance > 0 {
      received = distance < Self.window ? received << UInt64(distance) | 1 : 1
      self.latest = counter
      return .fresh
    }
    if distance == 0 { return .repeated }
    if -distance >= Self.window {
      let canRestart = counter.bits == 32 && counter.value < Self.restartLimit
      return canRestart ? accept(counter, as: .restarted) : .stale
    }
    let bit = UInt64(1) << UInt64(-distance)
    defer { received |= bit }
    return received & bit == 0 ? .stale : .replayed
  }

  /// Begins with a counter.
  private mutating func accept(_ counter: PacketCounter, as verdict: Verdict) -> Verdict {
    (latest, received) = (counter, 1)
    return verdict
  }
}
