// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Dispatch
internal import Glibc

/// A plain HTTP client: a request as bytes, and what comes back.
package struct HTTPProbe: Sendable {
  package struct Answer: Sendable {
    package var status = 0
    /// By names in lower case.
    package var headers: [String: String] = [:]
    package var body = ""

    init(_ bytes: [UInt8]) {
      let text = String(decoding: bytes, as: UTF8.self)
      let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let lines = parts[0].split(separator: "\r\n")
      if let words = lines.first?.split(separator: " "), words.count > 1 { status = Int(words[1]) ?? 0 }
      for line in lines.dropFirst() {
        let words = line.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
        if words.count == 2 { headers[words[0].lowercased()] = String(words[1]) }
      }
      body = parts.count > 1 ? String(parts[1]) : ""
      if headers["transfer-encoding"] == "chunked" { body = Self.joined(body) }
    }

    /// Joins the chunks of a body.
    private static func joined(_ text: String) -> String {
      var rest = Array(text.utf8)[...]
      var bytes: [UInt8] = []
      while let end = rest.firstRange(of: "\r\n".utf8),
        let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), count > 0
      {
        bytes += rest[end.upperBound...].prefix(count)
        rest = rest[end.upperBound...].dropFirst(count + 2)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  package let port: UInt16

  package init(port: UInt16) { self.port = port }

  /// Sends a request, and reads the answer to its end.
  package func ask(
    _ path: String, method: String = "GET", host: String? = "localhost", headers: [String: String] = [:],
    body: String = ""
  ) async -> Answer {
    var text = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
    if let host { text += "Host: \(host)\r\n" }
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
    return Answer(await exchange(Array((text + "\r\n" + body).utf8)))
  }

  /// Sends bytes, and reads until the other end closes, `isEnough`, or `limit`.
  package func exchange(
    _ bytes: [UInt8], limit: Duration = .seconds(20),
    until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
  ) async -> [UInt8] {
    let answer = Promise<[UInt8]>()
    WorkerThread.start { [port] in
      let connection = HTTPConnectionProbe(port: port)
      connection.sendNow(bytes)
      answer.fulfil(connection.readNow(until: isEnough, limit: limit))
    }
    return await answer.value
  }
}

/// A connection that is read when a test wants to; a thread of its own waits, since the server needs those of the tasks.
package final class HTTPConnectionProbe: Sendable {
  private let descriptor: Int32

  /// `buffer` is that of the kernel for what is not read, in bytes.
  package init(port: UInt16, buffer: Int32? = nil) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // What is sent in pieces comes in pieces.
    var now: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &now, socklen_t(MemoryLayout<Int32>.size))
    if var buffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(descriptor) }

  /// Sends bytes; returns whether the other end took them all.
  @discardableResult
  package func send(_ bytes: [UInt8]) async -> Bool { await waiting { $0.sendNow(bytes) } }

  /// Reads until the end, `isEnough` or `limit`.
  package func read(
    until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }, limit: Duration = .seconds(20)
  ) async -> [UInt8] {
    await waiting { $0.readNow(until: isEnough, limit: limit) }
  }

  /// Reads until the other end closes; false if it does not before `limit`.
  package func ends(limit: Duration = .seconds(20)) async -> Bool {
    await waiting { connection in
      var hasEnded = false
      _ = connection.readNow(until: { _ in false }, limit: limit) { _ in hasEnded = true }
      return hasEnded
    }
  }

  private func waiting<Result: Sendable>(
    _ body: @escaping @Sendable (HTTPConnectionProbe) -> Result
  ) async -> Result {
    let result = Promise<Result>()
    WorkerThread.start { result.fulfil(body(self)) }
    return await result.value
  }

  /// Says that nothing more will be sent.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends bytes, on the calling thread; returns whether the other end took them all.
  @discardableResult
  package func sendNow(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads until the end, `isEnough` or `limit`, on the calling thread.
  ///
  /// `atEnd` is told whether the other end has reset the connection: then it may have sent more.
  package func readNow(
    until isEnough: ([UInt8]) -> Bool, limit: Duration, atEnd: (_ isReset: Bool) -> Void = { _ in }
  ) -> [UInt8] {
    let end = ContinuousClock.now + limit
    var bytes: [UInt8] = []
    while !isEnough(bytes), .now < end {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 100) == 0 { continue }
      var result = 0
      let part = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        count = max(0, result)
      }
      if part.isEmpty {
        atEnd(result < 0)
        break
      }
      bytes += part
    }
    return bytes
  }
}
