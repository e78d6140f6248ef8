// SPDX-License-Identifier: MIT
package import BLEFormats

/// A characteristic or a descriptor of a device, by its handle: a characteristic by that of its value.
package struct RemoteAttribute: Sendable, Hashable {
  package let device: BluetoothAddress
  package let handle: UInt16

  package init(device: BluetoothAddress, handle: UInt16) { (self.device, self.handle) = (device, handle) }
}

/// A version of the API.
package struct APIVersion: Sendable, Hashable, Comparable {
  package let major: UInt32
  package let minor: UInt32

  package init(major: UInt32, minor: UInt32) { (self.major, self.minor) = (major, minor) }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// From here on, a client reads UUIDs of 16 and 32 bits in their short form.
  package static let shortUUIDs = APIVersion(major: 1, minor: 12)
}

/// The mode of a scanner.
package enum ScannerMode: UInt32, Sendable, Hashable, CaseIterable {
  case passive = 0
  case active = 1
}
