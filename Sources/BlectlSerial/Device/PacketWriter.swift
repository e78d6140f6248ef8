// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlSession

/// Writes packets to a characteristic over one link, and knows how many have arrived.
struct PacketWriter: Sendable {
  /// What became of packets.
  struct Outcome: Sendable {
    /// How many have arrived, the first ones.
    var arrived: Int
    /// How many of the next ones may have arrived.
    var uncertain = 0
    /// Why the others did not.
    var failure: (any Error)?
  }

  let characteristic: GATTCharacteristic
  let type: WriteType
  /// The most bytes of a packet that every device accepts.
  let packetSize: Int
  /// The most bytes of a packet that this device accepts, as far as is known.
  let longestPacket: Int
  private let link: DeviceConnection
  private let context: CommandContext

  /// `isConfirmed` writes with response where the device has the choice.
  init(
    _ characteristic: GATTCharacteristic, over link: DeviceConnection, isConfirmed: Bool,
    in context: CommandContext
  ) {
    (self.characteristic, self.link, self.context) = (characteristic, link, context)
    let properties = characteristic.properties
    let needsResponse = !properties.contains(.writeWithoutResponse)
    type = needsResponse || (isConfirmed && properties.contains(.write)) ? .withResponse : .withoutResponse
    // Which bluetoothd a device has may be known only later.
    packetSize = max(1, min((characteristic.mtu ?? 23) - 3, PeripheralInfo.safeWrite))
    longestPacket = max(1, min((characteristic.mtu ?? 23) - 3, link.info.longestWrite))
  }

  /// Writes the packets of a source, of which none has more than `longest` bytes, and returns when the last one has arrived;
  /// `progress` gets the number of those that certainly have.
  func send(
    from source: some WriteSource, longest: Int, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> Outcome {
    let packets = KeptPackets(source)
    do {
      try await link.request {
        let before = packets.beginAgain()
        try await link.peripheral.writeValues(
          from: packets, longest: longest, for: characteristic, type: type, timeout: context.timeout
        ) { arrived in
          packets.arrived(before + arrived)
          progress(before + arrived)
        }
      }
      return Outcome(arrived: packets.counts.arrived)
    } catch {
      let (arrived, taken) = packets.counts
      return Outcome(arrived: arrived, uncertain: taken - arrived, failure: error)
    }
  }
}

/// Keeps the packets of a source until they have arrived: if the device requires pairing, they are sent again.
private final class KeptPackets<Source: WriteSource>: WriteSource {
  private struct State {
    /// Those that were given out, and have not arrived.
    var kept: ArraySlice<[UInt8]> = []
    /// How many of these are to be given out again.
    var again = 0
    var taken = 0
    var arrived = 0
  }

  private let source: Source
  private let state = Lock(State())

  init(_ source: Source) { self.source = source }

  /// How many packets have arrived, and how many BlueZ has taken, the arrived ones among them.
  var counts: (arrived: Int, taken: Int) { state.withLock { ($0.arrived, max($0.arrived, $0.taken)) } }

  /// Gives out again what has not arrived; returns how many packets have.
  func beginAgain() -> Int {
    state.withLock { state in
      state.again = state.kept.count
      state.taken = state.arrived
      return state.arrived
    }
  }

  func arrived(_ count: Int) {
    state.withLock { state in
      state.kept = state.kept.dropFirst(count - state.arrived)
      state.arrived = count
    }
  }

  func next(_ most: Int) -> [[UInt8]]? {
    let again = state.withLock { state in
      let packets = state.kept.suffix(state.again).prefix(most)
      state.again -= packets.count
      return Array(packets)
    }
    if !again.isEmpty { return again }
    guard let packets = source.next(most) else { return nil }
    state.withLock { $0.kept += packets }
    return packets
  }

  func waitForNext() async { await source.waitForNext() }

  func taken(_ count: Int) { state.withLock { $0.taken += count } }
}
