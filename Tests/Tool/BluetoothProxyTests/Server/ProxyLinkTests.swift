// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import BluetoothProxy

@Suite("Links through the proxy", .timeLimit(.minutes(2)))
struct ProxyLinkTests {
  /// The slots of a message: free, limit, and how many are allocated.
  static func slots(_ message: ScriptedClient.Message) throws -> [Int] {
    var allocated = 0
    var reader = ProtobufReader(message.body[...])
    while let (field, _) = try reader.next() { if field == 3 { allocated += 1 } }
    return [Int(try message.number(1)), Int(try message.number(2)), allocated]
  }

  /// The handles of the characteristics that a client gets, by the short form of their UUIDs, or their first 32 bits.
  static func handles(_ messages: [ScriptedClient.Message]) throws -> [UInt64: UInt16] {
    var handles: [UInt64: UInt16] = [:]
    for message in messages {
      var services = ProtobufReader(message.body[...])
      while let (field, value) = try services.next() {
        guard field == 2, case .data(let service) = value else { continue }
        var reader = ProtobufReader(service)
        while let (field, value) = try reader.next() {
          guard field == 3, case .data(let characteristic) = value else { continue }
          let fields = try ProtobufFields(characteristic)
          let long = fields.data(1).enumerated().reduce(into: 0 as UInt64) { number, byte in
            // The first of two numbers, which has all ten bytes.
            if byte.offset < 10 { number |= UInt64(byte.element & 0x7f) << (7 * byte.offset) }
          }
          handles[long == 0 ? fields.number(5) : long >> 32] = UInt16(fields.number(2))
        }
      }
    }
    return handles
  }

  /// A client that is connected to the strap, and the handles of its characteristics.
  static func connected(
    _ stage: ProxyStage, to address: BluetoothAddress = Device.strap
  ) async throws -> (ScriptedClient, [UInt64: UInt16]) {
    let client = try await stage.greetedClient()
    let answer = try await client.connect(address)
    let (isConnected, error) = (try answer.number(2), try answer.signed(4))
    try #require(isConnected == 1, "error \(error)")
    client.send(70) { $0.number(1, address.number) }
    _ = try await client.next(72)
    return (client, try handles(client.messages(71)))
  }

  static func expect(_ message: ScriptedClient.Message, of handle: UInt16, _ value: [UInt8]) throws {
    #expect(try message.number(2) == UInt64(handle))
    #expect(try message.data(3) == value)
  }

  static func expect(
    _ message: ScriptedClient.Message, of handle: UInt16, failedWith error: Int32
  ) throws {
    #expect(try message.number(2) == UInt64(handle))
    #expect(try message.signed(3) == error)
  }

  @Test("A link is told before the slot that it takes, and its end before the slot is free")
  func order() async throws {
    try await ProxyStage.simulated { stage, _ in
      let client = try await stage.greetedClient()
      client.send(80)
      #expect(try Self.slots(await client.next(81)) == [3, 3, 0])
      client.device(Device.strap, 5)
      #expect(try Self.slots(await client.next(81)) == [2, 3, 1])
      let up = try await client.next(69, 81)
      #expect(up.type == 69)
      #expect(try up.number(2) == 1)
      #expect(try up.number(3) >= 23)
      #expect(try Self.slots(await client.next(81)) == [2, 3, 1])
      client.device(Device.strap, 1)
      let down = try await client.next(69, 81)
      #expect(down.type == 69)
      #expect(try [down.number(2), down.number(4)] == [0, 0])
      #expect(try Self.slots(await client.next(81)) == [3, 3, 0])
      // At once, as clients do.
      #expect(try await client.connect(Device.strap).number(2) == 1)
      // Again, over the link that is there.
      #expect(try await client.connect(Device.strap).number(2) == 1)
      #expect(stage.reported.count { if case .connected = $0 { true } else { false } } == 2)
    }
  }

  @Test("To end a link that is not there is answered, too")
  func noLink() async throws {
    try await ProxyStage.simulated { stage, _ in
      let client = try await stage.greetedClient()
      client.device(Device.nobody, 1)
      let answer = try await client.next(69)
      #expect(try [answer.number(1), answer.number(2), answer.number(4)] == [Device.nobody.number, 0, 0])
      client.device(Device.nobody, 6)
      #expect(try await client.next(88).number(2) == 1)
      client.device(Device.nobody, 2)
      #expect(try await client.next(85).signed(3) == -1)
      client.device(Device.nobody, 3)
      #expect(try await client.next(86).signed(3) == -1)
      client.send(145) { $0.number(1, Device.nobody.number) }
      #expect(try await client.next(146).signed(2) == -1)
      client.send(70) { $0.number(1, Device.nobody.number) }
      #expect(try await client.next(82).signed(3) == -1)
      client.attribute(73, Device.nobody, 7)
      let failure = try await client.next(82)
      #expect(try failure.number(2) == 7)
      #expect(try failure.signed(3) == -1)
    }
  }

  @Test("A link that the device ends is told as lost, and can be opened again")
  func lost() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let (client, handles) = try await Self.connected(stage)
      await simulated.simulator.dropLink(Address.strap)
      let down = try await client.next(69)
      #expect(try [down.number(2), down.number(4)] == [0, 8])
      let again = try await client.connect(Device.strap)
      #expect(try again.number(2) == 1)
      client.attribute(73, Device.strap, handles[0x2a19] ?? 0)
      #expect(try await client.next(74).data(3) == [0x57])
    }
  }

  @Test("A bluetoothd that dies ends the links, and gives back the slots")
  func daemon() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let (client, _) = try await Self.connected(stage)
      client.send(80)
      await simulated.simulator.killDaemon()
      let down = try await client.next(69)
      #expect(try down.number(2) == 0)
      #expect(try Self.slots(await client.next(81)) == [3, 3, 0])
      let refused = try await client.connect(Device.strap)
      #expect(try refused.number(2) == 0)
      #expect(try refused.number(4) != 0)
    }
  }

  @Test(
    "A link that BlueZ refuses to close keeps its slot until it is closed", arguments: [1, 4], [true, false])
  func refusedClosing(times: Int, isWished: Bool) async throws {
    try await ProxyStage.simulated { stage, simulated in
      let watcher = try await stage.greetedClient("watcher")
      watcher.send(80)
      let (client, _) = try await Self.connected(stage)
      let noted = Watched<[[BluetoothAddress]]>([])
      stage.proxy.note = { links in noted.change { $0.append(links) } }
      let fault = CallFault("Disconnect", isWished ? .failed("not now") : nil, times: times)
      try await simulated.simulator.perform(.daemon(.failCalls(fault)))
      if isWished { client.device(Device.strap, 1) } else { client.close() }
      while try Self.slots(await watcher.next(81)) != [2, 3, 1] {}
      while try Self.slots(await watcher.next(81)) != [3, 3, 0] {}
      #expect(await !simulated.simulator.isConnected(Address.strap))
      if isWished { #expect(try await client.next(69).number(2) == 0) }
      #expect(noted.withLock { $0 } == [[]])
    }
  }

  @Test("A link that an earlier proxy has left is closed, however often BlueZ refuses")
  func leftLink() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let program = try await BusClient.connect(to: simulated.address)
      try await program.open(Address.strap)
      await program.close()
      // Longer than a single wish to disconnect is repeated.
      try await simulated.simulator.perform(.daemon(.failCalls(CallFault("Disconnect", times: 9))))
      let noted = Watched<[[BluetoothAddress]]>([])
      let failures = Watched<[BluetoothAddress]>([])
      stage.proxy.note = { links in noted.change { $0.append(links) } }
      stage.proxy.closeLinks(to: [Device.strap]) { address, _ in failures.change { $0.append(address) } }
      await noted.wait { $0.last == [] }
      #expect(await !simulated.simulator.isConnected(Address.strap))
      #expect(noted.withLock { $0 } == [[Device.strap], []])
      #expect(failures.withLock { $0 } == [Device.strap])
    }
  }

  @Test("A link that an earlier proxy has left, and a client takes over, is closed with the client's")
  func adoptedLink() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let program = try await BusClient.connect(to: simulated.address)
      try await program.open(Address.strap)
      await program.close()
      try await simulated.simulator.perform(.daemon(.failCalls(CallFault("Disconnect"))))
      let failures = Watched<[BluetoothAddress]>([])
      stage.proxy.closeLinks(to: [Device.strap]) { address, _ in failures.change { $0.append(address) } }
      await failures.wait { !$0.isEmpty }
      let (client, _) = try await Self.connected(stage)
      try await simulated.simulator.perform(.daemon(.failCalls(CallFault("Disconnect", times: 0))))
      client.device(Device.strap, 1)
      #expect(try await client.next(69).number(2) == 0)
      #expect(await !simulated.simulator.isConnected(Address.strap))
    }
  }

  @Test("A link belongs to the client that has opened it")
  func owners() async throws {
    try await ProxyStage.simulated { stage, _ in
      let (owner, handles) = try await Self.connected(stage)
      let other = try await stage.greetedClient("other")
      other.send(80)
      #expect(try Self.slots(await other.next(81)) == [2, 3, 1])
      let refused = try await other.connect(Device.strap)
      #expect(try [refused.number(2), refused.number(4)] == [0, 0x85])
      other.attribute(73, Device.strap, handles[0x2a19] ?? 0)
      #expect(try await other.next(82).signed(3) == -1)
      other.device(Device.strap, 1)
      _ = try await other.next(69)
      owner.attribute(73, Device.strap, handles[0x2a19] ?? 0)
      #expect(try await owner.next(74).data(3) == [0x57])
      owner.close()
      #expect(try Self.slots(await other.next(81)) == [3, 3, 0])
      #expect(try await other.connect(Device.strap).number(2) == 1)
    }
  }

  @Test("A client that wants a link again while it is ending gets another one, and an answer to each wish")
  func wantedAgain() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let client = try await stage.greetedClient()
      // An attempt, its end, and a link; then its end, a wish that is taken back, and another link.
      for request in [5, 1, 5] { client.device(Device.strap, request) }
      #expect(try await client.next(69).number(2) == 0)
      #expect(try await client.next(69).number(2) == 1)
      for request in [1, 5, 1, 5] { client.device(Device.strap, request) }
      #expect(try await client.next(69).number(2) == 0)
      #expect(try await client.next(69).number(2) == 0)
      #expect(try await client.next(69).number(2) == 1)
      for request in [1, 5, 1] { client.device(Device.strap, request) }
      #expect(try await client.next(69).number(2) == 0)
      #expect(try await client.next(69).number(2) == 0)
      client.send(80)
      #expect(try Self.slots(await client.next(81)) == [3, 3, 0])
      #expect(await !simulated.simulator.isConnected(Address.strap))
    }
  }

  @Test("A client that goes while it waits for another link gets none")
  func goneMeanwhile() async throws {
    try await ProxyStage.simulated { stage, _ in
      let (client, _) = try await Self.connected(stage)
      let watcher = try await stage.greetedClient("watcher")
      watcher.send(80)
      #expect(try Self.slots(await watcher.next(81)) == [2, 3, 1])
      for request in [1, 5] { client.device(Device.strap, request) }
      client.close()
      #expect(try Self.slots(await watcher.next(81)) == [3, 3, 0])
      #expect(try await watcher.connect(Device.strap).number(2) == 1)
    }
  }

  @Test("A client that comes back while its former link is being closed is told to try again soon")
  func comesBack() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let (former, _) = try await Self.connected(stage)
      await simulated.simulator.setClosingTime(.milliseconds(200))
      let client = try await stage.greetedClient("again")
      client.send(80)
      former.close()
      _ = await stage.event { if case .left = $0 { true } else { false } }
      let refused = try await client.connect(Device.strap)
      #expect(try [refused.number(2), refused.number(4)] == [0, 0x16])
      while try Self.slots(await client.next(81)) != [3, 3, 0] {}
      #expect(try await client.connect(Device.strap).number(2) == 1)
    }
  }

  @Test("Without a free slot, a client is refused at once")
  func full() async throws {
    try await ProxyStage.simulated(maxConnections: 1) { stage, _ in
      let (client, _) = try await Self.connected(stage)
      let refused = try await client.connect(Device.thermometer)
      #expect(try [refused.number(2), refused.number(4)] == [0, 0x85])
      client.device(Device.strap, 1)
      _ = try await client.next(69)
      #expect(try await client.connect(Device.thermometer).number(2) == 1)
    }
  }

  @Test("A device that another program has connected stays connected")
  func foreignLink() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let program = try await BusClient.connect(to: simulated.address)
      try await program.open(Address.strap)
      let (client, _) = try await Self.connected(stage)
      client.device(Device.strap, 1)
      #expect(try await client.next(69).number(2) == 0)
      #expect(await simulated.simulator.isConnected(Address.strap))
      await program.close()
    }
  }

  @Test("An attempt ends with its client", arguments: [true, false])
  func abandonedAttempt(isWished: Bool) async throws {
    try await ProxyStage.simulated { stage, simulated in
      try await simulated.simulator.perform(.peripheral(Address.strap, .hangConnect(times: 1)))
      let watcher = try await stage.greetedClient("watcher")
      watcher.send(80)
      _ = try await watcher.next(81)
      let client = try await stage.greetedClient()
      client.device(Device.strap, 5)
      #expect(try Self.slots(await watcher.next(81)) == [2, 3, 1])
      if isWished {
        client.device(Device.strap, 1)
        let answer = try await client.next(69)
        #expect(try [answer.number(2), answer.number(4)] == [0, 0])
      } else {
        client.close()
      }
      #expect(try Self.slots(await watcher.next(81)) == [3, 3, 0])
      #expect(await !simulated.simulator.isConnected(Address.strap))
    }
  }

  @Test("A device is paired without a question, and a bond that the proxy has made is deleted")
  func bond() async throws {
    try await ProxyStage.simulated { stage, simulated in
      let address = try #require(BluetoothAddress("C7:B0:4D:00:00:01"))
      await simulated.simulator.appear("\(address)")
      let client = try await stage.greetedClient()
      let up = try await client.connect(address)
      #expect(try up.number(2) == 1)
      client.device(address, 3)
      #expect(try await client.next(86).number(2) == 0)
      client.device(address, 2)
      #expect(try await client.next(85).number(2) == 1)
      client.device(address, 2)
      #expect(try await client.next(85).number(2) == 1)
      client.device(address, 3)
      let unpaired = try await client.next(69, 86)
      #expect(unpaired.type == 86)
      #expect(try unpaired.number(2) == 1)
      #expect(try await client.next(69).number(2) == 0)
    }
  }

  @Test("What the clients hear is what BlueZ has signalled for each packet")
  func advertisements() async throws {
    try await ProxyStage.simulated(world: .builtIn) { stage, simulated in
      let clients = [try await stage.greetedClient("one"), try await stage.greetedClient("two")]
      for client in clients { client.send(66) { $0.number(1, 1) } }
      for client in clients { _ = try await client.next(126) }
      let central = try await stage.proxy.central()
      let scanning = stage.loop.spawn {
        var scan = central.scan(reportsDuplicates: true).makeAsyncIterator()
        while let batch = try? await scan.nextBatch() { stage.proxy.heard(batch.elements) }
      }
      var seen: [Set<UInt64>] = [[], []]
      for (place, client) in clients.enumerated() {
        while seen[place].count < 9 {
          var reader = ProtobufReader(try await client.next(93).body[...])
          while let (_, value) = try reader.next() {
            guard case .data(let advertisement) = value else { continue }
            let fields = try ProtobufFields(advertisement)
            #expect(fields.number(2) != 0)
            seen[place].insert(fields.number(1))
          }
        }
      }
      scanning.cancel()
      await scanning.value
      #expect(seen[0] == seen[1])
    }
  }
}
