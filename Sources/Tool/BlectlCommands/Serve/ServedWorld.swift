// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEWorld
internal import BlectlArguments
internal import BlectlSession
internal import Glibc
internal import JSON

/// The device of `serve`, and the events of its world.
package struct ServedWorld {
  package let peripheral: PeripheralSpec
  package let events: [WorldEvent]

  /// Takes a built-in device, or a device of a world file; without a name, the only one of the file.
  package init(_ world: String, _ name: String?, to verb: String = "serve") throws {
    let isFile =
      name != nil || world.hasSuffix(".json") || world.contains("/") || access(world, F_OK) == 0
      || World.named(world) != nil
    let loaded = isFile ? try World(given: world, to: verb) : .builtIn
    let place = isFile ? world : "the built-in world"
    peripheral = try Self.choose(isFile ? name : world, from: loaded.peripherals, in: place, to: verb)
    events = loaded.events
  }

  private static func choose(
    _ name: String?, from peripherals: [PeripheralSpec], in place: String, to verb: String
  ) throws -> PeripheralSpec {
    let candidates = peripherals.compactMap(Candidate.init)
    let labels = candidates.map { "\($0.address) \($0.name ?? "")" }
    guard let name else {
      guard candidates.count == 1 else {
        throw CommandError(
          status: .notFound, message: "cannot choose a device: \(place) has \(candidates.count)",
          details: labels, hint: candidates.isEmpty ? nil : "blectl \(verb) \(place) PERIPHERAL")
      }
      return candidates[0].spec
    }
    switch try DeviceArgument(parsing: name).select(from: candidates) {
    case .one(let candidate): return candidate.spec
    case .many(let matches):
      throw CommandError(
        status: .notFound, message: "cannot choose a device: '\(name)' matches \(matches.count) devices",
        details: matches.map { "\($0.address) \($0.name ?? "")" }, hint: "use the address")
    case .none:
      let advice = Spelling.advice(for: name, amongNames: candidates.compactMap(\.name)).map { "; \($0)" }
      throw CommandError(
        status: .notFound,
        message: "cannot \(verb) \(name): no such device in \(place)\(advice ?? "")", details: labels)
    }
  }

  private struct Candidate: DeviceCandidate {
    let spec: PeripheralSpec
    let address: BluetoothAddress
    var name: String? { spec.advertisement.name }
    var rssi: Int? { nil }

    init?(_ spec: PeripheralSpec) {
      guard let address = BluetoothAddress(spec.address) else { return nil }
      self.spec = spec
      self.address = address
    }
  }
}
