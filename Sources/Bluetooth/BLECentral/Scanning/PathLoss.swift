// SPDX-License-Identifier: MIT
internal import Glibc

/// A model of how a signal weakens with distance, for estimating distances.
///
/// The formula is d = 10^((|RSSI| − A) / (10 n)): A is the strength at one metre as a positive number, n the
/// exponent.
///
/// The estimate is rough. The RSSI varies by 5 dB and more between advertisements, which is a factor of 1.8.
/// Bodies, walls and the direction of the antennas attenuate by 10 dB and more, a factor of 3. An assumed
/// strength at one metre may be wrong by 10 dB. An average of many estimates distinguishes near from far, and
/// the nearer of two devices.
public struct PathLoss: Sendable, Hashable {
  /// The signal strength at one metre in dBm, such as -59; nil uses the value that the device sends.
  public var rssiAtOneMetre: Int?
  /// The rate at which the signal weakens: 2 in free space, 3 and more between walls.
  public var exponent: Double

  /// Makes a model.
  ///
  /// - Parameters:
  ///   - rssiAtOneMetre: the signal strength at one metre in dBm, if it was measured.
  ///   - exponent: how fast the signal weakens; above 0.
  public init(rssiAtOneMetre: Int? = nil, exponent: Double = 2) {
    self.rssiAtOneMetre = rssiAtOneMetre
    self.exponent = exponent
  }

  /// The assumed signal strength at one metre in dBm, if it is unknown.
  public static let assumedRSSIAtOneMetre = -59

  /// Estimates a distance.
  ///
  /// - Parameters:
  ///   - rssi: the received signal strength, in dBm.
  ///   - rssiAtOneMetre: the signal strength at one metre, in dBm.
  /// - Returns: metres; never negative.
  public func metres(rssi: Int, rssiAtOneMetre: Int) -> Double {
    pow(10, Double(rssiAtOneMetre - rssi) / (10 * exponent))
  }
}
