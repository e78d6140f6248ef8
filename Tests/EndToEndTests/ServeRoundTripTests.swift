// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// A device, recorded, served, and recorded again from another adapter.
@Suite("Round trip of served devices")
struct ServeRoundTripTests {
  private static let script = """
    set -e
    option=$3
    blectl simulate -- blectl snapshot "$1" $option -q > first.json
    record() {  # FROM TO: serves a recorded device, and records it from the other adapter
      blectl serve "$1" --simulate -q --exec true -- sh -c '
        blectl scan --count 1 | cut -f2 > address
        blectl snapshot "$(cat address)" '"$option"' -q > '"$2"
    }
    record first.json second.json
    record second.json third.json
    """

  private static let addresses = World.builtIn.peripherals.map(\.address)

  @Test(
    "The copy differs in nothing but what belongs to the adapter, and a copy of the copy in nothing",
    arguments: addresses)
  func roundTrip(_ address: String) async throws {
    let original = try #require(World.builtIn.peripherals.first { $0.address == address })
    try await ToolFolder.with { folder in
      try folder.write(Self.script, to: "script")
      let option = original.advertisement.isConnectable ? "''" : "--beacon"
      let result = try await folder.run("bash script \(address) x \(option)")
      #expect(result.status == 0, "\(result.errorText)")
      let first = try Self.device(in: folder, "first.json")
      let second = try Self.device(in: folder, "second.json")
      #expect(second.services.isEmpty == first.services.isEmpty)
      #expect(Self.normalized(second) == Self.normalized(first))
      // The adapter has its own address, but a new random one for each beacon.
      var third = try Self.device(in: folder, "third.json")
      if !third.advertisement.isConnectable { third.address = second.address }
      #expect(third == second)
    }
  }

  private static func device(in folder: ToolFolder, _ name: String) throws -> PeripheralSpec {
    let world = try World(file: "\(folder.path)/\(name)")
    return try #require(world.peripherals.first)
  }

  /// A device without what belongs to the adapter: address, handles, TX power, and the services that BlueZ adds.
  private static func normalized(_ device: PeripheralSpec) -> PeripheralSpec {
    var device = device
    (device.address, device.isAddressPublic) = ("", false)
    device.advertisement.txPower = device.advertisement.txPower.map { _ in 0 }
    device.services.removeAll { service in
      let isPnP = service.characteristics.map(\.value) == [[0x02, 0x6b, 0x1d, 0x46, 0x02, 0x42, 0x05]]
      return service.uuid == BluetoothUUID(0x1801) || isPnP
    }
    for service in device.services.indices {
      device.services[service].handle = nil
      for characteristic in device.services[service].characteristics.indices {
        device.services[service].characteristics[characteristic].handle = nil
        for descriptor in device.services[service].characteristics[characteristic].descriptors.indices {
          device.services[service].characteristics[characteristic].descriptors[descriptor].handle = nil
        }
      }
    }
    return device
  }
}
