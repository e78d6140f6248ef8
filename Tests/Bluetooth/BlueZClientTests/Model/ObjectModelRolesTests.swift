// SPDX-License-Identifier: MIT
import DBus
import Testing

// SPDX-License-Identifier: MIT
@testable import BlueZClient

@Suite("ObjectModel for both roles")
struct ObjectModelRolesTests {
  private let adapter = SampleTree.adapter
  private let device = SampleTree.device

  // MARK: Adapters

  @Test("The managers of an adapter may come before it, with it and after it, and go alone")
  func managers() {
    var model = ObjectModel()
    #expect(model.add(adapter, ["org.bluez.GattManager1": [:]]) == [])
    #expect(
      model.add(
        adapter, ["org.bluez.AdvertisementMonitorManager1": [:], "org.bluez.Adapter1": [:]])
        == ["adapter \(adapter)"])
    #expect(model.adapters[adapter]?.managers == [.services, .monitors])
    #expect(model.add(adapter, ["org.bluez.LEAdvertisingManager1": [:]]) == ["adapter \(adapter)"])
    #expect(model.adapters[adapter]?.managers == [.services, .monitors, .advertising])
    #expect(model.remove(adapter, ["org.bluez.GattManager1"]) == ["adapter \(adapter)"])
    #expect(model.adapters[adapter]?.managers == [.monitors, .advertising])
  }

  @Test("The managers are known from the answer of GetManagedObjects, too")
  func answered() {
    var model = ObjectModel()
    model.replace(SampleTree.all)
    #expect(model.adapters[adapter]?.managers == .services)
    #expect(model.adapters[adapter]?.roles == ["central"])
  }

  @Test(
    "The version of BlueZ is that of the device id, unless that is another one",
    arguments: [
      ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1D6Bp0246d0552", "5.82"), ("usb:v05ACp0001d0001", nil),
    ])
  func version(_ modalias: String, _ version: String?) {
    var model = ObjectModel()
    _ = model.add(adapter, ["org.bluez.Adapter1": ["Modalias": .string(modalias)]])
    #expect(model.adapters[adapter]?.version?.description == version)
  }

  // MARK: Links

  @Test("A link that opens and ends is reported once each")
  func links() {
    var model = ObjectModel()
    _ = model.add(device, ["org.bluez.Device1": ["Connected": .boolean(false)]])
    for (isConnected, link) in [(true, "opened"), (true, nil), (false, "lost"), (false, nil)] {
      let changes = model.change(device, "org.bluez.Device1", ["Connected": .boolean(isConnected)])
      #expect(changes == ["device \(device) 0"] + (link.map { ["link \($0) \(device)"] } ?? []))
    }
  }

  @Test("A device that comes with a link is reported with it, once")
  func linkOfNewDevice() {
    var model = ObjectModel()
    let properties: Interfaces = ["org.bluez.Device1": ["Connected": .boolean(true)]]
    #expect(model.add(device, properties) == ["device added \(device)", "link opened \(device)"])
    #expect(model.add(device, properties) == ["device added \(device)"])
  }

  @Test("The devices with a link are found among those that are not decoded yet, and among the others")
  func connected() {
    var model = ObjectModel()
    let (one, two, three) = (device + "1", device + "2", device + "3")
    model.replace([
      three: ["org.bluez.Device1": ["Connected": .boolean(true)]],
      one: ["org.bluez.Device1": ["Connected": .boolean(true)]],
      two: ["org.bluez.Device1": ["Connected": .boolean(false)]],
    ])
    #expect(model.devices.connected.map(\.path) == [one, three])
    _ = model.change(two, "org.bluez.Device1", ["Connected": .boolean(true)])
    _ = model.change(three, "org.bluez.Device1", ["Connected": .boolean(false)])
    #expect(model.devices.connected.map(\.path) == [one, two])
  }

  // MARK: Without advertisements

  @Test("A client that does not scan keeps nothing of an advertisement but the name")
  func withoutAdvertisements() {
    var model = ObjectModel(keepsAdvertisements: false)
    model.replace(SampleTree.all)
    #expect(model.change(device, "org.bluez.Device1", ["RSSI": .int16(-1)]) == [])
    #expect(
      model.change(device, "org.bluez.Device1", ["RSSI": .int16(-2), "Name": .string("New")])
        == ["device \(device) 16"])
    #expect(model.devices[device]?.name == "New")
    #expect(
      model.change(device, "org.bluez.Device1", ["TxPower": .int16(-2), "Connected": .boolean(false)])
        == ["device \(device) 0", "link lost \(device)"])
    let other = device + "0"
    _ = model.add(
      other, ["org.bluez.Device1": ["RSSI": .int16(-1), "Name": .string("Other"), "Bonded": .boolean(true)]])
    #expect(model.devices[other]?.rssi == nil)
    #expect(model.devices[other]?.name == "Other")
    #expect(model.devices[other]?.isBonded == true)
  }
}
