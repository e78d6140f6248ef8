// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Profiles")
struct ProfilesTests {
  private static let imu = BluetoothUUID(short: 0xfff1)
  private static let service = BluetoothUUID(short: 0xfff0)

  private static func entry(
    _ name: String, in service: BluetoothUUID? = nil, on device: String? = nil
  ) throws
    -> ProfileCharacteristic
  {
    ProfileCharacteristic(
      uuid: imu, service: service, device: device, name: name, layout: try ValueLayout(compact: "\(name)=u8"))
  }

  @Test("The first profile wins, and in one profile the entry that names device and service")
  func precedence() throws {
    let first = Profile(characteristics: [
      try Self.entry("any"), try Self.entry("service", in: Self.service),
      try Self.entry("device", on: "Sensor-*"),
    ])
    let second = Profile(characteristics: [try Self.entry("second", in: Self.service, on: "Sensor-1")])
    let profiles = Profiles([first, second])
    let sensor = ProfileSubject(names: ["x", "Sensor-1"])
    let names = [
      profiles.name(ofCharacteristic: Self.imu),
      profiles.name(ofCharacteristic: Self.imu, service: Self.service),
      profiles.name(ofCharacteristic: Self.imu, service: Self.service, device: sensor),
      profiles.name(
        ofCharacteristic: Self.imu, service: .heartRate, device: ProfileSubject(names: ["Other"])),
    ]
    #expect(names == ["any", "service", "device", "any"])
    let reversed = Profiles([second, first])
    #expect(reversed.name(ofCharacteristic: Self.imu, service: Self.service, device: sensor) == "second")
    #expect(reversed.layout(for: Self.imu, device: sensor)?.keys == ["device"])
  }

  @Test("A device is meant by its address, too")
  func address() throws {
    let address = try #require(BluetoothAddress("C8:0F:10:01:02:03"))
    let profiles = Profiles([Profile(characteristics: [try Self.entry("mine", on: "c8:0f:10:01:02:03")])])
    #expect(profiles.name(ofCharacteristic: Self.imu) == nil)
    #expect(
      profiles.name(ofCharacteristic: Self.imu, device: ProfileSubject(names: ["C8:0F:10:01:02:03"])) == nil)
    #expect(profiles.name(ofCharacteristic: Self.imu, device: ProfileSubject(address: address)) == "mine")
  }

  @Test("Behind profiles, the published names and layouts are found")
  func published() throws {
    let own = Profile(
      services: [ProfileService(uuid: Self.service, name: "Motion")],
      characteristics: [ProfileCharacteristic(uuid: .batteryLevel, name: "charge")],
      descriptors: [try Self.entry("unit")])
    let profiles = Profiles([own])
    #expect(profiles.layout(for: .heartRateMeasurement)?.name == "Heart Rate Measurement")
    #expect(profiles.layout(for: .batteryLevel)?.name == "Battery Level")
    #expect(profiles.name(ofCharacteristic: .batteryLevel) == "charge")
    #expect(profiles.name(ofCharacteristic: .heartRateMeasurement) == "Heart Rate Measurement")
    #expect(profiles.name(ofService: Self.service) == "Motion")
    #expect(profiles.name(ofService: .heartRate) == "Heart Rate")
    #expect(profiles.name(ofDescriptor: Self.imu) == "unit")
    #expect(profiles.layout(forDescriptor: Self.imu)?.keys == ["unit"])
    #expect(profiles.layout(for: Self.imu) == nil)
    #expect(Profiles().isEmpty)
    #expect(Profiles().name(ofCharacteristic: .batteryLevel) == "Battery Level")
  }

  @Test("Names are found in any spelling, with all UUIDs that have them")
  func names() throws {
    let other = BluetoothUUID(short: 0xfff2)
    let profiles = Profiles([
      Profile(
        services: [ProfileService(uuid: Self.service, name: "Motion")],
        characteristics: [
          ProfileCharacteristic(uuid: Self.imu, name: "Wheel speed"),
          ProfileCharacteristic(uuid: other, device: "Old*", name: "wheel-speed"),
        ], descriptors: [ProfileCharacteristic(uuid: other, name: "Unit")])
    ])
    #expect(profiles.characteristics(named: "WHEEL_SPEED") == [Self.imu, other])
    #expect(profiles.characteristics(named: "wheel") == [])
    #expect(profiles.services(named: "motion") == [Self.service])
    #expect(profiles.descriptors(named: "unit") == [other])
    #expect(Profiles().characteristics(named: "imu") == [])
  }

  @Test("Advertised data is decoded by the longest prefix, then as a published format")
  func advertisements() throws {
    let layout = try ValueLayout(compact: "temperature=i16*0.01°C battery=u8%")
    let profiles = Profiles([
      Profile(advertisements: [
        ProfileAdvertisement(sender: .company(0xffff), name: "Any sensor", layout: layout),
        ProfileAdvertisement(
          sender: .company(0xffff), prefix: [1], name: "Our sensor", type: "ours", layout: layout),
        ProfileAdvertisement(sender: .company(0xffff), device: "Lab*", name: "Lab", layout: layout),
        ProfileAdvertisement(sender: .service(Self.service), name: "Service", layout: layout),
      ])
    ])
    func text(_ data: AdvertisedData, _ name: String? = nil) -> String? {
      profiles.decode(data, in: AdvertisedContext(localName: name)).map { "\($0.type): \($0.text)" }
    }
    let reading: [UInt8] = [0x34, 0x08, 97]
    #expect(
      text(.manufacturer(0xffff, reading)) == "any-sensor: Any sensor temperature 21.00 °C, battery 97 %")
    #expect(
      text(.manufacturer(0xffff, [1] + reading)) == "ours: Our sensor temperature 21.00 °C, battery 97 %")
    #expect(text(.manufacturer(0xffff, reading), "Lab 3") == "lab: Lab temperature 21.00 °C, battery 97 %")
    #expect(text(.service(Self.service, reading)) == "service: Service temperature 21.00 °C, battery 97 %")
    #expect(text(.manufacturer(0xfffe, reading)) == nil)
    let beacon: [UInt8] = [0x02, 0x15] + Array(repeating: 7, count: 20) + [0xc5]
    #expect(profiles.decode(.manufacturer(0x004c, beacon)) is IBeacon)
    let context = AdvertisedContext(data: [.manufacturer(0xffff, reading), .manufacturer(0x004c, beacon)])
    #expect(profiles.formats(in: context).map(\.type) == ["any-sensor", "ibeacon"])
  }
}
