// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// A small device, served by the first adapter of a simulated computer; the central uses the second one.
enum ServedLamp {
  /// A device whose characteristic ffe1 can be read, written and subscribed to.
  static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Lamp", "advertisement": {"services": ["ffe0"]},
      "services": [{"uuid": "ffe0", "characteristics": [
        {"uuid": "ffe1", "properties": ["read", "write", "notify"], "value": "01"},
        {"uuid": "ffe2", "properties": ["read"], "on_read": {"counter": {"format": "u8", "from": 7}}}]}]}]}
    """

  /// Serves it, or the device of another world, on a bus with two adapters, until the test ends it.
  static func serve(
    _ arguments: [String] = [], world description: String = Self.world, adapter: String? = "hci0",
    environment: [String: String?] = [:], input: [UInt8]? = [],
    _ body: (ToolFolder, SimulatedBus, ToolRun) async throws -> Void
  ) async throws {
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    try await withSimulator(world: world) { simulated in
      try await ToolFolder.with { folder in
        try folder.write(description, to: "lamp.json")
        let running = try Blectl(bus: simulated.address).start(
          ["serve", folder.path + "/lamp.json"] + (adapter.map { ["-i", $0] } ?? []) + arguments,
          environment: environment, input: input)
        if !arguments.contains("--exec") {
          #expect(await running.waitForOutput { $0.contains("advertising") })
        }
        try await body(folder, simulated, running)
        running.send(signal: SIGINT)
        let result = await running.result()
        #expect(result.signal == SIGINT, "\(result.errorText)")
      }
    }
  }

  /// Runs blectl on the second adapter.
  static func central(_ simulated: SimulatedBus, _ arguments: String...) async throws -> ToolResult {
    try await Blectl(bus: simulated.address).start(arguments, environment: ["BLECTL_ADAPTER": "hci1"])
      .result()
  }

  /// How many lines contain a text.
  static func count(_ text: String, in lines: String) -> Int {
    lines.split(separator: "\n").filter { $0.contains(text) }.count
  }
}
