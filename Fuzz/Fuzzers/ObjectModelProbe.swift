// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZClient
internal import DBus

/// The object model's doors for the fuzzers, which hand it bytes that no bus would deliver.
enum ObjectModelProbe {
  /// What the answer of GetManagedObjects goes through.
  static func replace(_ body: MessageBody) {
    var model = ObjectModel()
    model.replace(with: body)
    if let address = BluetoothAddress("C2:BE:7C:00:00:01") { _ = model.devices.paths(of: address) }
    model.devices.forEach { _ in }
    model.devices.load("/org/bluez/hci0/dev_00_00_00_00_00_00")
    _ = model.takeMismatches()
  }

  /// What InterfacesAdded goes through.
  static func added(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesAdded(&reader)
  }

  /// What InterfacesRemoved goes through.
  static func removed(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesRemoved(&reader)
  }

  /// What PropertiesChanged goes through, for an object that is known in each of its parts.
  static func changed(_ reader: inout WireReader) {
    let path = "/org/bluez/hci0"
    var model = ObjectModel.knowingEverything(at: path)
    _ = model.propertiesChanged(path, &reader)
    _ = model.takeMismatches()
  }
}
