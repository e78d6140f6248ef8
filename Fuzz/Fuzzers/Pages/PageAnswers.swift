// SPDX-License-Identifier: MIT
internal import JSON

/// What a page has sent on a connection, read strictly: whatever is not well-formed is a trap.
struct PageAnswers {
  struct Answer {
    let status: Int
    /// By names in lower case.
    let headers: [String: String]
    /// Of a stream, what has come in whole chunks.
    var body: [UInt8] = []

    var isStream: Bool { headers["transfer-encoding"] != nil }
  }

  /// The answers that are whole; a stream, which has no end, is the last one.
  private(set) var list: [Answer] = []
  /// Whether nothing is behind the answers.
  private(set) var isWhole = true

  var isStream: Bool { list.last?.isStream ?? false }

  private static let headEnd = Array("\r\n\r\n".utf8)
  private static let lineEnd = Array("\r\n".utf8)

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let end = rest.firstRange(of: Self.headEnd) else {
        isWhole = false
        return
      }
      var answer = Answer(head: String(decoding: rest[..<end.lowerBound], as: UTF8.self))
      rest = rest[end.upperBound...]
      if answer.isStream {
        answer.body = Self.chunks(rest)
        list.append(answer)
        return
      }
      guard let length = answer.headers["content-length"].flatMap({ Int($0) }), length >= 0 else {
        preconditionFailure("no length: \(answer)")
      }
      guard rest.count >= length else {
        isWhole = false
        return
      }
      answer.body = Array(rest.prefix(length))
      list.append(answer)
      rest = rest.dropFirst(length)
    }
  }

  /// The contents of whole chunks.
  private static func chunks(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var rest = bytes
    var contents: [UInt8] = []
    while let end = rest.firstRange(of: lineEnd) {
      let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      guard let count = Int(digits, radix: 16), count > 0 else {
        preconditionFailure("no length of a chunk: \(digits.debugDescription)")
      }
      let chunk = rest[end.upperBound...]
      guard chunk.count >= count + lineEnd.count else { break }
      precondition(chunk.dropFirst(count).starts(with: lineEnd), "a chunk has no end")
      contents += chunk.prefix(count)
      rest = chunk.dropFirst(count + lineEnd.count)
    }
    return contents
  }
}

extension PageAnswers.Answer {
  /// Reads the status line and the headers.
  fileprivate init(head: String) {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1])
    else { preconditionFailure("no status line: \(head.debugDescription)") }
    self.status = status
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
        line[..<colon].utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x61...0x7a).contains($0 | 0x20) })
      else { preconditionFailure("no header: \(line.debugDescription)") }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      let former = headers.updateValue(String(value), forKey: line[..<colon].lowercased())
      precondition(former == nil, "a header comes twice: \(head.debugDescription)")
    }
    self.headers = headers
  }

  private static let statuses = [200, 303, 400, 401, 403, 404, 405, 413, 421, 429, 502, 503]

  /// Checks what holds for each answer, whoever gets it.
  func check() {
    guard let policy = headers["content-security-policy"] else {
      // That of the library to a method that it does not know: empty, with the header Connection of the request.
      precondition(status == 404 && body.isEmpty, "an answer without a policy: \(self)")
      precondition(
        Set(headers.keys).isSubset(of: ["connection", "content-length"]), "unknown headers: \(self)")
      return
    }
    precondition(Self.statuses.contains(status), "an unexpected status: \(self)")
    for (name, value) in headers {
      precondition(value.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, "bytes in \(name): \(self)")
    }
    precondition(policy.hasPrefix("default-src 'none'; script-src 'self'; "), "a weak policy: \(self)")
    precondition(headers["x-content-type-options"] == "nosniff", "a type may be guessed: \(self)")
    precondition(headers["access-control-allow-origin"] == nil, "other pages may read: \(self)")
    if let place = headers["location"] {
      precondition(["/", "/login", "/login#wrong"].contains(place), "leads elsewhere: \(self)")
    }
    if let cookie = headers["set-cookie"] {
      precondition(cookie.contains("; Path=/; HttpOnly; SameSite=Strict; "), "a loose cookie: \(self)")
    }
    if isStream {
      checkEvents()
    } else if headers["content-type"] == "application/json", !body.isEmpty {
      precondition((try? JSONReader.read(body)) != nil, "no JSON: \(self)")
    }
  }

  /// Each line of a stream is one of those that it may have, and each record is JSON.
  private func checkEvents() {
    precondition(headers["content-type"] == "text/event-stream", "a stream of something: \(self)")
    for line in body.split(separator: UInt8(ascii: "\n")) {
      let data = Array("data: ".utf8)
      if line.starts(with: data) {
        precondition((try? JSONReader.read(line.dropFirst(data.count))) != nil, "no JSON: \(self)")
      } else {
        precondition(
          ["id: e-", "retry: ", ":"].contains { line.starts(with: $0.utf8) }, "no event: \(self)")
      }
    }
  }
}

extension PageAnswers.Answer: CustomStringConvertible {
  var description: String { "\(status) \(headers) \(String(decoding: body.prefix(2000), as: UTF8.self))" }
}
