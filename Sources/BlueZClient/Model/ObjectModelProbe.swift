// SPDX-License-Identifier: MIT
internal import BLECore
package import DBus

/// Lets the fuzzers pass bytes to the object model that no bus would deliver.
package enum ObjectModelProbe {
  package static func replace(_ body: MessageBody) {
    var model = ObjectModel()
    model.replace(with: body)
    if let address = BluetoothAddress("C2:BE:7C:00:00:01") { _ = model.devices.paths(of: address) }
    model.devices.forEach { _ in }
    model.devices.load("/org/bluez/hci0/dev_00_00_00_00_00_00")
    _ = model.takeMismatches()
  }

  package static func added(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesAdded(&reader)
  }

  package static func removed(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesRemoved(&reader)
  }

  /// As PropertiesChanged, for an object that has every interface.
  package static func changed(_ reader: inout WireReader) {
    let path = "/org/bluez/hci0"
    var model = ObjectModel.knowingEverything(at: path)
    _ = model.propertiesChanged(path, &reader)
    _ = model.takeMismatches()
  }
}
