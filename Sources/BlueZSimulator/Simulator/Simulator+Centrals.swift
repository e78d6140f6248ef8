// SPDX-License-Identifier: MIT
package import BLEMeaning

/// Centrals that are no adapters of the simulated computer, by their addresses, which are random and static.
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
  ///   - address: its own address, by which it is known here.
  ///   - adapter: the address of the adapter.
  ///   - mtu: the largest MTU that it accepts.
  ///   - privateAddress: the resolvable private address that it sends instead of its own, as phones do; bluetoothd learns
  ///     its own with the keys of a bond.
  /// - Returns: whether that was possible.
  package func connectCentral(
    _ address: String, to adapter: String, mtu: UInt16 = 517, as privateAddress: String? = nil
  ) -> Bool {
    central(address).connect(to: adapter, mtu: mtu, as: privateAddress)
  }

  /// The number of the newest advertisement of an adapter, which no other one has; nil when it sends none.
  package func newestAdvertisement(of adapter: String) -> Int? {
    medium.adapter(adapter)?.newestAdvertisement
  }

  /// Lets a central close its link.
  package func disconnectCentral(_ address: String) { central(address).hangUp() }

  /// Lets a connected central do something, and returns what came of it.
  package func perform(_ request: CentralRequest, byCentral address: String) async -> CentralAnswer {
    await withCheckedContinuation { continuation in
      central(address).perform(request) { continuation.resume(returning: $0) }
    }
  }

  /// What a central has been notified of on its link, as soon as that are so many values; all there are if the link ends.
  package func received(
    byCentral address: String, _ characteristic: BluetoothUUID, atLeast count: Int = 0
  ) async -> [[UInt8]] {
    await withCheckedContinuation { continuation in
      central(address).onReceived(count, from: characteristic) { continuation.resume() }
    }
    return central(address).received(characteristic)
  }

  /// Lets a central lose its bonds.
  package func forgetBonds(ofCentral address: String) { central(address).central.pairing.forgetBonds() }
}
