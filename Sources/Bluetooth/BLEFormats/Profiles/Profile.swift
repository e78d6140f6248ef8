// SPDX-License-Identifier: MIT

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
