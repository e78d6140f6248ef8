// SPDX-License-Identifier: MIT

/// A characteristic or a descriptor with a name of your own, and the layout of its values.
public struct ProfileCharacteristic: Sendable {
  /// Its UUID.
  public var uuid: BluetoothUUID
  /// The service in which it has this meaning; nil for any.
  public var service: BluetoothUUID?
  /// The devices on which it has this meaning: an address, a name, or a shell pattern of names such as `Sensor-*`;
  /// nil for all.
  public var device: String? { didSet { pattern = device.map { DevicePattern($0) } } }
  /// The name.
  public var name: String
  /// The layout of its values; nil if they have none.
  public var layout: ValueLayout?

  private var pattern: DevicePattern?

  /// Creates a characteristic or a descriptor; each parameter sets the property of its name.
  public init(
    uuid: BluetoothUUID, service: BluetoothUUID? = nil, device: String? = nil, name: String,
    layout: ValueLayout? = nil
  ) {
    (self.uuid, self.service, self.device, self.name, self.layout) = (uuid, service, device, name, layout)
    pattern = device.map { DevicePattern($0) }
  }

  /// Returns whether this is its meaning in a service of a device; one that is nil is not known, and matches
  /// only no condition.
  func applies(in service: BluetoothUUID?, on device: ProfileSubject?) -> Bool {
    if let wanted = self.service, wanted != service { return false }
    return pattern?.matches(device) ?? true
  }

  /// The degree to which its meaning is restricted.
  var specificity: Int { (device == nil ? 0 : 2) + (service == nil ? 0 : 1) }
}
