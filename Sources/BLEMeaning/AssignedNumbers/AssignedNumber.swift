// SPDX-License-Identifier: MIT

/// A number with an assigned meaning: a UUID, a company identifier or an appearance value.
public struct AssignedNumber: Sendable, Hashable {
  /// The kind of thing that a number identifies.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A GATT service.
    case service
    /// A GATT characteristic.
    case characteristic
    /// A GATT descriptor.
    case descriptor
    /// An attribute that declares a service, an include or a characteristic.
    case declaration
    /// A UUID that a member of the SIG bought, usually for its own service; the name is that of the member.
    case member
    /// A UUID of another standards organisation.
    case standard
    /// A unit of Characteristic Presentation Format.
    case unit
    /// A type of object in the Object Transfer service.
    case objectType = "object-type"
    /// A profile of Bluetooth Mesh.
    case meshProfile = "mesh-profile"
    /// A service class or profile of BR/EDR.
    case serviceClass = "service-class"
    /// A protocol of BR/EDR.
    case networkProtocol = "protocol"
    /// A company identifier, as in manufacturer data; not a UUID.
    case company
    /// An appearance value; not a UUID.
    case appearance

    /// Whether the numbers of this kind are UUIDs.
    public var isUUID: Bool { self != .company && self != .appearance }
  }

  /// The party that assigned the number.
  public enum Origin: String, Sendable, Hashable {
    /// The Bluetooth SIG.
    case sig
    /// A vendor that has published the meaning of its UUID.
    case vendor
  }

  /// The number itself.
  public enum Number: Sendable, Hashable {
    /// A UUID.
    case uuid(BluetoothUUID)
    /// A company identifier or an appearance value.
    case value(UInt16)
  }

  /// The kind of thing that the number identifies.
  public let kind: Kind
  /// The number.
  public let number: Number
  /// Its name: `Heart Rate`.
  public let name: String
  /// The party that assigned it.
  public let origin: Origin

  /// The UUID; nil for companies and appearances.
  public var uuid: BluetoothUUID? {
    if case .uuid(let uuid) = number { uuid } else { nil }
  }
}
