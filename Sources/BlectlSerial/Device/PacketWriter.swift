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

  /// How many writes with response are given to the library at once.
  private static let writesAtOnce = 16

  let characteristic: GATTCharacteristic
  let type: WriteType
  /// The most bytes of a packet.
  let packetSize: Int
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
    packetSize = max(1, min((characteristic.mtu ?? 23) - 3, link.info.longestWrite))
  }

  /// How many packets to write at once.
  func room() async -> Int {
    if type == .withResponse { return Self.writesAtOnce }
    return await link.peripheral.writesAtOnce(to: characteristic)
  }

  /// Writes packets, and returns when they have arrived; `progress` gets the number of those that certainly have.
  func send(
    _ packets: [[UInt8]], progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> Outcome {
    let count = Lock(0)
    do {
      try await link.request {
        let done = count.withLock { $0 }
        try await link.peripheral.writeValues(
          Array(packets[done...]), for: characteristic, type: type, timeout: context.timeout
        ) { arrived in
          count.withLock { $0 = done + arrived }
          progress(done + arrived)
        }
      }
      return Outcome(arrived: packets.count)
    } catch {
      let arrived = count.withLock { $0 }
      let isUncertain = (error as? BLEError)?.mayHaveTakenEffect ?? false
      // A window arrives as a whole, or in parts that are unknown; with responses, only one packet is.
      let rest = type == .withResponse ? min(1, packets.count - arrived) : packets.count - arrived
      return Outcome(arrived: arrived, uncertain: isUncertain ? rest : 0, failure: error)
    }
  }
}
