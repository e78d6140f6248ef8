// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Logging

/// Publishing and advertising again what BlueZ has lost.
extension PeripheralManager {
  /// How long to wait before BlueZ is asked again for what it has refused.
  private static let retryPause = Duration.seconds(5)

  func restore() {
    guard outage == nil, let adapter = usedAdapter else { return }
    for publication in publications.values.sorted(by: { $0.number < $1.number })
    where publication.registration == nil && publication.isWanted && adapter.managers.contains(.services) {
      let number = publication.number
      inBackground { await $0.restore(service: number) }
    }
    guard adapter.isPowered, adapter.managers.contains(.advertising) else { return }
    for advertiser in advertisers.values.sorted(by: { $0.number < $1.number })
    where advertiser.registration == nil && advertiser.isWanted {
      let number = advertiser.number
      inBackground { await $0.restore(advertisement: number) }
    }
  }

  private func restore(service number: Int) async {
    guard let publication = publications[number] else { return }
    do throws(BLEError) {
      try await register(publication, Operation(.publish(publication.service.uuid), timeout: .seconds(20)))
      publication.lastFailure = nil
      reportIfRestored()
    } catch {
      guard publication.isWanted else { return }
      failed(error, again: publication.lastFailure == error)
      publication.lastFailure = error
    }
  }

  private func restore(advertisement number: Int) async {
    guard let advertiser = advertisers[number] else { return }
    do throws(BLEError) {
      try await register(advertiser, Operation(.advertise, timeout: .seconds(20)))
      advertiser.lastFailure = nil
      reportIfRestored()
    } catch {
      guard advertiser.isWanted else { return }
      failed(error, again: advertiser.lastFailure == error)
      advertiser.lastFailure = error
    }
  }

  /// Reports that everything is published and advertised, once after each outage.
  func reportIfRestored() {
    guard isIncomplete, state == .poweredOn else { return }
    let wanted =
      publications.values.filter(\.isWanted).map(\.registration)
      + advertisers.values.filter(\.isWanted).map(\.registration)
    guard wanted.allSatisfy({ $0 != nil }) else { return }
    isIncomplete = false
    if !wanted.isEmpty { report(.restored) }
  }

  /// Reports why something could not be restored, and tries again after a pause, unless a change of BlueZ has to come first.
  private func failed(_ error: BLEError, again isRepeated: Bool) {
    client.logger.debug("\(error)")
    guard !error.isOutage else { return }
    if !isRepeated { report(.failed(error)) }
    guard error.isRecoverable, retryTimer == nil else { return }
    retryTimer = loop.schedule(at: LoopClock.now + Self.retryPause) { [weak self] in
      self?.assumeIsolated { manager in
        manager.retryTimer = nil
        manager.restore()
      }
    }
  }
}
