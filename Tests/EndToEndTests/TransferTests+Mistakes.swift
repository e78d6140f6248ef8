// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import TestSupport
internal import Testing

/// Command lines and devices that do not fit together.
extension TransferTests {
  @Test(
    "Words that make no sense are refused before anything happens",
    arguments: [
      ("receive Board fff2 --to x --until-value utf8:", "--until-value needs at least one byte"),
      ("receive Board --psm 0 --to x", "--psm: '0' is not the number of a channel, 1 to 255"),
      ("send Board --psm 0 file", "--psm: '0' is not the number of a channel, 1 to 255"),
      ("serial Board --psm 0", "--psm: '0' is not the number of a channel, 1 to 255"),
      ("send Board --psm 128", "missing expected argument '<file>'"),
      ("send Board", "missing expected argument '<characteristic>'"),
      (
        "receive Board fff2 --to x --request fff5",
        "--request: 'fff5' is not CHAR:VALUE, such as ffe3:01 or ffe3:u16:100"
      ),
    ])
  func mistakes(command: String, message: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    let refused = try await Blectl().start(words).result()
    #expect(refused.status == 64)
    #expect(refused.errorText.split(separator: "\n").first == "blectl: cannot run '\(words[0])': \(message)")
  }

  @Test("A packet that is longer than those that the device has answered is refused aloud, in a console too")
  func longerPackets() async throws {
    let world = try World(json: Array(Self.world.utf8), name: "w") { _ throws(WorldFileError) in [] }
    try await withSimulator(world: world) { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["serial", "Board", "--rx", "fffa", "--tx", "fff2"], input: nil)
      for text in ["hi\n", "hello", "me\n"] {
        let count = await running.outputSoFar().count
        running.add(input: Array(text.utf8))
        #expect(await running.waitForBytes(count + text.utf8.count))
      }
      running.send(input: [UInt8](repeating: 0, count: 100))
      let result = await running.result()
      #expect(result.status == 1)
      #expect(result.errorText.contains("the device refuses (ATT 0x0d invalid attribute value length)"))
      #expect(result.errorText.contains("sent 11 bytes, received 11 bytes"), "\(result.errorText)")
    }
  }

  @Test("A file has the bytes of one device, of all devices of a script too, and of one process at a time")
  func oneOwner() async throws {
    let result = try await run(
      """
      echo 'receive fff2 --to log --request fff5:u16:3 --until-silence 300ms' >s.ble
      for jobs in 1 2; do
        blectl run '*r*' s.ble --all --jobs $jobs | grep -o 'cannot write log: it is for what C0:00:00:00:00:0[23] sends\\|status .*' | sort -u
      done
      exec 3>log; flock 3; blectl receive Board fff2 --to log --request fff5:u16:3 --until-silence 300ms
      """)
    #expect(
      result.lines.map { $0.replacing(#/C0:00:00:00:00:0[23]/#, with: "X") } == [
        "cannot write log: it is for what X sends", "status 1", "cannot write log: it is for what X sends",
        "status 1", "blectl: cannot write log: another process receives to it", "status 1",
      ], "\(result.text)")
  }

  @Test(
    "Standard output has the bytes of one device: a script for all devices is refused before anything is sent"
  )
  func outputOfSeveral() async throws {
    let result = try await run(
      """
      echo 'receive fff2 --to $OUT --request fff5:u16:3 --until-silence 300ms' >s.ble
      blectl run '*r*' s.ble --all --set OUT=-
      blectl run Board s.ble --set OUT=- | od -An -tx1
      """)
    #expect(
      result.lines.first
        == "blectl: cannot run s.ble:1:1: '--to -' mixes the bytes of several devices: run it on each device by itself",
      "\(result.text)")
    #expect(result.lines.dropFirst().first == "status 64", "\(result.text)")
    #expect(result.lines.count > 2 && !result.text.contains("status 1"), "\(result.text)")
  }

  @Test(
    "Standard input is for one device: a script for all devices that reads it is refused",
    arguments: ["send fff1 -", "write fff1 -", "write fff1 --from -"])
  func inputOfSeveral(line: String) async throws {
    let result = try await run("echo '\(line)' >s.ble; blectl run '*r*' s.ble --all <ten")
    let message =
      "blectl: cannot run s.ble:1:1: '-' is standard input, which only one of several devices would get"
    #expect(result.lines.first == message && result.lines.contains("status 64"), "\(result.text)")
  }

  @Test("A part of a name that BlueZ knows does not hide the device that has exactly that name")
  func exactName() async throws {
    let device = { (number: Int, name: String) in
      """
      {"address": "C0:00:00:00:00:0\(number)", "name": "\(name)", "services": [{"uuid": "fff0", "characteristics": [
        {"uuid": "fff1", "properties": ["read"], "value": "0\(number)"}]}]}
      """
    }
    let json = "{\"peripherals\": [\(device(1, "Lamp")), \(device(2, "Lamp 2"))]}"
    let world = try World(json: Array(json.utf8), name: "w") { _ throws(WorldFileError) in [] }
    try await withSimulator(world: world) { simulated in
      let blectl = Blectl(bus: simulated.address)
      let client = try await BusClient.connect(to: simulated.address)
      #expect(try await blectl.run("read", "Lamp 2", "fff1").lines == ["02"])
      // What BlueZ does itself, 30 s after a device was heard last.
      try await client.call(
        "RemoveDevice", of: "org.bluez.Adapter1", at: "/org/bluez/hci0"
      ) { $0.objectPath("/org/bluez/hci0/dev_C0_00_00_00_00_01") }
      #expect(try await blectl.run("read", "Lamp", "fff1").lines == ["01"])
      await client.close()
    }
  }
}
