// SPDX-License-Identifier: MIT
import DBus
import Testing

// SPDX-License-Identifier: MIT
@testable import BlueZClient

@Suite("DeviceState")
struct DeviceStateTests {
  @Test(
    "The name is an alias that a user chose, else the device's own; the address with dashes is not a name",
    arguments: [
      ("Heart Strap", "My strap", "My strap"), ("Heart Strap", nil, "Heart Strap"),
      ("Heart Strap", "F0-F1-F2-F3-F4-F5", "Heart Strap"), ("Heart Strap", "Heart Strap", "Heart Strap"),
      (nil, "My strap", "My strap"),
      (nil, "F0-F1-F2-F3-F4-F5", nil), (nil, "F0:F1:F2:F3:F4:F5", nil), (nil, nil, nil),
      ("F0-F1-F2-F3-F4-F5", "F0-F1-F2-F3-F4-F5", "F0-F1-F2-F3-F4-F5"),
      (nil, "F0-F1-F2-F3-F4", "F0-F1-F2-F3-F4"),
    ] as [(String?, String?, String?)])
  func displayName(name: String?, alias: String?, shown: String?) {
    var record = DeviceState(path: "/device")
    record.name = name
    record.alias = alias
    #expect(record.displayName == shown)
  }
}

@Suite("DeviceStore")
struct DeviceStoreTests {
  private static func path(_ number: Int) -> String { "/org/bluez/hci0/dev_\(number)" }

  private static func address(_ number: Int) -> String { "C2:BE:7C:00:00:0\(number)" }

  /// The answer of GetManagedObjects about two devices, the first with a battery, which BlueZ may list before or after it.
  private static var model: ObjectModel {
    var model = ObjectModel()
    model.replace([
      path(1): [
        "org.bluez.Battery1": ["Percentage": .byte(42)],
        "org.freedesktop.DBus.Introspectable": [:],
        "org.bluez.Device1": [
          "Address": .string(address(1)), "Name": .string("One"), "RSSI": .string("loud"),
        ],
      ],
      path(2): ["org.bluez.Device1": ["Name": .string("Two"), "Address": .string(address(2))]],
      "/org/bluez/hci0": ["org.bluez.Adapter1": ["Address": .string(address(0))]],
    ])
    return model
  }

  @Test("A device is read when it is asked for, with the interfaces beside its own")
  func one() {
    let model = Self.model
    #expect(model.devices[Self.path(1)]?.name == "One")
    #expect(model.devices[Self.path(1)]?.batteryLevel == 42)
    #expect(model.devices["/org/bluez/hci0"] == nil)
    #expect(model.devices.contains(Self.path(2)) && !model.devices.contains("/org/bluez/hci0"))
  }

  @Test("A device is found by its address, wherever that stands among its properties")
  func byAddress() throws {
    var model = Self.model
    let second = try #require(BluetoothAddress(Self.address(2)))
    #expect(model.devices.paths(of: second) == [Self.path(2)])
    model.devices.load(Self.path(2))
    #expect(model.devices.paths(of: second) == [Self.path(2)])
    #expect(model.devices.paths(of: try #require(BluetoothAddress(Self.address(0)))).isEmpty)
  }

  @Test("Every device is reported, read before or not")
  func everyOne() {
    var model = Self.model
    model.devices.load(Self.path(1))
    var names: Set<String> = []
    model.devices.forEach { names.insert($0.name ?? "") }
    #expect(names == ["One", "Two"])
  }

  @Test("Wrong properties of a device are logged when it is read")
  func mismatches() {
    var model = Self.model
    #expect(model.takeMismatches().isEmpty)
    model.devices.load(Self.path(1))
    #expect(model.takeMismatches().map(\.property) == ["RSSI"])
    #expect(model.takeMismatches().isEmpty)
  }

  @Test("A change is applied on top of what the answer said")
  func change() {
    var model = Self.model
    #expect(
      model.change(Self.path(2), "org.bluez.Device1", ["RSSI": .int16(-40)])
        == ["device \(Self.path(2)) \(AdvertisementChange.rssi.rawValue)"])
    #expect(model.devices[Self.path(2)]?.rssi == -40)
    #expect(model.devices[Self.path(2)]?.name == "Two")
  }

  @Test("A device that changed last is found again after others came, went, and were replaced")
  func changesInTurn() {
    var model = Self.model
    var power: Int16 = 0
    func strengthens(_ number: Int) -> Int16? {
      let path = Self.path(number)
      let rssi = Int16(number - 100)
      _ = model.change(path, "org.bluez.Device1", ["RSSI": .int16(rssi)])
      // A copy of the model shares its devices until one of them changes.
      let copy = model
      power += 1
      _ = model.change(path, "org.bluez.Device1", ["TxPower": .int16(power)])
      #expect(copy.devices[path]?.txPower != power)
      #expect(model.devices[path].map { $0.txPower == power } ?? true)
      return model.devices[path]?.rssi
    }
    #expect(strengthens(2) == -98)
    for number in 3..<60 {
      _ = model.add(Self.path(number), ["org.bluez.Device1": ["Address": .string(Self.address(3))]])
      #expect(strengthens(2) == -98)
    }
    for number in 3..<60 where number % 2 == 0 { _ = model.remove(Self.path(number), ["org.bluez.Device1"]) }
    #expect(strengthens(1) == -99)
    _ = model.remove(Self.path(1), ["org.bluez.Device1"])
    #expect(strengthens(1) == nil)
    #expect(strengthens(2) == -98)
  }

  @Test("A removed device is gone, and reported in its last state")
  func removal() {
    var model = Self.model
    #expect(model.remove(Self.path(2), ["org.bluez.Device1"]) == ["device removed \(Self.path(2))"])
    #expect(!model.devices.contains(Self.path(2)))
    #expect(model.devices[Self.path(2)] == nil)
  }
}
