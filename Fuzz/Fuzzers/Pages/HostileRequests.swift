// SPDX-License-Identifier: MIT

/// Requests that a client of a page might send: most of them as a browser makes them, some with anything in them.
extension ByteFeeder {
  private static let targets = [
    "/", "/login", "/logout", "/app.css", "/app.js", "/icon.svg", "/health", "/metrics", "/api/devices",
    "/api/records", "/api/records?after=00-0", "/api/records?after=00-2", "/api/records?after=00-9999999999",
    "/api/records?after=d-1", "/api/records?after=00--1", "/api/values", "/api/values?since=0&points=1",
    "/api/values?since=2026-11-21T05:11:02Z&field=temperature_celsius",
    "/api/values?since=1e308&points=9223372036854775807", "/api/values?since=yesterday",
    "/api/values?points=0",
    "/api/write", "/%6detrics", "//localhost/metrics", "/a/../metrics", "http://localhost/metrics", "*", "",
    "/%00%0d%0a", "/?",
  ]

  private static let methods = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "get", "BREW", ""]

  private static let fields = [
    "Authorization: Bearer \(HauntedPage.token)", "Cookie: a=b; blectl_session_8080=x",
    "Origin: http://localhost", "Sec-Fetch-Site: same-origin", "Connection: keep-alive", "Connection: close",
    "Host: evil.example", "Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site",
    "Authorization: Bearer 0123456789abcdeg", "Authorization: Basic YTpi", "Cookie: blectl_session=",
    "Cookie: \(HauntedPage.token)", "Last-Event-ID: 00-1", "Last-Event-ID: 00-18446744073709551616",
    "Last-Event-ID: ", "Connection: a\rSet-Cookie: b=c", "Connection: Upgrade\r\nUpgrade: websocket",
    "Content-Length: 3", "Content-Length: -1", "Content-Length: 99999999999999999999",
    "Content-Length: 9223372036854775807", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: gzip", "Expect: 100-continue", "Range: bytes=0-1", "Host", ": ", " folded: line",
    "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: a, ", "Sec-Fetch-Mode: navigate",
  ]

  private static let bodies = [
    "token=\(HauntedPage.token)", "a=b&token=%30123456789abcdef", "token=wrong", "token", "token=%", "&&=&=",
    #"{"address":"C5:EA:50:00:00:01","characteristic":"fff1","value":"0x01"}"#,
    #"{"address":"","characteristic":"","value":""}"#,
    #"{"address":"\n","characteristic":"\u0000","value":"\""}"#,
    #"{"address":1}"#, "[]", "{", String(repeating: "[", count: 300),
  ]

  /// Up to sixteen requests, one behind the other, of fewer bytes than a connection may send without an answer.
  mutating func requests() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<16 where !isEmpty && bytes.count < 32 * 1024 { bytes += request() }
    return bytes
  }

  private mutating func request() -> [UInt8] {
    let choice = byte()
    let target = choice & 0x0f == 0x0f ? "/" + text() : pick(Self.targets)
    let isForm = ["/login", "/logout", "/api/write"].contains(target)
    let method = choice & 0x70 == 0x70 ? pick(Self.methods) : isForm ? "POST" : "GET"
    let version = choice & 0x3f == 0x21 ? pick(["HTTP/1.0", "HTTP/9", "http/1.1"]) : "HTTP/1.1"
    var head = "\(method) \(target) \(version)\r\n"
    if choice & 0x1f != 0x1e { head += "Host: localhost\r\n" }
    for _ in 0..<number(below: 6) { head += field() + "\r\n" }
    var bytes = framed(head, isForm || choice & 0x80 != 0 ? body() : [])
    if choice & 0x0c == 0x0c { distort(&bytes) }
    return bytes
  }

  private mutating func field() -> String {
    let choice = byte()
    return choice < 0xf0 ? Self.fields[Int(choice) % Self.fields.count] : "\(text()): \(text())"
  }

  private mutating func body() -> [UInt8] {
    let choice = byte()
    if choice < 0xd0 { return Array(Self.bodies[Int(choice) % Self.bodies.count].utf8) }
    // As long as it may be, or one longer.
    if choice == 0xd0 { return [UInt8](repeating: UInt8(ascii: "a"), count: 16 * 1024 + number(below: 2)) }
    return raw(Int(choice & 0x3f))
  }

  /// A whole request; its length is named, or it is in chunks, or the length is wrong.
  private mutating func framed(_ head: String, _ body: [UInt8]) -> [UInt8] {
    guard !body.isEmpty else { return Array("\(head)\r\n".utf8) }
    switch byte() {
    case 0..<0xb0: return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    case 0xb0..<0xf0:
      var bytes = Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
      var rest = body[...]
      while !rest.isEmpty {
        let part = rest.prefix(1 + number(below: 40) * 16)
        rest = rest.dropFirst(part.count)
        bytes += Array("\(String(part.count, radix: 16));a=b\r\n".utf8) + part + Array("\r\n".utf8)
      }
      return bytes + Array("0\r\nTrailer: a\r\n\r\n".utf8)
    default: return Array("\(head)Content-Length: \(number(below: 256))\r\n\r\n".utf8) + body
    }
  }

  /// Cuts it, changes bytes, or leaves out some of them.
  private mutating func distort(_ bytes: inout [UInt8]) {
    for _ in 0..<number(below: 4) where !bytes.isEmpty {
      let place = (number(below: 256) << 8 | number(below: 256)) % bytes.count
      switch number(below: 4) {
      case 0: bytes[place] = byte()
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + number(below: 8)))
      default: bytes.insert(HauntedPage.cut, at: place)
      }
    }
  }
}
