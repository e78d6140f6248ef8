// SPDX-License-Identifier: MIT

/// Advertised data of one company or service: bytes, or how they change.
package enum AdvertisedValue: Sendable, Equatable {
  case constant([UInt8])
  case changing(AdvertisedChanges)

  init(_ bytes: [UInt8], _ changes: AdvertisedChanges?) {
    self = changes.map { .changing($0) } ?? .constant(bytes)
  }

  /// Empty if they change.
  var bytes: [UInt8] { if case .constant(let bytes) = self { bytes } else { [] } }
  var changes: AdvertisedChanges? { if case .changing(let changes) = self { changes } else { nil } }
}
