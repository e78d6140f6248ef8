// SPDX-License-Identifier: MIT

/// Which of several hosts hears a device best.
struct HostChoice: Sendable {
  /// What a host has heard of the device last.
  struct Sighting: Sendable, Hashable {
    let rssi: Int?
    /// The second of the scan.
    let second: Int
  }

  /// What each host has heard.
  private(set) var sightings: [String: Sighting] = [:]
  /// The host that hears it best; nil before the first one has heard it.
  private(set) var best: String?

  /// Another host must hear it better by so many dB, so that equal ones do not take turns.
  private static let margin = 4

  /// Notes what a host has heard, in a second of the scan.
  ///
  /// The best host stays, unless another one hears the device better by far, or it has not heard it of late.
  mutating func hear(_ host: String, rssi: Int?, second: Int) {
    sightings[host] = Sighting(rssi: rssi, second: second)
    func strength(_ host: String) -> Int? {
      guard let sighting = sightings[host], second - sighting.second <= ScanBoard.patience else { return nil }
      return sighting.rssi ?? -128
    }
    guard let own = best.flatMap(strength) else {
      best = host
      return
    }
    if let new = strength(host), new >= own + HostChoice.margin { best = host }
  }
}
