// SPDX-License-Identifier: MIT
internal import DBus

/// The battery of a device (`Battery1`), which the daemon reads by itself.
final class BatteryObject: ExportedInterface {
  let description = InterfaceDescription.battery
  var percentage: UInt8

  init(_ percentage: UInt8) { self.percentage = percentage }

  func value(of property: String) -> DBusValue? { property == "Percentage" ? .byte(percentage) : nil }
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
      let battery = BatteryObject(level)
      self.battery = battery
      daemon.tree.register(battery, at: path)
    }
  }
}
