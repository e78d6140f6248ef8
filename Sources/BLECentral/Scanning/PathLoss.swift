// SPDX-License-Identifier: MIT
internal import Glibc

/// How a signal weakens on its way: what a distance is guessed from.
///
/// The formula is d = 10^((|RSSI| − A) / (10 n)): A is the strength at one metre as a positive number, n the exponent.
///
/// It is a rough guess. An RSSI wanders by 5 dB and more from one advertisement to the next, which is a factor of 1.8;
/// bodies, walls and the antennas' direction take 10 dB and more, a factor of 3; and where nobody tells the strength at one
/// metre, the assumed one may be 10 dB off. It tells near from far, and which of two is nearer, on an average of many.
public struct PathLoss: Sendable, Hashable {
  /// The strength at one metre in dBm, such as -59; nil is what the device itself tells.
  public var rssiAtOneMetre: Int?
  /// How fast the signal weakens: 2 in free space, 3 and more between walls.
  public var exponent: Double

  /// A way for signals.
  ///
  /// - Parameters:
  ///   - rssiAtOneMetre: the strength at one metre in dBm, where it has been measured.
  ///   - exponent: how fast the signal weakens; above 0.
  public init(rssiAtOneMetre: Int? = nil, exponent: Double = 2) {
    self.rssiAtOneMetre = rssiAtOneMetre
    self.exponent = exponent
  }

  /// What is assumed of the strength at one metre, in dBm, where nobody tells it.
  public static let assumedRSSIAtOneMetre = -59

  /// How far away something is, in metres.
  ///
  /// - Parameters:
  ///   - rssi: the strength here, in dBm.
  ///   - rssiAtOneMetre: the strength at one metre, in dBm.
  /// - Returns: metres; never negative.
  public func metres(rssi: Int, rssiAtOneMetre: Int) -> Double {
    pow(10, Double(rssiAtOneMetre - rssi) / (10 * exponent))
  }
}

/// How far away a device may be, and how that was found.
public struct DistanceEstimate: Sendable, Hashable {
  /// Where the strength at one metre comes from.
  public enum Basis: String, Sendable, Hashable {
    /// Given by whoever asked.
    case given
    /// Measured by the maker of the beacon, who sends it.
    case beacon
    /// The transmission power that the device sends, less the 41 dB that the first metre takes at 2.4 GHz.
    case txPower = "tx-power"
    /// Assumed, since nobody tells.
    case assumed
  }

  /// Metres.
  public let metres: Double
  /// Where the strength at one metre comes from: how much the guess is worth.
  public let basis: Basis
}

extension PeripheralInfo {
  /// How far away the device may be, by the strength of its last advertisement; see ``PathLoss`` for what that is worth.
  ///
  /// - Parameter path: how the signal weakens.
  /// - Returns: nil when no strength is known.
  public func distance(_ path: PathLoss = PathLoss()) -> DistanceEstimate? {
    guard let rssi else { return nil }
    func estimate(_ rssiAtOneMetre: Int, _ basis: DistanceEstimate.Basis) -> DistanceEstimate {
      DistanceEstimate(metres: path.metres(rssi: rssi, rssiAtOneMetre: rssiAtOneMetre), basis: basis)
    }
    if let given = path.rssiAtOneMetre { return estimate(given, .given) }
    if let told = advertisement.formats.lazy.compactMap(\.rssiAtOneMetre).first {
      return estimate(told, .beacon)
    }
    if let txPower = advertisement.txPower { return estimate(txPower - 41, .txPower) }
    return estimate(PathLoss.assumedRSSIAtOneMetre, .assumed)
  }
}
