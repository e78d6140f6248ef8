// SPDX-License-Identifier: MIT

/// A number that somebody has given a meaning: a UUID, a company identifier or an appearance value.
public struct AssignedNumber: Sendable, Hashable {
  /// What a number stands for.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A GATT service.
    case service
    /// A GATT characteristic.
    case characteristic
    /// A GATT descriptor.
    case descriptor
    /// An attribute that declares a service, an include or a characteristic.
    case declaration
    /// A UUID that a member of the SIG bought, mostly for its own service; the name is the member's.
    case member
    /// A UUID of another standards organisation.
    case standard
    /// A unit, as Characteristic Presentation Format names it.
    case unit
    /// A type of object in the Object Transfer service.
    case objectType = "object-type"
    /// A profile of Bluetooth Mesh.
    case meshProfile = "mesh-profile"
    /// A service class or profile of BR/EDR.
    case serviceClass = "service-class"
    /// A protocol of BR/EDR.
    case networkProtocol = "protocol"
    /// A company identifier, as in manufacturer data: not a UUID.
    case company
    /// An appearance value: not a UUID.
    case appearance

    /// Whether the numbers of this kind are UUIDs.
    public var isUUID: Bool { self != .company && self != .appearance }
  }

  /// Who gave the number its meaning.
  public enum Origin: String, Sendable, Hashable {
    /// The Bluetooth SIG.
    case sig
    /// A vendor, who has published what its own UUID stands for.
    case vendor
  }

  /// The number itself.
  public enum Number: Sendable, Hashable {
    /// A UUID.
    case uuid(BluetoothUUID)
    /// A company identifier or an appearance value.
    case value(UInt16)
  }

  /// What the number stands for.
  public let kind: Kind
  /// The number.
  public let number: Number
  /// Its name: `Heart Rate`.
  public let name: String
  /// Who gave it.
  public let origin: Origin

  /// The UUID; nil for companies and appearances.
  public var uuid: BluetoothUUID? {
    if case .uuid(let uuid) = number { uuid } else { nil }
  }
}
