// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
internal import PeripheralEmulator

/// Centrals that are not adapters of the computer, by their addresses, which are random and static.
extension Simulator {
  private func central(_ address: String) -> SimulatedCentral {
    if let known = centrals[address] { return known }
    let central = SimulatedCentral(address, medium: medium, timers: timers, timing: timing)
    centrals[address] = central
    return central
  }

  /// Connects a central to an adapter that advertises.
  ///
  /// - Parameters:
  ///   - address: its own address, by which the simulator knows it.
  ///   - adapter: the address of the adapter.
  ///   - mtu: the largest MTU that the central accepts.
  ///   - privateAddress: the resolvable private address that it sends instead of its own, as phones do;
  ///     bluetoothd learns its own address with the keys of a bond.
  /// - Returns: whether that was possible.
  package func connectCentral(
    _ address: String, to adapter: String, mtu: UInt16 = 517, as privateAddress: String? = nil
  ) -> Bool {
    central(address).connect(to: adapter, mtu: mtu, as: privateAddress)
  }

  /// Returns the unique number of an adapter's newest advertisement; nil if it sends none.
  package func newestAdvertisement(of adapter: String) -> Int? {
    medium.adapter(adapter)?.newestAdvertisement
  }

  package func disconnectCentral(_ address: String) { central(address).hangUp() }

  /// Performs a request as a connected central, and returns the outcome.
  package func perform(_ request: CentralRequest, byCentral address: String) async -> CentralAnswer {
    if case .exchange(let psm, let count) = request {
      return await exchange(count, through: psm, byCentral: address) ? .done() : .impossible
    }
    return await withCheckedContinuation { continuation in
      central(address).perform(request) { continuation.resume(returning: $0) }
    }
  }

  /// Returns whether bytes come back through a channel.
  private func exchange(_ count: Int, through psm: UInt16, byCentral address: String) async -> Bool {
    let central = central(address)
    guard let server = central.server, let daemon,
      case .success(let descriptor) = daemon.channels.connect(
        central.central.sentAddress, to: server.address, psm, central.security)
    else { return false }
    let socket = ChannelSocket(
      adopting: OwnedDescriptor(adopting: descriptor), maximum: ChannelBroker.packetSize, on: .simulation)
    defer { socket.close() }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    async let isSent = send(bytes, over: socket)
    var received: [UInt8] = []
    while received.count < count, let packet = try? await socket.receive(until: nil) { received += packet }
    return await isSent && received == bytes
  }

  private func send(_ bytes: [UInt8], over socket: ChannelSocket) async -> Bool {
    for start in stride(from: 0, to: bytes.count, by: ChannelBroker.packetSize) {
      let packet = Array(bytes[start..<min(start + ChannelBroker.packetSize, bytes.count)])
      do { try await socket.send(packet, until: nil) } catch { return false }
    }
    return true
  }

  /// Returns the values notified to a central on its link, once `count` have arrived or the link has ended.
  package func received(
    byCentral address: String, _ characteristic: BluetoothUUID, atLeast count: Int = 0
  ) async -> [[UInt8]] {
    await withCheckedContinuation { continuation in
      central(address).onReceived(count, from: characteristic) { [self] in
        continuation.resume(returning: central(address).received(characteristic))
      }
    }
  }
}
