// SPDX-License-Identifier: MIT
internal import DBus

/// The battery of a device (`Battery1`), which the daemon reads by itself.
final class BatteryObject: ExportedInterface {
  let description: InterfaceDescription
  var percentage: UInt8

  init(_ percentage: UInt8, version: BlueZRelease) {
    self.percentage = percentage
    description = InterfaceDescription.battery[version]
  }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "Percentage": .byte(percentage)
    case "Source": .string("GATT Battery Service")
    default: nil
    }
  }
}

extension DeviceObject {
  /// Shows, changes or removes the level; an invalid percentage is ignored.
  func setBattery(_ level: UInt8?) {
    guard let level, level <= 100 else {
      if battery != nil, level == nil {
        battery = nil
        daemon.tree.unregister(BlueZName.battery, at: path)
      }
      return
    }
    if let battery {
      guard battery.percentage != level else { return }
      battery.percentage = level
      daemon.tree.changed("Percentage", of: BlueZName.battery, at: path)
    } else {
      let battery = BatteryObject(level, version: daemon.version)
      self.battery = battery
      daemon.tree.register(battery, at: path)
    }
  }
}
