// SPDX-License-Identifier: MIT
package import BLEMeaning

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
    await withCheckedContinuation { continuation in
      central(address).perform(request) { continuation.resume(returning: $0) }
    }
  }

  /// Returns the values notified to a central on its link, once `count` have arrived or the link has ended.
  package func received(
    byCentral address: String, _ characteristic: BluetoothUUID, atLeast count: Int = 0
  ) async -> [[UInt8]] {
    await withCheckedContinuation { continuation in
      central(address).onReceived(count, from: characteristic) { continuation.resume() }
    }
    return central(address).received(characteristic)
  }
}
