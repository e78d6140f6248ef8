// SPDX-License-Identifier: MIT

/// A release of bluetoothd that the simulator imitates.
package enum BlueZRelease: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The release in Debian 12.
  case v5_66 = "5.66"
  /// The release in Debian 13.
  case v5_82 = "5.82"
  /// The release in Debian testing in 2026.
  case v5_87 = "5.87"

  package static func < (one: BlueZRelease, other: BlueZRelease) -> Bool { one.number < other.number }

  /// The digits after the dot.
  package var number: Int {
    switch self {
    case .v5_66: 66
    case .v5_82: 82
    case .v5_87: 87
    }
  }
}
