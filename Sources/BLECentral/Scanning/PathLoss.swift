// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Glibc

/// How a signal weakens with distance: the model for estimates of a distance.
///
/// The formula is d = 10^((|RSSI| − A) / (10 n)): A is the strength at one metre as a positive number, n the exponent.
///
/// The estimate is rough. The RSSI varies by 5 dB and more between advertisements, which is a factor of 1.8. Bodies,
/// walls and the direction of the antennas take 10 dB and more, a factor of 3. An assumed strength at one metre may be
/// 10 dB off. An average of many estimates distinguishes near from far, and the nearer of two devices.
public struct PathLoss: Sendable, Hashable {
  /// The strength at one metre in dBm, such as -59; nil uses the value that the device sends.
  public var rssiAtOneMetre: Int?
  /// How fast the signal weakens: 2 in free space, 3 and more between walls.
  public var exponent: Double

  /// Makes a model.
  ///
  /// - Parameters:
  ///   - rssiAtOneMetre: the strength at one metre in dBm, where it has been measured.
  ///   - exponent: how fast the signal weakens; above 0.
  public init(rssiAtOneMetre: Int? = nil, exponent: Double = 2) {
    self.rssiAtOneMetre = rssiAtOneMetre
    self.exponent = exponent
  }

  /// The strength at one metre in dBm that is assumed when it is unknown.
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
