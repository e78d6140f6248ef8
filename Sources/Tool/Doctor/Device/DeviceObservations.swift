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

  /// A request for the value of a characteristic: a read, or a subscription where none can be read.
  package struct Reading: Sendable {
    package var uuid: BluetoothUUID
    package var failure: BLEError?
    /// The time until the device answered; nil if it did not.
    package var duration: Duration?
    /// True if the link was lost with the request.
    package var endedLink = false
    /// True if the links after that one end before their services are known: BlueZ itself reads the value over each.
    package var endsLaterLinks = false

    package init(
      _ uuid: BluetoothUUID, failure: BLEError? = nil, after duration: Duration? = nil,
      endedLink: Bool = false
    ) {
      (self.uuid, self.failure, self.duration, self.endedLink) = (uuid, failure, duration, endedLink)
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
  /// True if another program of this machine opened the link while the device was listened for.
  package var isOpenedMeanwhile = false
  package var attempts: [LinkAttempt] = []
  /// The number of times BlueZ forgot the device, instead of connecting to it.
  package var lossesFromMemory = 0
  package var link: Link?
  package var services: Services?
  package var readings: [Reading] = []
  /// The readable characteristics that were not tried, since some before them require pairing.
  package var untried: [BluetoothUUID] = []
  /// The characteristics whose notifications another program holds.
  package var held: [BluetoothUUID] = []
  /// True if the device ended the link after it was used, before this machine did.
  package var deviceEndedLink = false
  /// The error that ended the attempt early.
  package var failure: BLEError?

  /// Returns the name of a characteristic in sentences.
  let title: @Sendable (BluetoothUUID) -> String

  package init(
    device: String, address: BluetoothAddress? = nil,
    title: @escaping @Sendable (BluetoothUUID) -> String = \.description
  ) {
    (self.device, self.address, self.title) = (device, address, title)
  }

  /// The device in hints.
  var target: String { address.map { "\($0)" } ?? device }

  /// True if its address is a private one, which it replaces every few minutes.
  var hasPrivateAddress: Bool {
    guard let address, addressType == .random else { return false }
    return address.randomKind == .resolvable || address.randomKind == .nonResolvable
  }

  /// The addresses from which a device of its name is heard that may be its own by now: private ones, or all, if its own is one.
  var laterAddresses: [BluetoothAddress] {
    (hearing?.namesakes ?? []).filter { hasPrivateAddress || $0.randomKind == .resolvable }.sorted()
  }

  var refusals: [BLEError] { readings.compactMap(\.failure) }

  /// The number of values that the device gave out.
  var valueCount: Int { readings.count { $0.failure == nil } }

  /// The values that require pairing, or a stronger one.
  var protected: [Reading] {
    readings.filter { $0.failure?.code == .notPaired || $0.failure?.code == .pairingTooWeak }
  }

  /// The values for which the device did not answer.
  var unanswered: [Reading] { readings.filter { $0.failure?.code == .timedOut } }

  /// The values whose read ended the link, which otherwise stood.
  var refused: [Reading] { readings.filter(\.endedLink) }

  /// The median time until the device answered; nil without an answer.
  var answerTime: Duration? {
    let times = readings.compactMap(\.duration).sorted()
    return times.isEmpty ? nil : times[times.count / 2]
  }

  /// The time from the link until its services were known.
  var servicesTime: Duration? { attempts.last?.servicesTime }
}
