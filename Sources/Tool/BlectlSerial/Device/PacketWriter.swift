// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession

/// Writes packets to a characteristic over one link, and knows how many have arrived.
///
/// A device refuses writes without response in silence. Where the characteristic also takes writes with response, the first
/// packet is one, and each that is longer than those: the device refuses it aloud, or asks for pairing. Where it does not,
/// `--pair` pairs before the first packet.
struct PacketWriter: Sendable {
  /// The outcome of writing packets.
  struct Outcome: Sendable {
    /// The number of packets that have arrived, the first ones.
    var arrived: Int
    /// The number of following packets that may have arrived.
    var uncertain = 0
    /// The reason why the remaining packets did not arrive.
    var failure: (any Error)?
  }

  let characteristic: GATTCharacteristic
  let type: WriteType
  /// True if the device answers for the packets: for each, or for the first one before those without
  /// response.
  let isAcknowledged: Bool
  /// The most bytes of a packet that every device accepts.
  let packetSize: Int
  /// The most bytes of a packet that this device accepts, as far as is known.
  let longestPacket: Int
  private let link: DeviceConnection
  private let context: CommandContext
  private let hasBegun = Lock(false)
  /// The length of the longest packet that the device has answered.
  private let provenLength = Lock(0)

  /// `isConfirmed` writes each packet with response.
  ///
  /// - Throws: ``CommandError`` if the characteristic takes only writes without response.
  init(
    _ characteristic: GATTCharacteristic, over link: DeviceConnection, isConfirmed: Bool,
    in context: CommandContext
  ) throws(CommandError) {
    (self.characteristic, self.link, self.context) = (characteristic, link, context)
    let properties = characteristic.properties
    let needsResponse = !properties.contains(.writeWithoutResponse)
    guard !isConfirmed || needsResponse || properties.contains(.write) else {
      throw CommandError(
        status: .failed,
        message: "cannot write \(characteristic.title) with response: it takes only writes without response")
    }
    type = needsResponse || isConfirmed ? .withResponse : .withoutResponse
    isAcknowledged = type == .withResponse || properties.contains(.write)
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
      let isFirst = !hasBegun.withLock(\.self)
      if isFirst, !isAcknowledged { try await link.pairBeforehand() }
      try await link.request {
        packets.beginAgain()
        while isAcknowledged, type == .withoutResponse {
          let proven = ProvenPackets(of: packets, upTo: provenLength.withLock(\.self))
          try await write(proven, type, longest, countedBy: packets, progress)
          guard let length = packets.nextLength else { return }
          try await write(FirstPacket(of: packets), .withResponse, longest, countedBy: packets, progress)
          provenLength.exchange(length)
        }
        hasBegun.exchange(true)
        try await write(packets, type, longest, countedBy: packets, progress)
      }
      return Outcome(arrived: packets.counts.arrived)
    } catch {
      let (arrived, taken) = packets.counts
      return Outcome(arrived: arrived, uncertain: taken - arrived, failure: error)
    }
  }

  private func write(
    _ source: some WriteSource, _ type: WriteType, _ longest: Int,
    countedBy packets: KeptPackets<some WriteSource>,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let before = packets.counts.arrived
    try await link.peripheral.writeValues(
      from: source, longest: longest, for: characteristic, type: type, timeout: context.timeout
    ) { arrived in
      context.observe(
        written: packets.arrived(before + arrived), to: characteristic, isAcknowledged: isAcknowledged,
        over: link)
      progress(before + arrived)
    }
  }
}

/// The next packet of a source, and then the end.
private struct FirstPacket<Source: WriteSource>: WriteSource {
  private let source: Source
  private let isGiven = Lock(false)

  init(of source: Source) { self.source = source }

  func next(_ most: Int) -> [[UInt8]]? {
    guard !isGiven.withLock(\.self), let packets = source.next(1) else { return nil }
    if !packets.isEmpty { isGiven.exchange(true) }
    return packets
  }

  func waitForNext() async { await source.waitForNext() }

  func taken(_ count: Int) { source.taken(count) }
}

/// The packets before the first one that is longer than a device has answered.
private struct ProvenPackets<Source: WriteSource>: WriteSource {
  private let source: KeptPackets<Source>
  private let length: Int

  init(of source: KeptPackets<Source>, upTo length: Int) { (self.source, self.length) = (source, length) }

  func next(_ most: Int) -> [[UInt8]]? { source.next(most, upTo: length) }

  func waitForNext() async { await source.waitForNext() }

  func taken(_ count: Int) { source.taken(count) }
}

/// Keeps the packets of a source until they have arrived: if the device requires pairing, they are sent again.
private final class KeptPackets<Source: WriteSource>: WriteSource {
  private struct State {
    /// Those that were given out, and have not arrived.
    var kept: ArraySlice<[UInt8]> = []
    /// The number of these packets that are to be given out again.
    var again = 0
    var taken = 0
    var arrived = 0
  }

  private let source: Source
  private let state = Lock(State())

  init(_ source: Source) { self.source = source }

  /// The number of packets that have arrived, and the number that BlueZ has taken, including the arrived
  /// ones.
  var counts: (arrived: Int, taken: Int) { state.withLock { ($0.arrived, max($0.arrived, $0.taken)) } }

  /// Gives out again what has not arrived.
  func beginAgain() {
    state.withLock { state in
      state.again = state.kept.count
      state.taken = state.arrived
    }
  }

  /// Records the number of packets that have arrived by now, and returns the new ones.
  func arrived(_ count: Int) -> [[UInt8]] {
    state.withLock { state in
      let news = state.kept.prefix(count - state.arrived)
      state.kept = state.kept.dropFirst(news.count)
      state.arrived = count
      return Array(news)
    }
  }

  /// The length of the packet that ``next(_:upTo:)`` has ended at; nil at the end.
  var nextLength: Int? { state.withLock { $0.kept.suffix($0.again).first?.count } }

  func next(_ most: Int) -> [[UInt8]]? { next(most, upTo: .max) }

  /// The next packets; nil at the end, and before a packet that is longer than `length`.
  func next(_ most: Int, upTo length: Int) -> [[UInt8]]? {
    if state.withLock({ $0.again == 0 }) {
      guard let packets = source.next(most) else { return nil }
      if packets.isEmpty { return packets }
      state.withLock { state in
        state.kept += packets
        state.again = packets.count
      }
    }
    return state.withLock { state in
      let packets = state.kept.suffix(state.again).prefix(most).prefix { $0.count <= length }
      state.again -= packets.count
      return packets.isEmpty ? nil : Array(packets)
    }
  }

  func waitForNext() async { await source.waitForNext() }

  func taken(_ count: Int) { state.withLock { $0.taken += count } }
}
