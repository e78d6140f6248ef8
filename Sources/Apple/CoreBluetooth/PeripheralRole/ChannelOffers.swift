// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// The L2CAP channels that a peripheral manager offers.
final class ChannelOffers: Sendable {
  private let offers = Lock<[CBL2CAPPSM: PublishedChannel]>([:])

  /// Reports the channels that centrals open, until the offer ends.
  func begin(_ offer: PublishedChannel, in session: ServingSession) {
    offers.withLock { $0[offer.psm] = offer }
    Task(executorPreference: session.loop) { [weak session] in
      do throws(BLEError) {
        while let channel = try await offer.accept() {
          guard let central = await session?.central(of: channel) else { return }
          session?.report { manager, delegate in
            delegate?.peripheralManager(manager, didOpen: CBL2CAPChannel(channel, to: central), error: nil)
          }
        }
      } catch {
        let code = error.cbCode
        session?.report { manager, delegate in
          delegate?.peripheralManager(manager, didOpen: nil, error: CBError(code))
        }
      }
    }
  }

  /// Ends an offer; returns whether there was one.
  func end(_ psm: CBL2CAPPSM) async -> Bool {
    guard let offer = offers.withLock({ $0.removeValue(forKey: psm) }) else { return false }
    await offer.close()
    return true
  }

  func endAll() async {
    for psm in offers.withLock({ Array($0.keys) }) { _ = await end(psm) }
  }
}
