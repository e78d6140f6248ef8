// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// The devices that have been heard, since when, and whom the user knows; noted by those who listen, and asked by outputs on
/// threads of their own.
package final class DeviceSightings: Sendable {
  package struct Sighting: Sendable {
    /// True if the user has named the device: on the command line, by a key, a profile or an alias.
    package fileprivate(set) var isChosen: Bool
    /// True if the device changes its address.
    package fileprivate(set) var isPrivate: Bool
    /// The device as it was heard last; nil if it never was.
    fileprivate var device: HeardDevice?
    fileprivate var first: ContinuousClock.Instant?
    fileprivate var last: ContinuousClock.Instant?

    /// The time for which it has been heard, without a longer silence.
    package var duration: Duration {
      guard let first, let last else { return .zero }
      return last - first
    }
  }

  private let isChosen: @Sendable (HeardDevice) -> Bool
  private let sightings = Lock(RecentMemory<BluetoothAddress, Sighting> { $0.isChosen ? 1 : 0 })

  /// After such a silence, a device is a new one.
  private static let silence = Duration.seconds(15 * 60)

  /// `isChosen` says whom the user names, beside keys and aliases; only it can choose a device that changes its address.
  package init(isChosen: @escaping @Sendable (HeardDevice) -> Bool) { self.isChosen = isChosen }

  /// The sighting of a device by its lasting address; nil for strangers that change theirs.
  package subscript(_ address: BluetoothAddress) -> Sighting? { sightings.withLock { $0[address] } }

  /// Records that a device was heard; `isLinked` if the user wanted a link to it.
  package func note(_ device: HeardDevice, at now: ContinuousClock.Instant, isLinked: Bool = false) {
    let address = device.lastingAddress
    let isNamed = !device.isPrivate && (isLinked || device.isNamedByUser)
    sightings.withLock { sightings in
      if var sighting = sightings.take(address) {
        if let last = sighting.last, now - last > Self.silence { sighting.first = now }
        sighting.first = sighting.first ?? now
        sighting.last = now
        sighting.device = device
        // The name may have come late.
        sighting.isChosen = sighting.isChosen || isNamed || isChosen(device)
        sightings[address] = sighting
        return
      }
      let isChosen = isNamed || isChosen(device)
      if device.isPrivate, !isChosen { return }
      sightings[address] = Sighting(
        isChosen: isChosen, isPrivate: device.isPrivate, device: device, first: now, last: now)
    }
  }

  /// The devices that were heard at a time or later, all for nil, and when, in no order.
  package func heard(
    since time: ContinuousClock.Instant?
  ) -> [(device: HeardDevice, last: ContinuousClock.Instant)] {
    sightings.withLock { sightings in
      sightings.values.compactMap { sighting in
        guard let device = sighting.device, let last = sighting.last, time.map({ $0 <= last }) ?? true else {
          return nil
        }
        return (device, last)
      }
    }
  }

  /// Records a device that the user expects, and that was never heard.
  package func expect(_ address: BluetoothAddress) {
    sightings.withLock { $0[address] = Sighting(isChosen: true, isPrivate: false) }
  }
}
