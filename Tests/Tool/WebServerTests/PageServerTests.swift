// SPDX-License-Identifier: MIT
import AsyncIO
import Histories
import JSON
import TestSupport
import Testing

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
      let id = try #require(node["id"]?.string)
      #expect(id.hasSuffix("-3"))
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
      // Nothing says that anything can be heard.
      page.take(#"{"event":"connected","time":"2026-11-21T05:11:00Z","address":"AA"}"#)
      page.take(#"{"event":"disconnected","time":"2026-11-21T05:11:00Z","address":"AA"}"#)
      #expect(await page.probe.ask("/health").status == 503)
      page.take(#"{"event":"started","time":"2026-11-21T05:11:00Z","adapter":"hci0"}"#)
      #expect(await page.probe.ask("/health").body.contains(#""adapter":"hci0""#))
      #expect(await page.probe.ask("/health").status == 200)
      page.take(#"{"event":"interrupted","time":"2026-11-21T05:11:00Z","reason":"off"}"#)
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
      page.server.take(
        PastNumbers(
          address: "C5:EA:50:00:00:01", name: "Garden", source: "bthome", field: "temperature_celsius",
          first: "2026-11-18T11:06:41.000000Z", last: "2026-11-18T11:06:42.000000Z", buckets: history.buckets)
      )
      let values = await page.probe.ask("/api/values?field=temperature_celsius")
      let series = try JSONReader.read(values.body.utf8)["series"]?.elements?.first
      let lasts = (series?["points"]?.elements ?? []).map { $0.elements?.last?.measured }
      #expect(lasts == [1, 2, nil, 3])
      #expect(series?["name"]?.string == "Garden")
      let metrics = await page.probe.ask("/metrics").body
      #expect(metrics.contains("blectl_records_total{event=\"value\"} 1.0"))
    }
  }

  @Test("The devices say whether numbers of before are still on their way")
  func loading() throws {
    let hub = RecordHub(capacity: 1024, limits: PageModel.Limits(), epoch: "e", awaitsPast: true)
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
        #expect(answer.headers["date"] == "Sat, 21 Nov 2026 05:11:00 GMT", "\(path)")
      }
    }
  }

  @Test("A client that comes again gets what came since the record that it names")
  func resume() async throws {
    try await ServedPage.with { page in
      page.take(1...5)
      let devices = try JSONReader.read(await page.probe.ask("/api/devices").body.utf8)
      let epoch = try #require(devices["id"]?.string).dropLast(2)
      let text = await stream(page, headers: "Last-Event-ID: \(epoch)-3\r\n") { $0.contains("-5\ndata: ") }
      #expect(text.contains("Content-Type: text/event-stream"))
      #expect(!text.contains("id: \(epoch)-3\n"))
      #expect(text.contains("id: \(epoch)-4\ndata: {\"event\":\"value\""))
      // The record of another server: all of this one are new.
      let foreign = await stream(page, headers: "Last-Event-ID: d-4\r\n") { $0.contains("-5\n") }
      #expect(foreign.contains("id: \(epoch)-1\n"))
      // One that has not come yet.
      let early = await stream(page, headers: "Last-Event-ID: \(epoch)-99\r\n") { $0.contains("-5\n") }
      #expect(early.contains("id: \(epoch)-1\n"))
      let after = await stream(page, "/api/records?after=\(epoch)-4") { $0.contains("-5\n") }
      #expect(after.contains("id: \(epoch)-5\n"))
      #expect(!after.contains("id: \(epoch)-4\n"))
    }
  }

  /// What a stream brings until it is enough.
  private func stream(
    _ page: ServedPage, _ path: String = "/api/records", headers: String = "",
    until isEnough: @escaping @Sendable (String) -> Bool
  ) async -> String {
    await page.exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n", until: isEnough)
  }

  @Test("A slow client is told what it missed, and costs no memory meanwhile")
  func slow() async throws {
    try await ServedPage.with(limits: { $0.records = 100_000 }) { page in
      let slow = HTTPConnectionProbe(port: page.server.port, buffer: 4096)
      await slow.send(Array("GET /api/records?after=x-0 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      // The first part fills what the kernel keeps for it.
      _ = await slow.read { String(decoding: $0, as: UTF8.self).contains("retry:") }
      for start in stride(from: 1, to: 60_000, by: 1000) { page.take(start...start + 999) }
      let bytes = await slow.read {
        String(decoding: $0.suffix(1000), as: UTF8.self).contains("-60000\n")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let dropped = text.matches(of: /"event":"dropped","time":"[^"]+","count":([0-9]+)/).compactMap {
        Int($0.1)
      }
      let got = text.matches(of: /id: [a-z0-9]+-[0-9]+/).count
      #expect(!dropped.isEmpty)
      #expect(got + dropped.reduce(0, +) == 60_000)
      #expect(
        await page.probe.ask("/metrics").body.contains(
          "blectl_page_missed_records_total \(Double(dropped.reduce(0, +)))"))
    }
  }

  @Test("At the end, clients of the stream get the last records, and then its end")
  func end() async throws {
    try await ServedPage.with { page in
      let stream = HTTPConnectionProbe(port: page.server.port)
      await stream.send(Array("GET /api/records HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      let head = await stream.read { String(decoding: $0, as: UTF8.self).contains("retry:") }
      page.take(1...2000)
      page.server.close(within: .seconds(20))
      let text = String(decoding: await head + stream.read(), as: UTF8.self)
      #expect(text.matches(of: /id: [a-z0-9]+-[0-9]+/).count == 2000)
      #expect(text.hasSuffix("\r\n0\r\n\r\n"))
      // What comes after the end is nobody's.
      page.take(1...3)
      #expect(page.server.clients == 0)
    }
  }

  @Test("All numbers over time come in pieces, and are one JSON text")
  func pieces() async throws {
    try await ServedPage.with { page in
      for time in 0..<300 {
        let fields = (0..<100).map { #""field_\#($0)":\#(time)"# }.joined(separator: ",")
        page.take(
          #"{"event":"value","time":"\#(1_795_000_000 + time)","address":"AA","type":"x","decoded":{\#(fields)}}"#
        )
      }
      let answer = await page.exchange(
        "GET /api/values HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(answer.contains("\r\nTransfer-Encoding: chunked\r\n"))
      // A client of HTTP/1.0 knows no pieces: the connection ends behind the text.
      let whole = await page.exchange("GET /api/values HTTP/1.0\r\nHost: localhost\r\n\r\n")
      #expect(whole.hasPrefix("HTTP/1.0 200 OK\r\n"))
      #expect(!whole.contains("Transfer-Encoding"))
      let body = try #require(whole.firstRange(of: "\r\n\r\n")).upperBound
      #expect(whole[body...].utf8.count > 200_000)
      let series = try JSONReader.read(whole[body...].utf8)["series"]?.elements ?? []
      #expect(series.count == 100)
      #expect(series.allSatisfy { $0["points"]?.elements?.count == 300 })
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
      #expect(await page.probe.ask("/").headers["location"] == "login")
      #expect(await page.probe.ask("/login").status == 200)
      page.take(#"{"event":"started","time":"2026-11-21T05:11:00Z","adapter":"hci0"}"#)
      #expect(await page.probe.ask("/health").status == 200)
      #expect(await page.probe.ask("/health").body == "{\"status\":\"ok\"}\n")
      let known = await page.probe.ask("/api/devices", headers: ["Authorization": "Bearer \(token)"])
      #expect(known.status == 200)
    }
  }

  @Test(
    "The token in the form brings a cookie that no script sees and no other page sends, until the end of the session"
  )
  func login() async throws {
    try await ServedPage.with(token: token, base: "/ble") { page in
      let wrong = await page.probe.ask("/ble/login", method: "POST", body: "token=wrong")
      #expect(wrong.headers["location"] == "login?wrong=1")
      #expect(wrong.headers["set-cookie"] == nil)
      let right = await page.probe.ask(
        "/login", method: "POST", headers: ["Origin": "http://localhost"],
        body: "a=b&token=%30123456789abcdef")
      #expect(right.status == 303)
      #expect(right.headers["location"] == ".")
      let cookie = try #require(right.headers["set-cookie"])
      #expect(
        cookie.wholeMatch(
          of: /blectl_session_[0-9]+=[0-9a-f]{32}; Path=\/ble\/; HttpOnly; SameSite=Lax; Max-Age=2592000/)
          != nil)
      #expect(cookie.hasPrefix("blectl_session_\(page.server.port)="))
      let session = String(cookie.prefix { $0 != ";" })
      let headers = ["Cookie": "a=b; \(session)"]
      #expect(await page.probe.ask("/api/devices", headers: headers).status == 200)
      #expect(await page.probe.ask("/ble/login", headers: headers).headers["location"] == ".")
      let proxied = await page.probe.ask(
        "/login", method: "POST", headers: ["Origin": "https://localhost"], body: "token=\(token)")
      #expect(proxied.headers["set-cookie"]?.hasSuffix("; Secure") == true)
      let stream = HTTPConnectionProbe(port: page.server.port)
      await stream.send(
        Array("GET /api/records HTTP/1.1\r\nHost: localhost\r\nCookie: \(session)\r\n\r\n".utf8))
      _ = await stream.read { String(decoding: $0, as: UTF8.self).contains("retry:") }
      let left = await page.probe.ask(
        "/logout", method: "POST", headers: headers.merging(["Origin": "http://localhost"]) { $1 })
      #expect(left.headers["set-cookie"]?.contains("Max-Age=0") == true)
      #expect(await page.probe.ask("/api/devices", headers: headers).status == 401)
      #expect(await stream.ends())
      #expect(await page.probe.ask("/ble").headers["location"] == "/ble/")
      #expect(await page.probe.ask("/ble?a=%0d&b").headers["location"] == "/ble/?a=%0d&b")
    }
  }

  @Test("Who guesses waits, and nobody else, also behind a proxy")
  func guesses() async throws {
    try await ServedPage.with(token: token) { page in
      func ask(_ bearer: String, for client: String? = nil) async -> HTTPProbe.Answer {
        var headers = ["Authorization": "Bearer \(bearer)"]
        headers["X-Forwarded-For"] = client.map { "10.9.9.9, \($0)" }
        return await page.probe.ask("/api/devices", headers: headers)
      }
      for number in 0..<10 { #expect(await ask("\(number)", for: "192.0.2.1").status == 401) }
      let refused = await ask(token, for: "192.0.2.1")
      #expect(refused.status == 429)
      #expect(refused.headers["retry-after"] == "60")
      // Some proxies name the port, which changes each time.
      #expect(await ask(token, for: "192.0.2.1:4711").status == 429)
      #expect(await ask(token, for: "192.0.2.2").status == 200)
      #expect(await ask(token).status == 200)
      let form = await page.probe.ask(
        "/login", method: "POST", headers: ["X-Forwarded-For": "192.0.2.1"], body: "token=\(token)")
      #expect(form.status == 429)
      #expect(form.body.contains("<form method=\"post\""))
      #expect(form.body.contains("role=\"alert\">Too many wrong tokens"))
      #expect(form.body.contains("role=\"alert\" hidden>That is not the token"))
      #expect(await page.probe.ask("/login?wrong=1").body.contains("role=\"alert\">That is not the token"))
    }
  }

  @Test("A base hides no path of the page that a proxy, which removes it, would ask for")
  func bases() {
    for base in ["/api", "/api/devices", "/login", "/health", "/metrics", "/app.css", "/model.js"] {
      #expect(PageSetup.path(hiddenBy: base) != nil, "\(base)")
    }
    for base in ["/ble", "/api2", "/api/ble", "/healthy", "/a/health"] {
      #expect(PageSetup.path(hiddenBy: base) == nil, "\(base)")
    }
  }

  @Test("A record from a clock that was wrong leaves the last time right, also if none follows")
  func wrongClock() async throws {
    try await ServedPage.with { page in
      page.take(
        #"{"event":"value","time":"2026-11-22T05:11:00Z","address":"AA","type":"x","decoded":{"a":1}}"#)
      let metrics = await page.probe.ask("/metrics").body
      #expect(
        metrics.contains("blectl_device_last_heard_timestamp_seconds{address=\"AA\"} 1795237860.0\n"))
      let answer = try JSONReader.read(await page.probe.ask("/api/devices").body.utf8)
      let device = answer["devices"]?.elements?.first
      #expect(device?["last"]?.string == "2026-11-21T05:11:00.000000Z")
      #expect(device?["first"]?.string == "2026-11-21T05:11:00.000000Z")
    }
  }

  @Test("Names of other servers, other pages and other methods are refused")
  func refusals() async throws {
    try await ServedPage.with { page in
      #expect(await page.probe.ask("/api/devices", host: "evil.example").status == 421)
      #expect(await page.probe.ask("/api/devices", host: nil).status == 400)
      #expect(await page.probe.ask("/api/devices", headers: ["Origin": "http://evil.example"]).status == 403)
      #expect(await page.probe.ask("/app.js", headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
      let put = await page.probe.ask("/api/devices", method: "PUT")
      #expect(put.status == 405)
      #expect(put.headers["allow"] == "GET, HEAD")
      #expect(await page.probe.ask("/api/write", method: "POST", body: "{}").status == 405)
    }
  }

  @Test("Writes go to the command, and an answer comes when it is known, however long that takes")
  func writes() async throws {
    let held = Lock<[@Sendable (PageOutcome) -> Void]>([])
    try await ServedPage.with(
      controls: ["fff1"],
      write: { wanted, end in
        switch wanted.value {
        case "01": end(.written)
        case "03": held.withLock { $0.append(end) }
        default: end(.failed("the device does not permit it"))
        }
      }
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
      // Others are answered meanwhile.
      async let late = write("03")
      while held.withLock(\.isEmpty) { await Task.yield() }
      #expect(await page.probe.ask("/api/devices").status == 200)
      held.withLock(\.first)?(.written)
      #expect(await late.status == 200)
    }
  }

  @Test("A write whose outcome comes after the end of the page, or of its client, harms nothing")
  func lateWrites() async throws {
    let held = Lock<[@Sendable (PageOutcome) -> Void]>([])
    let write =
      "POST /api/write HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 51\r\n\r\n"
      + #"{"address":"AA","characteristic":"fff1","value":""}"#
    try await ServedPage.with(
      controls: ["fff1"], write: { _, end in held.withLock { $0.append(end) } }
    ) { page in
      do {
        let client = HTTPConnectionProbe(port: page.server.port)
        await client.send(Array(write.utf8))
        while held.withLock(\.isEmpty) { await Task.yield() }
      }
      let other = HTTPConnectionProbe(port: page.server.port)
      await other.send(Array(write.utf8))
      while held.withLock(\.count) < 2 { await Task.yield() }
      held.withLock(\.first)?(.written)
      #expect(await page.probe.ask("/api/devices").status == 200)
    }
    held.withLock(\.last)?(.written)
  }

  @Test("A write that is under way when the page ends is answered with what is known")
  func endedWrites() async throws {
    let held = Lock(0)
    try await ServedPage.with(controls: ["fff1"], write: { _, _ in held.withLock { $0 += 1 } }) { page in
      async let answer = page.probe.ask(
        "/api/write", method: "POST", headers: ["Origin": "http://localhost"],
        body: #"{"address":"AA","characteristic":"fff1","value":"01"}"#)
      while held.withLock(\.self) == 0 { await Task.yield() }
      page.server.close(within: .seconds(1))
      let text = await answer
      #expect(text.status == 503)
      #expect(text.body.contains("it is unknown whether the value was written"))
    }
  }
}
