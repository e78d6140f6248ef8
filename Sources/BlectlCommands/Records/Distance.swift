// SPDX-License-Identifier: MIT
internal import Glibc

/// The distance that a signal's strength suggests.
enum Distance {
  /// `10^((A - RSSI) / (10 n))`, to the centimetre.
  ///
  /// - Parameters:
  ///   - rssi: the strength here, in dBm.
  ///   - rssiAtOneMetre: the strength at one metre, in dBm.
  ///   - exponent: how fast the signal weakens: 2 in free space, 3 and more between walls.
  /// - Returns: metres.
  static func metres(rssi: Int, rssiAtOneMetre: Int, exponent: Double = 2) -> Double {
    let metres = pow(10, Double(rssiAtOneMetre - rssi) / (10 * exponent))
    return (metres * 100).rounded() / 100
  }
}
