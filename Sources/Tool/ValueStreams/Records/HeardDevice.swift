// SPDX-License-Identifier: MIT
package import BLECentral

/// A device that gave a sign of life, with all that it can be meant by on the command line.
package struct HeardDevice: Sendable, Hashable {
  /// That of its advertisements.
  package let address: BluetoothAddress
  /// The name that it is shown with, if any.
  package let name: String?
  /// The name that it reports, if it is shown with another one.
  package let reportedName: String?
  /// The identity behind a private address, if it is known.
  package let identity: PrivateIdentity?
  /// True if the device changes the address that is known of it.
  package let isPrivate: Bool
  /// True if a person has named it: by a key, a profile or an alias.
  package let isNamedByUser: Bool

  /// The address for records that are compared over time.
  package var lastingAddress: BluetoothAddress { identity?.address ?? address }

  package init(
    address: BluetoothAddress, name: String?, reportedName: String? = nil, identity: PrivateIdentity? = nil,
    isPrivate: Bool = false
  ) {
    (self.address, self.name, self.reportedName, self.identity) = (address, name, reportedName, identity)
    self.isPrivate = isPrivate
    isNamedByUser = identity != nil || reportedName != nil
  }

  package init(_ info: PeripheralInfo) {
    (address, name) = (info.address, info.name)
    (reportedName, identity) = (info.reportedName, info.identity)
    isPrivate =
      info.identity?.address == nil && [.resolvable, .nonResolvable].contains(info.randomKind)
    isNamedByUser = info.identity != nil || info.name != nil && info.name != info.advertisement.localName
  }
}
