// SPDX-License-Identifier: MIT
import AsyncIO
import Histories
import JSON
import TestSupport
import Testing
import WebModel

@testable import WebServer

@Suite("PageServer", .timeLimit(.minutes(1)))
struct PageServerTests {
  private let token = "0123456789abcdef"

  @Test("Devices, values, metrics and health are what the records say")
  func content() async throws {
    try await ServedPage.with { page in
      page.take(1...3)
      let devices = await page.probe.ask("/api/devices")
      #expect(devices.status == 200)
      #expect(devices.headers["content-type"] == "application/json")
      let node = try JSONReader.read(devices.body.utf8)
      #expect(node["id"]?.string == "e-3")
      #expect(node["devices"]?.elements?.first?["packets"]?.integer == 3)
      let values = await page.probe.ask("/api/values?field=temperature_celsius&since=2026-01-01T00:00:00Z")
      #expect(try JSONReader.read(values.body.utf8)["series"]?.elements?.count == 1)
      #expect(await page.probe.ask("/api/values?since=yesterday").status == 400)
      #expect(await page.probe.ask("/api/values?points=0").status == 400)
      let metrics = await page.probe.ask("/metrics")
      #expect(metrics.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
      #expect(
        metrics.body.contains(
          "blectl_temperature_celsius{address=\"C5:EA:50:00:00:01\",source=\"bthome\"} 3.0\n"))
      #expect(await page.probe.ask("/health").status == 200)
      page.hub.take([Array(#"{"event":"interrupted","time":"2026-11-21T05:11:00Z","reason":"off"}"#.utf8)])
      #expect(await page.probe.ask("/health").status == 503)
      #expect(await page.probe.ask("/nothing").status == 404)
    }
  }

  @Test("Numbers of before stand at /api/values before those that have come, and are no records")
  func past() async throws {
    try await ServedPage.with { page in
      page.take(3...3)
      var history = ChartHistory()
      for second in 1...2 { history.add(Double(second), at: 1_795_000_000 + Double(second)) }
      page.hub.take(
        PastNumbers(
          address: "C5:EA:50:00:00:01", name: "Garden", source: "bthome", field: "temperature_celsius",
          first: "2026-11-18T11:06:41.000000Z", last: "2026-11-18T11:06:42.000000Z", buckets: history.buckets)
      )
      let values = await page.probe.ask("/api/values?field=temperature_celsius")
      let series = try JSONReader.read(values.body.utf8)["series"]?.elements?.first
      let lasts = (series?["points"]?.elements ?? []).map { $0.elements?.last?.measured }
      #expect(lasts == [1, 2, nil, 3])
      #expect(series?["name"]?.string == "Garden")
      #expect(page.hub.last == 1)
    }
  }

  @Test("The devices say whether numbers of before are still on their way")
  func loading() throws {
    let hub = RecordHub(capacity: 1024, epoch: "e", awaitsPast: true)
    func answer() throws -> String? {
      try JSONReader.read(hub.object { $0.writePast(to: &$1) })["history"]?.string
    }
    #expect(try answer() == "loading")
    hub.endPast()
    #expect(try answer() == nil)
  }

  @Test("Every answer forbids scripts, frames and contents from elsewhere, and is allowed for no other page")
  func headers() async throws {
    try await ServedPage.with(token: token) { page in
      for path in ["/", "/login", "/api/devices", "/health", "/nothing", "/app.css"] {
        let answer = await page.probe.ask(path)
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "), "\(path)")
        #expect(policy.hasSuffix("frame-ancestors 'none'"), "\(path)")
        #expect(!policy.contains("unsafe"), "\(path)")
        #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
        #expect(answer.headers["cache-control"] == "no-store", "\(path)")
        #expect(answer.headers["referrer-policy"] == "same-origin", "\(path)")
        #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control-") }, "\(path)")
      }
    }
  }

  @Test("A client that comes again gets what came since the record that it names")
  func resume() async throws {
    try await ServedPage.with { page in
      page.take(1...5)
      let text = await stream(page, headers: "Last-Event-ID: e-3\r\n") { $0.contains("id: e-5\ndata: ") }
      #expect(text.contains("Content-Type: text/event-stream"))
      #expect(!text.contains("id: e-3\n"))
      #expect(text.contains("id: e-4\ndata: {\"event\":\"value\""))
      // The record of another server: all of this one are new.
      let foreign = await stream(page, headers: "Last-Event-ID: d-4\r\n") { $0.contains("id: e-5\n") }
      #expect(foreign.contains("id: e-1\n"))
      // One that has not come yet.
      let early = await stream(page, headers: "Last-Event-ID: e-99\r\n") { $0.contains("id: e-5\n") }
      #expect(early.contains("id: e-1\n"))
      let after = await stream(page, "/api/records?after=e-4") { $0.contains("id: e-5\n") }
      #expect(after.contains("id: e-5\n"))
      #expect(!after.contains("id: e-4\n"))
    }
  }

  /// What a stream brings until it is enough.
  private func stream(
    _ page: ServedPage, _ path: String = "/api/records", headers: String = "",
    until isEnough: @escaping @Sendable (String) -> Bool
  ) async -> String {
    let bytes = await page.probe.exchange(
      Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n".utf8)
    ) { isEnough(String(decoding: $0, as: UTF8.self)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("A slow client is told what it missed, and costs no memory meanwhile")
  func slow() async throws {
    try await ServedPage.with(ring: 100_000) { page in
      let slow = HTTPConnectionProbe(port: page.port, buffer: 4096)
      await slow.send(Array("GET /api/records?after=e-0 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      // The first part fills what the kernel keeps for it.
      _ = await slow.read { String(decoding: $0, as: UTF8.self).contains("retry:") }
      for start in stride(from: 1, to: 60_000, by: 1000) { page.take(start...start + 999) }
      let bytes = await slow.read {
        String(decoding: $0.suffix(1000), as: UTF8.self).contains("id: e-60000\n")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let dropped = text.matches(of: /"event":"dropped","time":"[^"]+","count":([0-9]+)/).compactMap {
        Int($0.1)
      }
      let got = text.matches(of: /id: e-[0-9]+/).count
      #expect(!dropped.isEmpty)
      #expect(got + dropped.reduce(0, +) == 60_000)
      #expect(
        await page.probe.ask("/metrics").body.contains(
          "blectl_page_missed_records_total \(Double(dropped.reduce(0, +)))"))
    }
  }

  @Test("With a token, only those who know it see anything but the login and whether all is well")
  func tokens() async throws {
    try await ServedPage.with(token: token) { page in
      for path in ["/api/devices", "/api/values", "/api/records", "/metrics", "/app.js"] {
        let answer = await page.probe.ask(path)
        #expect(answer.status == 401, "\(path)")
        #expect(answer.headers["www-authenticate"] == "Bearer", "\(path)")
        #expect(
          await page.probe.ask(path, method: "HEAD", headers: ["Authorization": "Bearer \(token)"]).status
            == 200 || path == "/api/records")
      }
      #expect(await page.probe.ask("/").headers["location"] == "/login")
      #expect(await page.probe.ask("/login").status == 200)
      #expect(await page.probe.ask("/health").status == 200)
      #expect(await !page.probe.ask("/health").body.contains("listening"))
      let known = await page.probe.ask("/api/devices", headers: ["Authorization": "Bearer \(token)"])
      #expect(known.status == 200)
    }
  }

  @Test("The token in the form brings a cookie that no script sees and no other page sends")
  func login() async throws {
    try await ServedPage.with(token: token) { page in
      let wrong = await page.probe.ask("/login", method: "POST", body: "token=wrong")
      #expect(wrong.headers["location"] == "/login#wrong")
      #expect(wrong.headers["set-cookie"] == nil)
      let right = await page.probe.ask(
        "/login", method: "POST", headers: ["Origin": "http://localhost"],
        body: "a=b&token=%30123456789abcdef")
      #expect(right.status == 303)
      let cookie = try #require(right.headers["set-cookie"])
      #expect(cookie == "blectl_session=fedcba98; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000")
      let known = await page.probe.ask("/api/devices", headers: ["Cookie": "blectl_session=fedcba98"])
      #expect(known.status == 200)
      let proxied = await page.probe.ask(
        "/login", method: "POST", headers: ["Origin": "https://localhost"], body: "token=\(token)")
      #expect(proxied.headers["set-cookie"]?.hasSuffix("; Secure") == true)
      let left = await page.probe.ask(
        "/logout", method: "POST", headers: ["Authorization": "Bearer \(token)"])
      #expect(left.headers["set-cookie"]?.contains("Max-Age=0") == true)
      for _ in 0..<10 { _ = await page.probe.ask("/login", method: "POST", body: "token=wrong") }
      #expect(await page.probe.ask("/login", method: "POST", body: "token=\(token)").status == 429)
    }
  }

  @Test("Names of other servers, other pages and other methods are refused")
  func refusals() async throws {
    try await ServedPage.with { page in
      #expect(await page.probe.ask("/api/devices", host: "evil.example").status == 421)
      #expect(await page.probe.ask("/api/devices", host: nil).status == 421)
      #expect(await page.probe.ask("/api/devices", headers: ["Origin": "http://evil.example"]).status == 403)
      #expect(await page.probe.ask("/app.js", headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
      #expect(await page.probe.ask("/api/devices", method: "PUT").status == 405)
      #expect(await page.probe.ask("/api/write", method: "POST", body: "{}").status == 405)
    }
  }

  /// Waits for an answer: a client knows of the end of a connection before the server counts it.
  private func health(of page: ServedPage) async {
    while await page.probe.ask("/health").status != 200 { await Task.yield() }
  }

  @Test("A request that is too long, never ends or never comes ends its connection, and nothing else")
  func floods() async throws {
    var limits = ConnectionGuard.Limits()
    (limits.connections, limits.idle) = (4, .seconds(1))
    try await ServedPage.with(limits: limits) { page in
      let long = await page.probe.ask("/login", method: "POST", body: String(repeating: "a", count: 40_000))
      #expect(long.status == 413)
      // A line without an end.
      let endless = HTTPConnectionProbe(port: page.port)
      await endless.send(Array("GET /".utf8))
      let junk = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
      var sent = 0
      while sent < 512, await endless.send(junk) { sent += 1 }
      #expect(sent < 512)
      // Half a request.
      let half = HTTPConnectionProbe(port: page.port)
      await half.send(Array("GET / HTTP/1.1\r\n".utf8))
      #expect(await half.read().isEmpty)
      await health(of: page)
      let many = (0..<10).map { _ in HTTPConnectionProbe(port: page.port) }
      // Those beyond the limit are closed at once, the others after a while.
      for one in many { #expect(await one.read().isEmpty) }
      await health(of: page)
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
      for head in [
        "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        "GET /%zz%00/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "\r\n\r\n", "\0\0\0\r\n\r\n",
      ] { _ = await page.probe.exchange(Array(head.utf8), limit: .milliseconds(200)) }
      #expect(await page.probe.ask("/health").status == 200)
    }
  }

  @Test("What follows a body without a proper end is not taken for a request")
  func brokenBody() async throws {
    try await ServedPage.with { page in
      for body in ["zz\r\n", "2\r\nabc\r\n", "-1\r\n"] {
        let bytes = await page.probe.exchange(
          Array(
            ("POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + body
              + "\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").utf8))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 "), "\(body.debugDescription)")
        #expect(text.contains("Connection: close\r\n"), "\(body.debugDescription)")
        #expect(text.split(separator: "HTTP/1.1 ").count == 1, "\(body.debugDescription)")
      }
    }
  }

  @Test("No answer has bytes of the request in its headers")
  func echoes() async throws {
    try await ServedPage.with { page in
      for (sent, answered) in [
        ("X-Mine\rSet-Cookie: a=b", "keep-alive"), ("Keep-Alive", "keep-alive"), ("Close", "close"),
        ("x, close", "close"),
      ] {
        let request = "GET /health?a=%0d%0aX-Mine HTTP/1.1\r\nHost: localhost\r\nConnection: \(sent)\r\n\r\n"
        let bytes = await page.probe.exchange(Array(request.utf8)) {
          String(decoding: $0, as: UTF8.self).contains("\"status\":\"ok\"")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\r\nConnection: \(answered)\r\n"), "\(sent.debugDescription)")
        #expect(!text.contains("Mine"), "\(sent.debugDescription)")
      }
    }
  }

  @Test("Writes go to blectl, and its answer comes back")
  func writes() async throws {
    try await ServedPage.with(
      controls: ["fff1"], answer: { $0.value == "01" ? nil : "the device does not permit it" }
    ) { page in
      let headers = ["Origin": "http://localhost"]
      func write(_ value: String) async -> HTTPProbe.Answer {
        await page.probe.ask(
          "/api/write", method: "POST", headers: headers,
          body: #"{"address":"AA","characteristic":"fff1","value":"\#(value)"}"#)
      }
      #expect(await write("01").status == 200)
      let failed = await write("02")
      #expect(failed.status == 502)
      #expect(failed.body.contains("the device does not permit it"))
      #expect(page.writes.withLock { $0.map(\.value) } == ["01", "02"])
      #expect(await page.probe.ask("/api/write", method: "POST", headers: headers, body: "x").status == 400)
      let foreign = await page.probe.ask(
        "/api/write", method: "POST", headers: ["Origin": "http://evil.example"],
        body: #"{"address":"AA","characteristic":"fff1","value":"01"}"#)
      #expect(foreign.status == 403)
      #expect(page.writes.withLock { $0.count } == 2)
    }
  }
}
