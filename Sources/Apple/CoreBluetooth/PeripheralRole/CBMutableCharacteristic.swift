// SPDX-License-Identifier: MIT
internal import AsyncIO
public import Foundation

/// A characteristic of this machine.
///
/// It is Sendable because its state is locked.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  private struct Changes {
    var properties: CBCharacteristicProperties
    var permissions: CBAttributePermissions
    /// Nil before the service is published.
    var subscribers: [CBCentral]?
  }

  private let changes: Lock<Changes>
  /// True if the value is served without the delegate.
  let isCached: Bool

  /// Makes a characteristic.
  ///
  /// - Parameters:
  ///   - UUID: the UUID, which tells the kind of value.
  ///   - properties: the permitted operations.
  ///   - value: a constant value, which is served without the delegate; nil leaves reads to the delegate.
  ///   - permissions: the permitted operations of centrals on the value. A constant value must be read-only;
  ///     otherwise the program ends.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
    permissions: CBAttributePermissions
  ) {
    let isReadOnly =
      properties == .read && permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
    // A release build prints only the text of 'fatalError'.
    if value != nil, !isReadOnly { fatalError("Characteristics with cached values must be read-only") }
    changes = Lock(Changes(properties: properties, permissions: permissions))
    isCached = value != nil
    super.init(uuid: UUID, properties: properties, value: value)
  }

  /// The permitted operations of centrals on the value.
  open var permissions: CBAttributePermissions {
    get { changes.withLock { $0.permissions } }
    set { changes.withLock { $0.permissions = newValue } }
  }

  /// The permitted operations.
  open override var properties: CBCharacteristicProperties {
    get { changes.withLock { $0.properties } }
    set { changes.withLock { $0.properties = newValue } }
  }

  /// The value; unless it was given at the start, only the program uses it.
  open override var value: Data? {
    get { super.value }
    set { setValue(newValue) }
  }

  /// Its descriptors.
  open override var descriptors: [CBDescriptor]? {
    get { super.descriptors }
    set {
      setDescriptors(newValue)
      for descriptor in newValue ?? [] { descriptor.setCharacteristic(self) }
    }
  }

  /// The subscribed centrals, to the extent that BlueZ reveals them; nil before the service is published.
  open var subscribedCentrals: [CBCentral]? { changes.withLock { $0.subscribers } }

  /// Records that the service is published.
  func published() {
    changes.withLock { changes in
      if changes.subscribers == nil { changes.subscribers = [] }
    }
  }

  /// Adds or removes a central; returns whether that changed anything.
  func setSubscribed(_ isOn: Bool, _ central: CBCentral) -> Bool {
    let (hasChanged, _) = changes.withLock { changes -> (Bool, [CBCentral]?) in
      let old = changes.subscribers ?? []
      guard old.contains(central) != isOn else { return (false, nil) }
      changes.subscribers = isOn ? old + [central] : old.filter { $0 != central }
      return (true, old)
    }
    return hasChanged
  }

  func removeSubscribers() -> [CBCentral] { changes.exchange(\.subscribers, []) ?? [] }
}

/// A descriptor of this machine.
///
/// It is Sendable because its state is locked.
open class CBMutableDescriptor: CBDescriptor, @unchecked Sendable {
  /// Makes a descriptor: 2901 with a `String`, 2904 with `Data`, or a custom one with either.
  public init(type UUID: CBUUID, value: Any?) { super.init(uuid: UUID, value: value) }
}

/// The operations of centrals on the value of a local characteristic.
public struct CBAttributePermissions: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt

  /// Makes a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Centrals may read the value.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// Centrals may write the value.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// Centrals may read the value over an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// Centrals may write the value over an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
