// SPDX-License-Identifier: MIT
internal import JSON

/// What a page has sent on a connection, read strictly: whatever is not well-formed is a trap.
struct PageAnswers {
  struct Answer {
    let status: Int
    /// By names in lower case.
    let headers: [String: String]
    /// Of one in chunks, what has come in whole ones.
    var body: [UInt8] = []

    /// Whether it is made of events, and has no end.
    var isStream: Bool { status == 200 && headers["content-type"] == "text/event-stream" }
  }

  /// The answers that are whole; a stream is the last one.
  private(set) var list: [Answer] = []
  /// Whether nothing is behind the answers.
  private(set) var isWhole = true

  var isStream: Bool { list.last?.isStream ?? false }

  private static let headEnd = Array("\r\n\r\n".utf8)
  private static let lineEnd = Array("\r\n".utf8)
  private static let beginning = Array("HTTP/1.".utf8)

  /// Reads answers; with `hasHeads`, some may be to HEAD, and have no body.
  init(_ bytes: [UInt8], hasHeads: Bool = false) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let end = rest.firstRange(of: Self.headEnd) else {
        isWhole = false
        return
      }
      var answer = Answer(head: String(decoding: rest[..<end.lowerBound], as: UTF8.self))
      rest = rest[end.upperBound...]
      if answer.status == 100 { continue }
      if answer.headers["transfer-encoding"] != nil {
        let hasEnded = Self.takeChunks(of: &rest, into: &answer.body)
        guard hasEnded || answer.isStream else {
          isWhole = false
          return
        }
      } else if let text = answer.headers["content-length"] {
        guard let length = Int(text), length >= 0 else { preconditionFailure("no length: \(answer)") }
        if !hasHeads || !rest.isEmpty && !rest.starts(with: Self.beginning) {
          guard rest.count >= length else {
            isWhole = false
            return
          }
          answer.body = Array(rest.prefix(length))
          rest = rest.dropFirst(length)
        }
      } else if !hasHeads || !rest.starts(with: Self.beginning) {
        // Until the end of the connection, for clients of HTTP/1.0.
        answer.body = Array(rest)
        rest = []
      }
      list.append(answer)
    }
  }

  /// Takes the contents of whole chunks; returns whether the last one is among them.
  private static func takeChunks(of rest: inout ArraySlice<UInt8>, into contents: inout [UInt8]) -> Bool {
    while let end = rest.firstRange(of: lineEnd) {
      let digits = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      guard let count = Int(digits, radix: 16), count >= 0 else {
        preconditionFailure("no length of a chunk: \(digits.debugDescription)")
      }
      let chunk = rest[end.upperBound...]
      guard chunk.count >= count + lineEnd.count else { break }
      precondition(chunk.dropFirst(count).starts(with: lineEnd), "a chunk has no end")
      contents += chunk.prefix(count)
      rest = chunk.dropFirst(count + lineEnd.count)
      if count == 0 { return true }
    }
    rest = []
    return false
  }
}

extension PageAnswers.Answer {
  /// Reads the status line and the headers.
  fileprivate init(head: String) {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(words[0]),
      words[1].utf8.count == 3, let status = Int(words[1])
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

  private static let statuses = [200, 303, 400, 401, 403, 404, 405, 413, 421, 429, 431, 502, 503]

  /// Checks what holds for each answer, whoever gets it.
  func check() {
    guard let policy = headers["content-security-policy"] else {
      preconditionFailure("an answer without a policy: \(self)")
    }
    precondition(Self.statuses.contains(status), "an unexpected status: \(self)")
    for (name, value) in headers {
      precondition(value.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, "bytes in \(name): \(self)")
    }
    precondition(policy.hasPrefix("default-src 'none'; script-src 'self'; "), "a weak policy: \(self)")
    precondition(headers["x-content-type-options"] == "nosniff", "a type may be guessed: \(self)")
    precondition(headers["access-control-allow-origin"] == nil, "other pages may read: \(self)")
    if let place = headers["location"] {
      precondition([".", "login", "login?wrong=1"].contains(place), "leads elsewhere: \(self)")
    }
    if let cookie = headers["set-cookie"] {
      precondition(cookie.contains("; Path=/; HttpOnly; SameSite=Lax; "), "a loose cookie: \(self)")
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
          ["id: 00-", "retry: ", ":"].contains { line.starts(with: $0.utf8) }, "no event: \(self)")
      }
    }
  }
}

extension PageAnswers.Answer: CustomStringConvertible {
  var description: String { "\(status) \(headers) \(String(decoding: body.prefix(2000), as: UTF8.self))" }
}
