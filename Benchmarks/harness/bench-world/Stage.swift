// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestWorlds

/// A simulated BlueZ and the state that it is brought into before anything is measured.
struct Stage {
  enum Kind: String {
    /// BlueZ knows all devices, and has a link to the bench device, whose services are resolved.
    case known
    /// BlueZ knows no device; they are heard within a second of scanning.
    case heard
    /// BlueZ knows no device; they are sensors, which advertise other values each time.
    case sensors
    /// There are no devices, but a central, which connects to what programs offer.
    case served
    /// As `known`, but the devices of the world `update` are there, too; their links carry as much as that of the bench device.
    case updated
  }

  enum Failure: Error {
    /// Not all devices were heard.
    case incomplete
  }

  let kind: Kind
  let devices: Int
  /// The time between two advertisements of a device.
  let interval: Duration
  let notifications: Int
  let rate: Int?
  /// How many packets the link to the bench device carries every 30 ms in each direction; nil for any number at once.
  let packets: Int?
  /// The MTU of such links.
  let mtu: UInt16

  /// The device that the benchmarks read from and subscribe to.
  static let benchAddress = "C2:BE:7C:00:00:01"

  /// Starts the bus, the simulation, and prepares it.
  func build() async throws -> SimulatedBus {
    var timing = SimulatorTiming()
    timing.temporaryDevice = .seconds(24 * 3600)  // a run of the benchmarks takes longer than BlueZ remembers
    let others = [Kind.known: devices - 1, .heard: devices][kind] ?? 0
    var world =
      kind == .sensors
      ? World.sensors(devices, interval: interval) : World.crowd(devices: others, interval: interval)
    let hasBench = kind == .known || kind == .updated
    if hasBench { world.peripherals.append(benchDevice) }
    if kind == .updated { world.peripherals += updatedDevices }
    for index in world.peripherals.indices { slowDown(&world.peripherals[index]) }
    let bus = try await SimulatedBus.start(world: world, timing: timing)
    if hasBench { try await meetDevices(world.peripherals.count, on: bus.address) }
    return bus
  }

  private static let unknown = BluetoothUUID(0xB1EC_0001, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)

  private var flood: NotifyBehaviour { .flood(count: notifications, perSecond: rate) }

  /// A wearable of three services.
  private var benchDevice: PeripheralSpec {
    let heartRate = BluetoothUUID(0x180D)
    let battery = BluetoothUUID(0x180F)
    return PeripheralSpec(
      address: Stage.benchAddress,
      advertisement: AdvertisementSpec(name: "Bench", services: [heartRate, battery], rssi: -45),
      services: [
        ServiceSpec(
          heartRate,
          [
            CharacteristicSpec(BluetoothUUID(0x2A37), 0x12, notifying: flood),
            CharacteristicSpec(SteadyStream.characteristic, 0x12, value: [1]),
            CharacteristicSpec(BluetoothUUID(0x2A39), 0x0C),
            CharacteristicSpec(BluetoothUUID(0x2A40), 0x08),
            // What its values mean is not known.
            CharacteristicSpec(Stage.unknown, 0x12, notifying: flood),
          ]),
        ServiceSpec(battery, [CharacteristicSpec(BluetoothUUID(0x2A19), 0x12, value: [0x57])]),
        ServiceSpec(
          BluetoothUUID(0x180A),
          [
            CharacteristicSpec(BluetoothUUID(0x2A29), 0x02, value: Array("Example Devices".utf8)),
            CharacteristicSpec(BluetoothUUID(0x2A28), 0x02, value: Array("V1.0.1.81".utf8)),
          ]),
      ])
  }

  /// The devices of the world `update`; the one with Legacy DFU has a boot loader, which takes larger packets.
  private var updatedDevices: [PeripheralSpec] {
    World.update.peripherals.map { device in
      var device = device
      device.dfu?.jumps = true
      return device
    }
  }

  /// A link with a connection interval.
  private func slowDown(_ device: inout PeripheralSpec) {
    guard let packets else { return }
    device.link = LinkSpec(packetTime: .milliseconds(30), packets: packets)
    device.mtu = mtu
  }

  /// Lets BlueZ hear every device and connect to the bench device, as any client would; the link stays.
  private func meetDevices(_ count: Int, on address: String) async throws {
    let central = try await CentralManager(bus: .address(address))
    var left = count
    for try await event in central.scan() where event.kind == .found {
      left -= 1
      if left == 0 { break }
    }
    let known = try await central.knownPeripherals()
    guard known.count == count,
      let bench = known.first(where: { $0.address.description == Stage.benchAddress })?.peripheral
    else { throw Failure.incomplete }
    try await bench.connect()
    await bench.keepLink()
    await central.close()
  }
}
