// SPDX-License-Identifier: MIT
internal import JSON

/// Names and layouts of your own: what one profile file contains.
///
/// ```swift
/// let profile = Profile(characteristics: [
///   ProfileCharacteristic(
///     uuid: imu, name: "imu", layout: try ValueLayout(compact: "ax=i16*0.001g ay=i16*0.001g az=i16*0.001g"))
/// ])
/// Profiles([profile]).layout(for: imu)?.decode(bytes).text     // "ax 0.012 g, ay -0.004 g, az 0.998 g"
/// ```
///
/// ``Profiles`` looks names and layouts up in several profiles.
public struct Profile: Sendable {
  /// The origin of the profile for people, such as the path of its file; empty if it was made by a program.
  public var source: String
  /// Devices with a name of your own.
  public var devices: [ProfileDevice]
  /// Services with a name of your own.
  public var services: [ProfileService]
  /// Characteristics, with names and layouts.
  public var characteristics: [ProfileCharacteristic]
  /// Descriptors, with names and layouts.
  public var descriptors: [ProfileCharacteristic]
  /// Manufacturer data and service data of advertisements, with layouts.
  public var advertisements: [ProfileAdvertisement]

  /// Creates a profile; each parameter sets the property of its name.
  public init(
    source: String = "", devices: [ProfileDevice] = [], services: [ProfileService] = [],
    characteristics: [ProfileCharacteristic] = [], descriptors: [ProfileCharacteristic] = [],
    advertisements: [ProfileAdvertisement] = []
  ) {
    (self.source, self.devices, self.services) = (source, devices, services)
    (self.characteristics, self.descriptors) = (characteristics, descriptors)
    self.advertisements = advertisements
  }
}

/// A device with a name of your own.
public struct ProfileDevice: Sendable, Hashable {
  /// The name.
  public var name: String
  /// Its address: the public one, or a random one that stays the same; nil if ``identity`` tells it.
  public var address: BluetoothAddress?
  /// The name of the identity key that resolves its private addresses; nil if ``address`` tells it.
  public var identity: String?
  /// Remarks for people, without any effect.
  public var notes: String?

  /// Creates a device; each parameter sets the property of its name.
  public init(name: String, address: BluetoothAddress? = nil, identity: String? = nil, notes: String? = nil) {
    (self.name, self.address, self.identity, self.notes) = (name, address, identity, notes)
  }
}

/// A service with a name of your own.
public struct ProfileService: Sendable, Hashable {
  /// Its UUID.
  public var uuid: BluetoothUUID
  /// The name.
  public var name: String

  /// Creates a service; each parameter sets the property of its name.
  public init(uuid: BluetoothUUID, name: String) {
    (self.uuid, self.name) = (uuid, name)
  }
}

/// The reason that the text of a profile is invalid.
public struct ProfileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, line and column, the JSON pointer, and what was expected; or the number of mistakes.
  ///
  /// For example `lamp.json:3:14: /characteristics/0/uuid: expected a UUID such as …, found "lamp"`.
  public let description: String
  /// At most 20 mistakes, each described like a single one; empty if there is only one.
  public let mistakes: [String]

  init(_ source: String, _ error: JSONError) {
    let report = JSONReport(error, in: source)
    (description, mistakes) = (report.summary, report.mistakes)
  }

  /// Creates the error of a file that cannot be read.
  package init(_ source: String, cause: String) {
    (description, mistakes) = ("\(source): \(cause)", [])
  }
}
