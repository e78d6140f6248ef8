// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `serve` while the adapter or the output is away.
@Suite("Serve in outages", .timeLimit(.minutes(3)))
struct ServeOutageTests {
  private static let again = "Lamp is published and advertised again"

  @Test("When the adapter is on again, stderr says so, once")
  func power() async throws {
    try await ServedLamp.serve { _, simulated, running in
      for round in 1...2 {
        await simulated.simulator.setPowered(false)
        #expect(await running.waitForErrors { ServedLamp.count("the adapter is off", in: $0) == round })
        await simulated.simulator.setPowered(true)
        #expect(await running.waitForErrors { ServedLamp.count(Self.again, in: $0) == round })
      }
      let read = try await ServedLamp.central(simulated, "read", "Lamp", "ffe1")
      #expect(read.lines == ["01"])
    }
  }

  @Test("Advertisements that come back while the adapter is off are on the air when it is on")
  func lostAdverts() async throws {
    try await ToolFolder.with { place in
      let path = place.path + "/control"
      try await ServedLamp.serve(["--control", path]) { _, simulated, running in
        #expect(try await Blectl.say("lose-adverts", of: "C0:00:00:00:00:01", to: path))
        await simulated.simulator.setPowered(false)
        #expect(await running.waitForErrors { $0.contains("the adapter is off") })
        #expect(try await Blectl.say("heal", of: "C0:00:00:00:00:01", to: path))
        await simulated.simulator.setPowered(true)
        #expect(await running.waitForErrors { $0.contains(Self.again) })
        let read = try await ServedLamp.central(simulated, "read", "Lamp", "ffe1")
        #expect(read.lines == ["01"])
      }
    }
  }

  @Test("When the adapter is unplugged, and another one takes over, stderr names both")
  func unplugged() async throws {
    try await ServedLamp.serve(adapter: nil) { _, simulated, running in
      try await simulated.simulator.perform(.adapter(.remove))
      #expect(
        await running.waitForErrors {
          $0.contains("the adapter hci0 has gone; Lamp is published and advertised on hci1")
        })
    }
  }

  @Test("A reader of stderr that has stopped does not stop the device")
  func unreadNotes() async throws {
    var world = World(peripherals: [])
    world.setAdapterCount(2)
    try await withSimulator(world: world) { simulated in
      try await ToolFolder.with { folder in
        try folder.write(ServedLamp.world, to: "lamp.json")
        let result = try await Blectl.runScript(
          """
          mkfifo pipe input; sleep 100 <pipe & R=$!
          $BLECTL serve \(folder.path)/lamp.json -i hci0 <input >output 2>pipe & P=$!
          exec 3>input
          until grep -q advertising output; do sleep 0.1; done
          for i in $(seq 5000); do echo 'ffe9 01'; done >&3
          full pipe
          BLECTL_ADAPTER=hci1 timeout 60 $BLECTL write Lamp ffe1 29 -q && \
          BLECTL_ADAPTER=hci1 timeout 60 $BLECTL read Lamp ffe1
          end INT $P; kill $R
          """, bus: simulated.address)
        #expect(result.lines == ["29", "status 130", "in time"], "\(result.errorText)")
      }
    }
  }
}
