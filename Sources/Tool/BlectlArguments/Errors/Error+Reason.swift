// SPDX-License-Identifier: MIT
internal import BLECentral

extension Error {
  /// The error in a few words; nil for errors of neither the library nor the command.
  package var reason: String? { (self as? BLEError)?.message ?? (self as? CommandError)?.message }
}
