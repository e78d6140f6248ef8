// SPDX-License-Identifier: MIT

/// An estimate of the distance to a device, and its basis.
public struct DistanceEstimate: Sendable, Hashable {
  /// The origin of the signal strength at one metre.
  public enum Basis: String, Sendable, Hashable {
    /// The caller gave it.
    case given
    /// The beacon sends it, as its maker measured it.
    case beacon
    /// The transmission power that the device sends, minus the loss of 41 dB on the first metre at 2.4 GHz.
    case txPower = "tx-power"
    /// It is unknown: ``PathLoss/assumedRSSIAtOneMetre``.
    case assumed
  }

  /// The distance in metres.
  public let metres: Double
  /// The origin of the signal strength at one metre, which shows how reliable the estimate is.
  public let basis: Basis
}

extension PeripheralInfo {
  /// Estimates the distance to the device from the strength of its last advertisement; see ``PathLoss`` for
  /// its reliability.
  ///
  /// - Parameter path: how the signal weakens.
  /// - Returns: the estimate; nil if no strength is known.
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
