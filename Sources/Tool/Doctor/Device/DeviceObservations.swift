// SPDX-License-Identifier: MIT
package import BLECentral

/// The observations from one attempt with a device.
package struct DeviceObservations: Sendable {
  /// The knowledge of BlueZ about the device before it was heard.
  package struct Memory: Sendable {
    package var address: BluetoothAddress
    package var isConnected = false
    package var isPaired = false
    package var isBlocked = false
    /// The number of services that BlueZ has kept from an earlier link.
    package var serviceCount = 0

    package init(address: BluetoothAddress) { self.address = address }
  }

  /// The link that was used.
  package struct Link: Sendable {
    package var origin: LinkOrigin
    package var mtu: Int?
    /// The reason for its loss before the end of the attempt; nil if it was not lost.
    package var loss: BLEError?
    /// The duration of the link until then.
    package var lossAfter: Duration?

    package init(origin: LinkOrigin, mtu: Int? = nil) { (self.origin, self.mtu) = (origin, mtu) }
  }

  /// The services of the link.
  package struct Services: Sendable {
    package var serviceCount: Int
    package var characteristicCount: Int
    /// True if BlueZ had them before the link.
    package var isCached: Bool
    /// True if they differ from those that BlueZ had.
    package var hasChanged: Bool

    package init(services: Int, characteristics: Int, isCached: Bool = false, hasChanged: Bool = false) {
      (serviceCount, characteristicCount) = (services, characteristics)
      (self.isCached, self.hasChanged) = (isCached, hasChanged)
    }
  }

  /// A read of a characteristic that is declared readable.
  package struct Reading: Sendable {
    package var uuid: BluetoothUUID
    package var failure: BLEError?

    package init(_ uuid: BluetoothUUID, failure: BLEError? = nil) {
      (self.uuid, self.failure) = (uuid, failure)
    }
  }

  /// The device as the user named it.
  package var device: String
  /// Its address, once it is known.
  package var address: BluetoothAddress?
  package var addressType: AddressType?
  package var isPaired = false
  package var version: BlueZVersion?
  /// The number of links that the adapter had before.
  package var linkCount = 0
  /// Other adapters of this machine that have a link to it.
  package var otherAdapters: [String] = []
  package var memory: Memory?
  /// Nil if it had a link, and so was not listened for.
  package var hearing: Hearing?
  package var attempts: [LinkAttempt] = []
  /// The number of times BlueZ forgot the device, instead of connecting to it.
  package var lossesFromMemory = 0
  package var link: Link?
  package var services: Services?
  package var readings: [Reading] = []
  /// The error that ended the attempt early.
  package var failure: BLEError?

  package init(device: String, address: BluetoothAddress? = nil) {
    (self.device, self.address) = (device, address)
  }

  /// The device in hints.
  var target: String { address.map { "\($0)" } ?? device }

  /// True if its address is a private one, which it replaces every few minutes.
  var hasPrivateAddress: Bool {
    guard let address, addressType == .random else { return false }
    return address.randomKind == .resolvable || address.randomKind == .nonResolvable
  }

  var refusals: [BLEError] { readings.compactMap(\.failure) }
}
