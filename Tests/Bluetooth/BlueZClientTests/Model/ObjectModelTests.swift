// SPDX-License-Identifier: MIT
import DBus
import Testing

// SPDX-License-Identifier: MIT
@testable import BlueZClient

@Suite("ObjectModel")
struct ObjectModelTests {
  private let adapter = SampleTree.adapter
  private let device = SampleTree.device
  private let characteristic = SampleTree.characteristic

  private func fullModel() -> ObjectModel {
    var model = ObjectModel()
    model.replace(SampleTree.all)
    return model
  }

  // MARK: Snapshot

  @Test("A snapshot fills every record, and leaves out invalid UUIDs and data that is not bytes")
  func snapshot() throws {
    var model = fullModel()
    #expect(model.takeMismatches().isEmpty)
    let adapter = try #require(model.adapters[adapter])
    #expect(adapter.identifier == "hci0")
    #expect(adapter.address == "00:AA:01:00:00:00")
    #expect(adapter.name == "BlueZ 5.66")
    #expect(adapter.alias == "desk")
    #expect(adapter.isPowered)
    #expect(!adapter.isDiscovering)
    #expect(adapter.powerState == "on")

    let device = try #require(model.devices[device])
    #expect(device.address == BluetoothAddress("F0:F1:F2:F3:F4:F5"))
    #expect(device.addressType == .random)
    #expect(device.name == "Heart Strap")
    #expect(device.alias == "Strap")
    #expect(device.icon == "heart")
    #expect(device.appearance == 833)
    #expect(device.deviceClass == 0x240404)
    #expect(device.modalias == "bluetooth:v1p2d3")
    #expect(device.uuids == [.heartRate])
    #expect(device.isPaired && device.isBonded && device.isTrusted && device.isBlocked)
    #expect(device.isConnected && device.isResolved)
    #expect(device.adapterPath == self.adapter)
    #expect(device.rssi == -61)
    #expect(device.txPower == 4)
    #expect(device.advertisingFlags == [6])
    #expect(device.manufacturerData == [0x0157: [1, 2]])
    #expect(device.serviceData == [.heartRate: [3]])
    #expect(device.batteryLevel == 87)
  }

  @Test("A snapshot fills the records of attributes")
  func attributes() throws {
    let model = fullModel()
    let service = try #require(model.services[SampleTree.service])
    #expect(service.uuid == .heartRate)
    #expect(service.devicePath == device)
    #expect(!service.isPrimary)
    #expect(service.includes == [SampleTree.service + "x"])
    #expect(service.handle == 0x10)
    let characteristic = try #require(model.characteristics[characteristic])
    #expect(characteristic.uuid == .heartRateMeasurement)
    #expect(characteristic.servicePath == SampleTree.service)
    #expect(characteristic.properties == [.read, .notify])
    #expect(characteristic.handle == 0x11)
    #expect(characteristic.mtu == 247)
    let descriptor = try #require(model.descriptors[SampleTree.descriptor])
    #expect(descriptor.uuid == .clientCharacteristicConfiguration)
    #expect(descriptor.characteristicPath == self.characteristic)
    #expect(descriptor.handle == 0x13)
  }

  @Test("A snapshot replaces everything that was known")
  func replacement() {
    var model = fullModel()
    model.replace(["/org/bluez/hci1": ["org.bluez.Adapter1": [:]]])
    #expect(Array(model.adapters.keys) == ["/org/bluez/hci1"])
    #expect(model.devices.isEmpty)
    #expect(model.services.isEmpty)
    #expect(model.characteristics.isEmpty)
    #expect(model.descriptors.isEmpty)
  }

  // MARK: Added

  @Test("Objects that come are reported by their kind, those of unknown interfaces not at all")
  func added() {
    var model = ObjectModel()
    #expect(model.add(adapter, ["org.bluez.Adapter1": ["Powered": .boolean(true)]]) == ["adapter \(adapter)"])
    #expect(model.add(adapter, ["org.bluez.Media1": ["SupportedUUIDs": .strings([])]]) == [])
    #expect(
      model.add(device, SampleTree.deviceInterfaces)
        == ["device added \(device)", "link opened \(device)", "device \(device) 0"])
    #expect(
      model.add(SampleTree.service, ["org.bluez.GattService1": ["Device": .objectPath(device)]])
        == ["services of \(device)"])
    #expect(model.add(characteristic, ["org.bluez.GattCharacteristic1": [:]]) == ["attributes"])
    #expect(model.add(SampleTree.descriptor, ["org.bluez.GattDescriptor1": [:]]) == ["attributes"])
    #expect(model.devices[device]?.batteryLevel == 87)
  }

  @Test("An object that is added again begins afresh, but keeps the battery that was added beside it")
  func addedAgain() {
    var model = fullModel()
    #expect(model.add(device, ["org.bluez.Device1": ["RSSI": .int16(-1)]]) == ["device added \(device)"])
    #expect(model.devices[device]?.rssi == -1)
    #expect(model.devices[device]?.name == nil)
    #expect(model.devices[device]?.batteryLevel == 87)
  }

  @Test("A battery comes and goes with its own interface; without a device it is ignored")
  func battery() {
    var model = fullModel()
    #expect(model.remove(device, ["org.bluez.Battery1"]) == [])
    #expect(model.devices[device]?.batteryLevel == nil)
    #expect(
      model.add(device, ["org.bluez.Battery1": ["Percentage": .byte(12)]]) == ["device \(device) 0"])
    #expect(model.devices[device]?.batteryLevel == 12)
    #expect(model.change(device, "org.bluez.Battery1", ["Percentage": .byte(11)]) == ["device \(device) 0"])
    #expect(model.devices[device]?.batteryLevel == 11)
    #expect(model.add("/nobody", ["org.bluez.Battery1": ["Percentage": .byte(1)]]) == [])
    #expect(model.devices["/nobody"] == nil)
  }

  // MARK: Removed

  @Test("Objects that go are reported once, and only those that were known")
  func removed() {
    var model = fullModel()
    #expect(
      model.remove(device, ["org.bluez.Device1", "org.bluez.Battery1"]) == ["device removed \(device)"])
    #expect(model.remove(device, ["org.bluez.Device1"]) == [])
    #expect(model.remove(adapter, ["org.bluez.Media1"]) == [])
    #expect(model.remove(adapter, ["org.bluez.Adapter1"]) == ["adapter removed \(adapter)"])
    #expect(
      model.remove(SampleTree.service, ["org.bluez.GattService1"])
        == ["attribute removed \(SampleTree.service)", "services of \(device)"])
    #expect(model.remove(SampleTree.service, ["org.bluez.GattService1"]) == [])
    for (path, interface) in [
      (characteristic, "org.bluez.GattCharacteristic1"),
      (SampleTree.descriptor, "org.bluez.GattDescriptor1"),
    ] {
      #expect(model.remove(path, [interface]) == ["attribute removed \(path)"])
      #expect(model.remove(path, [interface]) == [])
    }
  }

  // MARK: Changed

  @Test("Changed properties are applied, and those of an advertisement named")
  func changed() {
    var model = fullModel()
    #expect(model.change(device, "org.bluez.Device1", ["RSSI": .int16(-80)]) == ["device \(device) 1"])
    #expect(
      model.change(device, "org.bluez.Device1", ["Name": .string("New"), "TxPower": .int16(0)])
        == ["device \(device) 18"])
    #expect(
      model.change(device, "org.bluez.Device1", ["ServicesResolved": .boolean(false)])
        == ["device \(device) 0"])
    #expect(model.devices[device]?.rssi == -80)
    #expect(model.devices[device]?.name == "New")
    #expect(model.devices[device]?.isResolved == false)
    #expect(
      model.change(adapter, "org.bluez.Adapter1", ["Discovering": .boolean(true)]) == ["adapter \(adapter)"])
    #expect(model.adapters[adapter]?.isDiscovering == true)
  }

  @Test("A link that BlueZ does not signal is known by its services, or by the answer to a question")
  func hiddenLink() {
    var model = fullModel()
    let end: KeyValuePairs<String, DBusValue> = [
      "ServicesResolved": .boolean(false), "Connected": .boolean(false),
    ]
    #expect(model.linkExists(device).isEmpty)
    _ = model.change(device, "org.bluez.Device1", end)
    #expect(
      model.change(device, "org.bluez.Device1", ["ServicesResolved": .boolean(true)])
        == ["device \(device) 0", "link opened \(device)"])
    #expect(
      model.change(device, "org.bluez.Device1", ["Connected": .boolean(true)]) == ["device \(device) 0"])
    #expect(model.change(device, "org.bluez.Device1", end) == ["device \(device) 0", "link lost \(device)"])
    #expect(model.linkExists(device).map(\.words) == ["device \(device) 0", "link opened \(device)"])
    #expect(model.devices[device]?.isConnected == true)
    #expect(model.linkExists(device + "x").isEmpty)
  }

  @Test("The end of a link is reported once")
  func linkLost() {
    var model = fullModel()
    let end: KeyValuePairs<String, DBusValue> = [
      "ServicesResolved": .boolean(false), "Connected": .boolean(false),
    ]
    #expect(model.change(device, "org.bluez.Device1", end) == ["device \(device) 0", "link lost \(device)"])
    #expect(model.change(device, "org.bluez.Device1", end) == ["device \(device) 0"])
  }

  @Test(
    "A property that is invalidated is forgotten, and advertises nothing",
    arguments: [
      "RSSI", "TxPower", "ManufacturerData", "ServiceData", "Name", "Icon", "Appearance", "Class", "Modalias",
      "AdvertisingFlags",
    ])
  func invalidated(property: String) throws {
    func isKnown(_ device: DeviceState) -> Bool {
      switch property {
      case "RSSI": device.rssi != nil
      case "TxPower": device.txPower != nil
      case "ManufacturerData": !device.manufacturerData.isEmpty
      case "ServiceData": !device.serviceData.isEmpty
      case "Name": device.name != nil
      case "Icon": device.icon != nil
      case "Appearance": device.appearance != nil
      case "Class": device.deviceClass != nil
      case "Modalias": device.modalias != nil
      default: device.advertisingFlags != nil
      }
    }
    var model = fullModel()
    #expect(isKnown(try #require(model.devices[device])))
    #expect(
      model.change(device, "org.bluez.Device1", [:], invalidated: [property]) == ["device \(device) 0"])
    #expect(!isKnown(try #require(model.devices[device])))
  }

  @Test("Invalidated keys that were never seen do no harm")
  func invalidatedUnseen() {
    var model = ObjectModel()
    _ = model.add(device, ["org.bluez.Device1": ["Alias": .string("x")]])
    #expect(
      model.change(device, "org.bluez.Device1", [:], invalidated: ["RSSI", "Sets", "Percentage", "Alias"])
        == ["device \(device) 0"])
    #expect(model.devices[device]?.alias == "x")
  }

  // MARK: Values

  @Test("A signalled value is reported as such, whatever comes with it, and nothing of that is lost")
  func values() {
    var model = fullModel()
    let interface = "org.bluez.GattCharacteristic1"
    #expect(
      model.change(characteristic, interface, ["Value": .bytes([0, 60])]) == [
        "value \(characteristic) [0, 60]"
      ])
    #expect(model.change(characteristic, interface, ["Value": .bytes([])]) == ["value \(characteristic) []"])
    #expect(model.change(characteristic, interface, ["Notifying": .boolean(true)]) == ["attributes"])
    #expect(
      model.change(characteristic, interface, ["Value": .bytes([1])], invalidated: ["MTU"])
        == ["value \(characteristic) [1]"])
    #expect(model.characteristics[characteristic]?.mtu == nil)
    #expect(model.change(characteristic, interface, ["MTU": .uint16(23)]) == ["attributes"])
    #expect(model.characteristics[characteristic]?.mtu == 23)
    #expect(model.change(characteristic, interface, [:], invalidated: ["MTU"]) == ["attributes"])
    #expect(model.characteristics[characteristic]?.mtu == nil)
  }

  // MARK: What is not known

  @Test(
    "Changes of unknown objects and of unknown interfaces are ignored",
    arguments: [
      "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.Battery1", "org.bluez.GattService1",
      "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1", "org.bluez.Unheard1",
    ])
  func unknown(interface: String) {
    var model = ObjectModel()
    #expect(model.change("/nobody", interface, ["Value": .byte(1), "RSSI": .byte(1)]) == [])
    #expect(model.adapters.isEmpty && model.devices.isEmpty && model.characteristics.isEmpty)
    #expect(model.takeMismatches().isEmpty)
  }
}
