// SPDX-License-Identifier: MIT
internal import AsyncIO
public import Foundation

/// A characteristic of this machine.
open class CBMutableCharacteristic: CBCharacteristic, @unchecked Sendable {
  private struct Changes {
    var properties: CBCharacteristicProperties
    var permissions: CBAttributePermissions
    var subscribers: [CBCentral] = []
  }

  private let changes: Lock<Changes>
  /// Whether the value is served without the delegate.
  let isCached: Bool

  /// Makes a characteristic.
  ///
  /// - Parameters:
  ///   - UUID: the kind of value.
  ///   - properties: the operations that it permits.
  ///   - value: a value that never changes, which is served without the delegate; nil leaves reads to the delegate.
  ///   - permissions: what centrals may do with the value. A value that never changes must be read-only, or the program
  ///     ends.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?,
    permissions: CBAttributePermissions
  ) {
    let isReadOnly =
      properties == .read && permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
    // A release build prints the text of 'fatalError' only.
    if value != nil, !isReadOnly { fatalError("Characteristics with cached values must be read-only") }
    changes = Lock(Changes(properties: properties, permissions: permissions))
    isCached = value != nil
    super.init(uuid: UUID, properties: properties, value: value)
  }

  /// What centrals may do with the value.
  open var permissions: CBAttributePermissions {
    get { changes.withLock { $0.permissions } }
    set { changes.withLock { $0.permissions = newValue } }
  }

  /// The operations that it permits.
  open override var properties: CBCharacteristicProperties {
    get { changes.withLock { $0.properties } }
    set { changes.withLock { $0.properties = newValue } }
  }

  /// The value, which the program keeps for itself unless it was given at the beginning.
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

  /// The centrals that have subscribed, as far as BlueZ lets it be known; nil before the service is published.
  open var subscribedCentrals: [CBCentral]? { changes.withLock { $0.subscribers } }

  /// Adds or removes a central.
  ///
  /// - Returns: whether that has changed anything.
  func setSubscribed(_ isOn: Bool, _ central: CBCentral) -> Bool {
    let (hasChanged, _) = changes.withLock { changes -> (Bool, CBCentral?) in
      guard let index = changes.subscribers.firstIndex(of: central) else {
        if isOn { changes.subscribers.append(central) }
        return (isOn, nil)
      }
      return isOn ? (false, nil) : (true, changes.subscribers.remove(at: index))
    }
    return hasChanged
  }

  func removeSubscribers() -> [CBCentral] { changes.exchange(\.subscribers, []) }
}
