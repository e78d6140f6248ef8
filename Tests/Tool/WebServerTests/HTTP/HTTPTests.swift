// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebServer

@Suite("HTTP", .timeLimit(.minutes(1)))
struct HTTPTests {
  private static let next = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private static func post(_ headers: String, _ body: String) -> String {
    "POST /login HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\r\n\(body)"
  }

  @Test(
    "A message that servers could understand in different ways is answered with 400, and nothing behind it is read",
    arguments: [
      post("Content-Length: 44\r\nContent-Length: 0", ""),
      post("Content-Length: 3\r\nContent-Length: 3", "abc"),
      post("Content-Length : 3", "abc"), post("Content-Length: +0", ""), post("Content-Length: -1", ""),
      post("Content-Length: 0x3", "abc"), post("Content-Length: 99999999999999999999", ""),
      post("A: b\r\n Transfer-Encoding: chunked", "0\r\n\r\n"),
      post("Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
      post("Transfer-Encoding: chunked, chunked", "0\r\n\r\n"), post("Transfer-Encoding: gzip", ""),
      post("Transfer-Encoding: chunked", "+3\r\nabc\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked", "-0\r\n\r\n"),
      post("Transfer-Encoding: chunked", "zz\r\n"),
      post("Transfer-Encoding: chunked", "2\r\nabc\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked", "ffffffffffffffffff\r\n"),
      post("Host: localhost\r\nContent-Length: 0", ""),
      "POST /login HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET /health HTTP/1.1\nHost: localhost\n\n", "GET /health HTTP/1.1\r\n\r\n",
      "GET / RTSP/1.0\r\nHost: localhost\r\n\r\n", "GET /health RTSP/1.1\r\nHost: localhost\r\n\r\n",
      "POST /login RTSP/1.0\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na",
      "DESCRIBE / RTSP/1.0\r\nHost: localhost\r\n\r\n", "SOURCE / ICE/1.0\r\nHost: localhost\r\n\r\n",
      "GET /health HTTP/2.7\r\nHost: localhost\r\n\r\n", "GET /health HTTP/9\r\nHost: localhost\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: localhost\r\nA\u{1}: b\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: localhost\r\nA: b\rc\r\n\r\n",
      "GET health HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\0\0\0\r\n\r\n",
    ])
  func malformed(message: String) async throws {
    try await ServedPage.with { page in
      let text = await page.exchange(message + Self.next)
      #expect(text.hasPrefix("HTTP/1.1 400 ") || text.hasPrefix("HTTP/1.0 400 "), "\(text.debugDescription)")
      #expect(text.contains("\r\nConnection: close\r\n"))
      #expect(text.contains("\r\nContent-Security-Policy: "))
      #expect(text.matches(of: /HTTP\/1\.[01] \d/).count == 1, "\(text.debugDescription)")
    }
  }

  @Test("Requests one behind the other on a connection get their answers in order, with their bodies read")
  func pipeline() async throws {
    try await ServedPage.with { page in
      let chunked = Self.post(
        "Transfer-Encoding: chunked", "3;a=b\r\ntok\r\n7\r\nen=wron\r\n0\r\nTrailer: x\r\n\r\n")
      let last = "GET http://localhost/api/devices?x=1 HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n"
      let text = await page.exchange(
        "\r\n" + chunked + Self.next + Self.post("Content-Length: 5", "token") + last)
      let statuses = text.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
      #expect(statuses == ["303", "503", "303", "200"], "\(text)")
      #expect(text.hasSuffix("\n"))
    }
  }

  @Test("What is no HTTP is refused behind requests, in pieces and nowhere else")
  func otherProtocols() async throws {
    try await ServedPage.with { page in
      let text = await page.exchange(Self.next + "GET / RTSP/1.0\r\nHost: localhost\r\n\r\n" + Self.next)
      #expect(text.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) } == ["503", "400"], "\(text)")
      let client = HTTPConnectionProbe(port: page.server.port)
      for byte in "GET / RTSP/1.0\r\n\r\n".utf8 { await client.send([byte]) }
      #expect(String(decoding: await client.read(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
      for header in ["User-Agent: player RTSP/1.0", "A:b ICE/1.0"] {
        let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(header)\r\n\r\n"
        #expect(await page.exchange(request).hasPrefix("HTTP/1.1 503 "), "\(header)")
      }
    }
  }

  @Test(
    "A request that has begun behind another one has no more time than that",
    arguments: ["/health", "/api/values", "/app.js"])
  func slowBehind(path: String) async throws {
    try await ServedPage.with(limits: { $0.requestTime = .milliseconds(400) }) { page in
      page.take(1...1)
      let first = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      for rest in ["G", "GET / HTTP/1.1\r\nA: ", Self.post("Content-Length: 9", "abc")] {
        let client = HTTPConnectionProbe(port: page.server.port)
        await client.send(Array((first + rest).utf8))
        #expect(await client.ends(), "\(rest.debugDescription)")
      }
    }
    // Behind a whole one, there is the time between two.
    try await ServedPage.with(limits: {
      ($0.requestTime, $0.idleTime) = (.seconds(60), .milliseconds(400))
    }) { page in
      let client = HTTPConnectionProbe(port: page.server.port)
      await client.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      #expect(await client.ends())
    }
  }

  @Test(
    "A client that wants another protocol gets its answer, and asks for the next over another connection",
    arguments: ["h2c", "websocket"])
  func upgrade(protocol name: String) async throws {
    try await ServedPage.with { page in
      let text = await page.exchange(
        "GET /api/devices HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n"
          + Self.next)
      #expect(text.hasPrefix("HTTP/1.1 200 "))
      #expect(text.contains("\r\nConnection: close\r\n"))
      let tunnel = await page.exchange("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(tunnel.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test("Many small answers that nobody takes end their connection, too")
  func unreadSmall() async throws {
    try await ServedPage.with(limits: { $0.stallTime = .milliseconds(500) }) { page in
      let client = HTTPConnectionProbe(port: page.server.port, buffer: 4096)
      let request = "GET /app.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
      await client.send(Array(String(repeating: request, count: 300).utf8))
      // It notices the end without reading.
      while await client.send([0x20]) { await Task.yield() }
      #expect(await page.probe.ask("/api/devices").status == 200)
    }
  }

  @Test("HEAD has the length of GET and no body, and does not open the stream")
  func head() async throws {
    try await ServedPage.with { page in
      page.take(1...1)
      for path in [
        "/", "/app.js", "/api/devices", "/metrics", "/health", "/nothing", "/api/records", "/api/values",
      ] {
        let head = await page.exchange(
          "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(head.hasSuffix("\r\n\r\n"), "\(path)")
        if path == "/api/records" || path == "/api/values" { continue }
        let get = await page.probe.ask(path)
        #expect(head.contains("\r\nContent-Length: \(get.headers["content-length"] ?? "")\r\n"), "\(path)")
      }
      #expect(page.server.clients == 0)
    }
  }

  @Test("A client that ends its side gets the answers to what it has asked, also to several requests")
  func halfClosed() async throws {
    try await ServedPage.with { page in
      page.take(1...3)
      let values = "GET /api/values HTTP/1.1\r\nHost: localhost\r\n\r\n"
      for requests in [[values], [values, Self.next], [Self.next, values, values, Self.next]] {
        // The end comes at another moment each time.
        for _ in 0..<20 {
          let client = HTTPConnectionProbe(port: page.server.port)
          await client.send(Array(requests.joined().utf8))
          client.finish()
          let text = String(decoding: await client.read(), as: UTF8.self)
          #expect(text.matches(of: #/HTTP/1\.1 (200|503) /#).count == requests.count, "\(text)")
          #expect(text.hasSuffix(requests.last == values ? "0\r\n\r\n" : "}\n"), "\(text)")
        }
      }
    }
  }

  @Test("Half a request, a slow one, or none ends its connection, and nothing else")
  func slow() async throws {
    try await ServedPage.with(limits: {
      ($0.requestTime, $0.idleTime) = (.milliseconds(400), .milliseconds(400))
    }) { page in
      for beginning in ["", "GET / HTTP/1.1\r\n", Self.post("Content-Length: 9", "abc"), Self.next] {
        let client = HTTPConnectionProbe(port: page.server.port)
        await client.send(Array(beginning.utf8))
        #expect(await client.ends(), "\(beginning.debugDescription)")
      }
      // One that sends a byte now and then.
      let dripping = HTTPConnectionProbe(port: page.server.port)
      await dripping.send(Array("GET / HTTP/1.1\r\nA: ".utf8))
      while await dripping.send([0x61]) {}
      #expect(await page.probe.ask("/health").status == 503)
    }
  }

  @Test("What is too long is refused with its reason, and what never ends is cut off")
  func long() async throws {
    try await ServedPage.with { page in
      let body = String(repeating: "a", count: 40_000)
      #expect(await page.probe.ask("/login", method: "POST", body: body).status == 413)
      // The body that was announced need not come.
      let announced = await page.exchange(Self.post("Content-Length: 3000000", "abc"))
      #expect(announced.hasPrefix("HTTP/1.1 413 "))
      #expect(await page.probe.ask("/" + String(repeating: "a", count: 20_000)).status == 431)
      #expect(await page.probe.ask("/", headers: ["A": String(repeating: "a", count: 20_000)]).status == 431)
      let many = (0..<200).map { "A\($0): b\r\n" }.joined()
      #expect(
        await page.exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n").hasPrefix("HTTP/1.1 431 "))
      let endless = HTTPConnectionProbe(port: page.server.port)
      await endless.send(Array(Self.post("Transfer-Encoding: chunked", "").utf8))
      let chunk = Array("1000\r\n\(String(repeating: "a", count: 4096))\r\n".utf8)
      var sent = 0
      while sent < 10_000, await endless.send(chunk) { sent += 1 }
      #expect(sent < 10_000)
      #expect(await page.probe.ask("/health").status == 503)
    }
  }

  @Test("Connections beyond the limits are closed at once, and those that are open go on")
  func crowd() async throws {
    try await ServedPage.with(limits: { ($0.connections, $0.connectionsEach) = (40, 20) }) { page in
      let stream = HTTPConnectionProbe(port: page.server.port)
      await stream.send(Array("GET /api/records HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      _ = await stream.read { String(decoding: $0, as: UTF8.self).contains("retry:") }
      let others = (0..<60).map { _ in HTTPConnectionProbe(port: page.server.port) }
      // All but the nineteen that fit.
      for one in others.suffix(41) { #expect(await one.ends()) }
      page.take(1...1)
      let text = await stream.read { String(decoding: $0, as: UTF8.self).contains("data: ") }
      #expect(!text.isEmpty)
    }
  }

  @Test("Large answers that nobody takes end their connections, and are refused before they fill the memory")
  func unread() async throws {
    try await ServedPage.with(limits: { ($0.waitingAnswers, $0.stallTime) = (4 << 20, .milliseconds(700)) }) {
      page in
      page.server.take(
        (0..<2000).map { number in
          let name = String(repeating: "n", count: 700)
          return Array(
            #"{"event":"found","time":"\#(number)","address":"\#(number)","name":"\#(name)"}"#.utf8)
        })
      let clients = (0..<6).map { _ in HTTPConnectionProbe(port: page.server.port, buffer: 4096) }
      for client in clients {
        await client.send(Array("GET /api/devices HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      }
      var heads: [Substring] = []
      for client in clients {
        let bytes = await client.read { $0.count > 20 }
        heads.append(String(decoding: bytes, as: UTF8.self).prefix(12))
      }
      #expect(heads.contains("HTTP/1.1 200") && heads.contains("HTTP/1.1 503"), "\(heads)")
      // They are cut off, and there is room again.
      while await page.probe.ask("/api/devices").status != 200 { await Task.yield() }
    }
  }

  @Test("Requests with any bytes get an answer or none, and the next client gets its own")
  func nonsense() async throws {
    try await ServedPage.with { page in
      var random = SystemRandomNumberGenerator()
      for round in 0..<60 {
        var bytes = Array(
          "GET /api/values?since=1&field=%41 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab"
            .utf8)
        for _ in 0...round % 7 {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
            in: .min ... .max, using: &random)
        }
        if round % 5 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
        _ = await page.probe.exchange(bytes, limit: .milliseconds(100))
      }
      #expect(await page.probe.ask("/health").status == 503)
    }
  }

  @Test("No answer has bytes of the request in its headers")
  func echoes() async throws {
    try await ServedPage.with { page in
      for (sent, answered) in [("Keep-Alive", "keep-alive"), ("Close", "close"), ("x, close", "close")] {
        let request = "GET /health?a=%0d%0aX-Mine HTTP/1.1\r\nHost: localhost\r\nConnection: \(sent)\r\n\r\n"
        let text = await page.exchange(request) { $0.contains("\"status\":") }
        #expect(text.contains("\r\nConnection: \(answered)\r\n"), "\(sent.debugDescription)")
        #expect(!text.contains("Mine"), "\(sent.debugDescription)")
      }
    }
  }

  @Test(
    "Clients are counted by their address, or the network of an IPv6 address, without a port",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:80", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("[2001:db8:1:2::9]:80", "2001:db8:1:2::/64"), ("", ""),
      ("unknown", "unknown"),
    ])
  func addresses(text: String, network: String) { #expect(ClientAddress.network(of: text) == network) }
}
