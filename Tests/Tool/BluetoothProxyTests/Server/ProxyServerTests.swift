// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import TestSupport
internal import Testing

@testable internal import BluetoothProxy

@Suite("Clients of the proxy", .timeLimit(.minutes(1)))
struct ProxyServerTests {
  private static func advertisements(_ numbers: Range<Int>) -> [ForwardedAdvertisement] {
    numbers.map {
      ForwardedAdvertisement(
        address: SampleSession.address, addressType: .public, rssi: -60,
        data: [3, 0xff, UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)])
    }
  }

  // MARK: The beginning

  @Test("A client learns who the proxy is, and that it has no entities")
  func greeting() async throws {
    try await ProxyStage.run { stage in
      let client = try stage.client()
      client.send(1) { writer in
        writer.string(1, "Home Assistant 2026.11.0")
        writer.number(2, 1)
        writer.number(3, 19)
      }
      // Old clients send it at once, and wait for its answer.
      client.send(3)
      client.send(9)
      client.send(11)
      let hello = try await client.next(2)
      #expect(try hello.number(1) == 1)
      #expect(try hello.number(2) == 14)
      #expect(try hello.data(4) == Array("attic-pi".utf8))
      _ = try await client.next(4)
      let info = try await client.next(10)
      #expect(try info.data(3) == Array("00:1A:7D:DA:71:13".utf8))
      #expect(try info.data(8) == Array("blectl.proxy".utf8))
      _ = try await client.next(19)
      let name = ProxyClient(host: nil, name: "Home Assistant 2026.11.0")
      #expect(stage.reported == [.joined(name)])
    }
  }

  @Test("The name of a client is cut after 100 code points, and may be empty")
  func names() async throws {
    try await ProxyStage.run { stage in
      // One letter with accents without end.
      let long = "e" + String(repeating: "\u{301}", count: 10_000)
      for name in [long, ""] { _ = try await stage.greetedClient(name) }
      let names: [String?] = stage.reported.compactMap { event in
        if case .joined(let client) = event { .some(client.name) } else { nil }
      }
      #expect(names.map { $0?.unicodeScalars.count } == [100, 0])
    }
  }

  @Test("A proxy without connections claims none", arguments: [0, 3])
  func features(maxConnections: Int) async throws {
    try await ProxyStage.run(maxConnections: maxConnections) { stage in
      let client = try await stage.greetedClient()
      client.send(149)
      let flags = try await client.next(150).data(1)
      let isScanOnly = try ProtobufFields(flags[...]).number(1) == 97
      #expect(isScanOnly == (maxConnections == 0))
    }
  }

  @Test("Before the greeting, nothing but pings is answered")
  func early() async throws {
    try await ProxyStage.run { stage in
      let client = try stage.client()
      client.send(9)
      client.send(66) { $0.number(1, 1) }
      client.send(7)
      #expect(try await client.next(8, 10, 126).type == 8)
    }
  }

  @Test("A client that does not greet in time is closed")
  func silentStranger() async throws {
    var limits = ProxyLimits()
    limits.greetingTime = .milliseconds(20)
    try await ProxyStage.run(limits: limits) { stage in
      let client = try stage.client()
      await client.waitForEnd()
      #expect(stage.reported == [.clientRefused(ProxyClient(), reason: "it did not greet")])
    }
  }

  @Test("Too many that do not greet give way to the next; clients stay")
  func strangers() async throws {
    try await ProxyStage.run { stage in
      let client = try await stage.greetedClient()
      let strangers = try (0..<9).map { _ in try stage.client() }
      await strangers[0].waitForEnd()
      client.send(7)
      _ = try await client.next(8)
      try await strangers[8].greet()
    }
  }

  @Test("One client too many is turned away")
  func crowd() async throws {
    try await ProxyStage.run { stage in
      var clients: [ScriptedClient] = []
      for number in 0..<8 { clients.append(try await stage.greetedClient("\(number)")) }
      let ninth = try stage.client()
      ninth.send(1) { $0.string(1, "ninth") }
      await ninth.waitForEnd()
      #expect(
        stage.reported.last
          == .clientRefused(ProxyClient(name: "ninth"), reason: "there are 8 clients already"))
      clients[0].close()
      _ = await stage.event { if case .left = $0 { true } else { false } }
      _ = try await stage.greetedClient()
    }
  }

  @Test("Garbage ends its connection, and no other")
  func garbage() async throws {
    try await ProxyStage.run { stage in
      let client = try await stage.greetedClient()
      for bytes in [[0x47, 0x45, 0x54], [0xff], [0, 0xff, 0xff, 0xff, 0xff, 0xff]] as [[UInt8]] {
        let other = try stage.client()
        other.send(bytes: bytes)
        await other.waitForEnd()
      }
      // A message whose contents are broken is skipped.
      client.send(bytes: [0, 1, 66, 0xff])
      client.send(7)
      _ = try await client.next(8)
    }
  }

  @Test("A client without encryption is told to encrypt, one with another key that it is wrong")
  func encryption() async throws {
    let key = try #require(ProxyKey(bytes: SampleSession.key))
    try await ProxyStage.run(key: key) { stage in
      let plain = try stage.client()
      plain.send(1) { $0.string(1, "plain") }
      await plain.waitForEnd()
      #expect(plain.rest.suffix(18) == Array("Bad indicator byte".utf8))
      let wrong = try stage.client()
      let other = [UInt8](repeating: 9, count: 32)
      wrong.send(
        bytes: try NoiseInitiator(key: other, privateKey: SampleSession.clientKey, hello: []).opening)
      await wrong.waitForEnd()
      #expect(wrong.rest.suffix(21) == Array("Handshake MAC failure".utf8))
      let reasons = stage.reported.map { event in
        if case .clientRefused(_, let reason) = event { reason } else { "\(event)" }
      }
      #expect(reasons == ["it does not encrypt", "it has another key"])
    }
  }

  /// The last words of a proxy to a client of each host, which have another key.
  private static func refusals(of hosts: [String], _ stage: ProxyStage) async throws -> [String] {
    let other = [UInt8](repeating: 9, count: 32)
    let opening = try NoiseInitiator(key: other, privateKey: SampleSession.clientKey, hello: []).opening
    var refusals: [String] = []
    for host in hosts {
      let client = try stage.client(from: host)
      client.send(bytes: opening)
      await client.waitForEnd()
      // Behind the greeting of the proxy, the sizes, and the sign of a refusal.
      refusals.append(String(decoding: client.rest.split(separator: 1).last ?? [], as: UTF8.self))
    }
    return refusals
  }

  @Test("After ten wrong keys, a host has to wait, with all the addresses of its IPv6 network")
  func wrongKeys() async throws {
    let key = try #require(ProxyKey(bytes: SampleSession.key))
    let (wrong, tooMany) = ("Handshake MAC failure", "Too many attempts")
    try await ProxyStage.run(key: key) { stage in
      let new = (1...10).map { "2001:db8:0:1::\($0)" }
      let old = (1...10).map { $0 % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1" }
      let first = try await Self.refusals(of: new + old, stage)
      #expect(first == [String](repeating: wrong, count: 20))
      let others = ["2001:db8:0:1:ffff::1", "2001:db8:0:2::1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"]
      let second = try await Self.refusals(of: others, stage)
      #expect(second == [tooMany, wrong, tooMany, tooMany, wrong])
    }
  }

  // MARK: Advertisements

  @Test("Sixteen advertisements are sent at once, fewer a moment later, all of them to each subscriber")
  func feed() async throws {
    try await ProxyStage.run { stage in
      var sizes: [Int] = []
      let (times, first) = (Watched<[Int]>([]), LoopClock.now)
      let feed = AdvertisementFeed(on: stage.loop) { message in
        if case .advertisements(let list) = message { times.change { $0.append(list.count) } }
      }
      feed.add(Self.advertisements(0..<40))
      sizes = times.withLock { $0 }
      #expect(sizes == [16, 16])
      await times.wait { $0.count == 3 }
      #expect(times.withLock { $0 } == [16, 16, 8])
      #expect(LoopClock.now - first >= AdvertisementFeed.time)
    }
  }

  @Test("The state of the scanner answers a subscription, and each question; and it follows")
  func scannerState() async throws {
    try await ProxyStage.run { stage in
      let client = try await stage.greetedClient()
      let other = try await stage.greetedClient()
      client.send(66) { $0.number(1, 1) }
      var state = try await client.next(126)
      #expect(try [state.number(1), state.number(2), state.number(3)] == [1, 1, 1])
      stage.proxy.scanner(is: .running)
      stage.proxy.scanner(is: .running)
      state = try await client.next(126)
      #expect(try state.number(1) == 2)
      client.send(127) { $0.number(1, 0) }
      state = try await client.next(126)
      // BlueZ scans actively, whatever is asked for.
      #expect(try [state.number(1), state.number(2), state.number(3)] == [2, 1, 1])
      #expect(client.messages(126).count == 3)
      other.send(7)
      _ = try await other.next(8)
      #expect(other.messages(126).isEmpty)
    }
  }

  @Test("A client that does not read loses advertisements, then its connection; the others lose nothing")
  func slowReader() async throws {
    var limits = ProxyLimits()
    (limits.bytesWithAdvertisements, limits.bytes) = (16 << 10, 64 << 10)
    try await ProxyStage.run(limits: limits) { stage in
      let slow = try stage.client(reads: false)
      slow.send(1) { $0.string(1, "slow") }
      slow.send(66) { $0.number(1, 1) }
      let quick = try await stage.greetedClient("quick")
      _ = await stage.event { $0 == .joined(ProxyClient(name: "slow")) }
      let connections = stage.proxy.subscribers
      #expect(connections.count == 1)
      let message = ServerMessage.advertisements(Self.advertisements(0..<16))
      // What the kernel and the queue take, and much more.
      for _ in 0..<20_000 { connections[0].send(message) }
      quick.send(7)
      _ = try await quick.next(8)
      #expect(stage.reported.count == 2)
      for _ in 0..<40_000 { connections[0].send(.pong) }
      let end = await stage.event { if case .left = $0 { true } else { false } }
      guard case .left(let client, "it does not read", let dropped) = end else {
        Issue.record("\(String(describing: end))")
        return
      }
      #expect(client.name == "slow")
      #expect(dropped > 100_000)
      quick.send(7)
      _ = try await quick.next(8)
    }
  }

  // MARK: The end

  @Test("A client that is silent is asked, and closed if it does not answer")
  func silence() async throws {
    var limits = ProxyLimits()
    limits.silence = .milliseconds(10)
    try await ProxyStage.run(limits: limits) { stage in
      let client = try await stage.greetedClient()
      _ = try await client.next(7)
      await client.waitForEnd()
      #expect(
        stage.reported.last == .left(ProxyClient(name: "test"), reason: "it does not answer", dropped: 0))
    }
  }

  @Test("A client that leaves gets an answer")
  func leaving() async throws {
    try await ProxyStage.run { stage in
      let client = try await stage.greetedClient()
      client.send(5)
      _ = try await client.next(6)
      await client.waitForEnd()
      #expect(stage.reported.last == .left(ProxyClient(name: "test"), reason: "the client left", dropped: 0))
    }
  }

  @Test("The proxy says goodbye at its end")
  func goodbye() async throws {
    try await ProxyStage.run { stage in
      let client = try await stage.greetedClient()
      await stage.proxy.close()
      _ = try await client.next(5)
      await client.waitForEnd()
    }
  }
}
