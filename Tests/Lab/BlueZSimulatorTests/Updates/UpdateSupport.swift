// SPDX-License-Identifier: MIT
import BLEFormats
import DBus
import TestSupport
import Testing

@testable import BLEWorld
@testable import BlueZSimulator

/// A device of a world, and a client of BlueZ that updates it.
struct UpdateStage {
  static let address = "C0:00:00:00:00:01"
  static let next = "C0:00:00:00:00:02"

  let client: BusClient
  let simulator: Simulator

  /// Runs a test with a device, found and connected.
  static func run(
    smp: SMPSpec? = nil, dfu: DFUSpec? = nil, mtu: UInt16 = 247, bluez: BlueZRelease = .v5_66,
    _ test: (UpdateStage) async throws -> Void
  ) async throws {
    let device = PeripheralSpec(
      address: address, advertisement: AdvertisementSpec(name: "Device"),
      services: [ServiceSpec(BluetoothUUID(0xFFE0), [CharacteristicSpec(BluetoothUUID(0xFFE1), .read)])],
      smp: smp, dfu: dfu, mtu: mtu)
    try await withSimulator(world: World(bluez: bluez, peripherals: [device])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(address)
      try await test(UpdateStage(client: client, simulator: bus.simulator))
    }
  }

  func path(_ uuid: BluetoothUUID, of address: String = Self.address) async throws -> String {
    let path = try await client.characteristic(uuid.longForm, of: address)
    try #require(path.hasPrefix("/org/bluez"), "there is no \(uuid)")
    return path
  }

  func command(_ path: String, _ bytes: [UInt8]) async throws {
    try await client.write(path, bytes, options: [("type", .string("command"))])
  }

  /// Waits until the link has ended, and connects again.
  func reconnect(from place: Int, to address: String = Self.address) async throws {
    let device = BusClient.devicePath(Self.address)
    _ = try #require(
      await client.log.first(from: place, setting: "Connected", to: .boolean(false), at: device))
    if address == Self.address { try await client.connect(address) } else { try await client.open(address) }
  }

  /// The version that the device tells.
  func version() async throws -> String {
    String(decoding: try await client.read(try await path(FirmwareUUID.firmwareRevision)), as: UTF8.self)
  }

  /// Writes to a characteristic, and returns the next notification of it.
  func request(_ path: String, _ bytes: [UInt8]) async throws -> [UInt8] {
    let start = client.log.end
    try await client.write(path, bytes)
    return try await notification(path, from: start)
  }

  func notification(_ path: String, from start: Int) async throws -> [UInt8] {
    let place = try #require(await client.log.first(from: start) { $0.bytes("Value", at: path) != nil })
    return try #require(client.log.events()[place].bytes("Value", at: path))
  }
}

/// A client of a device's SMP server.
struct SMPCentral {
  let stage: UpdateStage
  let path: String
  /// The most bytes of a write.
  private let part: Int

  init(_ stage: UpdateStage, part: Int = 244) async throws {
    (self.stage, self.part) = (stage, part)
    path = try await stage.path(FirmwareUUID.smp)
    try await stage.client.gatt("StartNotify", path)
  }

  /// Sends a request in as many writes as the link requires, and returns the answer.
  func ask(
    _ operation: SMPMessage.Operation, _ group: UInt16, _ command: UInt8, _ payload: CBORMap = [:]
  ) async throws -> CBORMap {
    var start = stage.client.log.end
    let request = SMPMessage(operation, group: group, command: command, sequence: 7, payload).encoded
    for place in stride(from: 0, to: request.count, by: part) {
      try await stage.command(path, Array(request[place..<min(place + part, request.count)]))
    }
    var reassembly = SMPReassembly()
    while true {
      let place = try #require(
        await stage.client.log.first(from: start) { $0.bytes("Value", at: path) != nil })
      start = place + 1
      let bytes = try #require(stage.client.log.events()[place].bytes("Value", at: path))
      if let packet = try reassembly.append(bytes).first { return try SMPMessage(decoding: packet).payload }
    }
  }

  /// Uploads firmware, or only the beginning of a `whole` one.
  func upload(_ firmware: [UInt8], size: Int = 1000, whole: [UInt8]? = nil) async throws {
    var offset = 0
    while offset < firmware.count {
      let data = Array(firmware[offset..<min(offset + size, firmware.count)])
      var payload: CBORMap = ["off": CBORValue(offset), "data": .bytes(data)]
      if offset == 0 {
        payload["len"] = CBORValue((whole ?? firmware).count)
        payload["sha"] = .bytes(try SHA256.digest(of: whole ?? firmware))
      }
      offset = try #require(try await ask(.write, 1, 1, payload)["off"]?.int)
    }
  }

  /// Lets the next start try the image in the second slot, and resets the device.
  func test() async throws -> Int {
    let states = try #require(try await ask(.read, 1, 0)["images"]?.array)
    let hash = try #require(states.last?.map?["hash"])
    _ = try await ask(.write, 1, 0, ["hash": hash])
    let start = stage.client.log.end
    #expect(try await ask(.write, 0, 5).isEmpty)
    return start
  }
}
