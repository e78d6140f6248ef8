// SPDX-License-Identifier: MIT
package import BLECentral

/// The exit status, the same for every command.
package enum ExitStatus: Int32, CaseIterable {
  /// Also for an empty scan.
  case done = 0
  /// The operation failed, mostly because the peer refused.
  case failed = 1
  /// Bluetooth is not available: no bus, no daemon, no adapter, off, denied.
  case unavailable = 3
  /// The device or the attribute was not found, or is ambiguous.
  case notFound = 4
  case timedOut = 5
  case usage = 64

  package init(_ code: BLEError.Code) {
    self =
      switch code {
      case .busUnavailable, .serviceUnavailable, .noAdapter, .poweredOff, .blocked, .accessDenied:
        .unavailable
      case .notFound: .notFound
      case .timedOut, .pairingTimedOut: .timedOut
      default: .failed
      }
  }
}
