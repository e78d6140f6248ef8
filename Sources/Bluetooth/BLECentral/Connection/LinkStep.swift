// SPDX-License-Identifier: MIT

/// A step of an attempt to open a link, reported while it happens.
package enum LinkStep: Sendable {
  /// BlueZ is asked for a link.
  case calling
  /// There is a link, whose services BlueZ does not know yet.
  case opened
  /// The attempt failed; another one may follow.
  case failed(BLEError)
}
