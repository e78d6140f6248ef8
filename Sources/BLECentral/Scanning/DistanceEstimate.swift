// SPDX-License-Identifier: MIT

/// An estimate of the distance to a device, and its basis.
public struct DistanceEstimate: Sendable, Hashable {
  /// Where the strength at one metre comes from.
  public enum Basis: String, Sendable, Hashable {
    /// The caller gave it.
    case given
    /// The beacon sends it, as measured by its maker.
    case beacon
    /// The transmission power that the device sends, less the 41 dB that the first metre takes at 2.4 GHz.
    case txPower = "tx-power"
    /// It is unknown: ``PathLoss/assumedRSSIAtOneMetre``.
    case assumed
  }

  /// Metres.
  public let metres: Double
  /// Where the strength at one metre comes from: how reliable the estimate is.
  public let basis: Basis
}

extension PeripheralInfo {
  /// How far away the device may be, by the strength of its last advertisement; see ``PathLoss`` for its reliability.
  ///
  /// - Parameter path: how the signal weakens.
  /// - Returns: nil when no strength is known.
  public func distance(_ path: PathLoss = PathLoss()) -> DistanceEstimate? {
    guard let rssi else { return nil }
    func estimate(_ rssiAtOneMetre: Int, _ basis: DistanceEstimate.Basis) -> DistanceEstimate {
      DistanceEstimate(metres: path.metres(rssi: rssi, rssiAtOneMetre: rssiAtOneMetre), basis: basis)
    }
    if let given = path.rssiAtOneMetre { return estimate(given, .given) }
    if let sent = advertisement.formats.lazy.compactMap(\.rssiAtOneMetre).first {
      return estimate(sent, .beacon)
    }
    if let txPower = advertisement.txPower { return estimate(txPower - 41, .txPower) }
    return estimate(PathLoss.assumedRSSIAtOneMetre, .assumed)
  }
}
