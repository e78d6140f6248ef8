// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import JSON
internal import NIOCore

/// The page: answers the requests.
///
/// Used by the thread of the page only.
final class PageSite {
  enum Answer {
    case now(PageAnswer)
    /// Calls the closure with the answer when it is known; nothing else of the connection is answered before.
    case later((_ send: @escaping (PageAnswer) -> Void) -> Void)
  }

  let hub: RecordHub
  private let setup: PageSetup
  private let policy: AccessPolicy
  private let gate: AccessGate
  /// Writes a value, and calls the closure once with the outcome, on any thread.
  private let write: PageWriter
  private let thread: PageThread
  private let clock: @Sendable () -> Timestamp
  /// The answers to writes that are under way.
  private var writes: [Int: (PageAnswer) -> Void] = [:]
  private var nextWrite = 0
  /// The bytes of large answers that wait for their clients.
  private var waiting = 0

  /// The paths besides those of files.
  static let paths = [
    "/login", "/logout", "/health", "/metrics", "/api/records", "/api/devices", "/api/values", "/api/write",
  ]
  /// More writes than that do not wait at the same time.
  private static let mostWrites = 32

  init(
    _ setup: PageSetup, on thread: PageThread, clock: @escaping @Sendable () -> Timestamp,
    instant: @escaping @Sendable () -> ContinuousClock.Instant, write: @escaping PageWriter
  ) {
    (self.setup, self.thread, self.clock, self.write) = (setup, thread, clock, write)
    hub = RecordHub(
      capacity: setup.limits.records, limits: PageModel.Limits(history: setup.history),
      epoch: Self.epoch(clock()), awaitsPast: setup.awaitsPast)
    policy = AccessPolicy(names: setup.names, base: setup.base, isWritable: !setup.controls.isEmpty)
    gate = AccessGate(token: setup.token, now: instant)
  }

  /// A name of this server, which one that was started a moment before does not have.
  private static func epoch(_ time: Timestamp) -> String {
    String(time.seconds, radix: 36) + String(time.nanoseconds >> 20, radix: 36)
  }

  /// Begins to answer on a port.
  func begin(port: Int) { gate.port = port }

  func tick() { hub.tick(now: clock()) }

  /// The current time as in records.
  var time: String { clock().utc }

  /// The current time as in the header Date.
  var date: String { HTTPDate.text(clock().seconds) }

  // MARK: Memory

  /// Counts the bytes of an answer that waits for its client; returns false if too much waits already.
  func reserve(_ bytes: Int) -> Bool {
    guard waiting + bytes <= setup.limits.waitingAnswers else { return false }
    waiting += bytes
    return true
  }

  func release(_ bytes: Int) { waiting -= bytes }

  // MARK: Requests

  /// Returns the client of a request that came from an address, as its guesses of the token are counted.
  ///
  /// A proxy on this machine says for whom it asks: the last address in X-Forwarded-For is the one that it adds.
  func client(of request: PageRequest, at address: SocketAddress?) -> String {
    if ClientAddress.isLoopback(address), let list = request.values(of: "X-Forwarded-For").last,
      let last = list.split(separator: ",").last?.drop(while: { $0 == " " }), last.utf8.count <= 64
    {
      return ClientAddress.network(of: String(last))
    }
    return ClientAddress.network(of: address)
  }

  func answer(to request: PageRequest, from client: String) -> Answer {
    let local = policy.local(request.path)
    let path = local ?? "/"
    if let refusal = policy.refusal(of: facts(of: request, path)) {
      let headers = refusal.allowed.map { [("Allow", $0)] } ?? []
      return .now(.refusal(refusal.status, refusal.reason, headers))
    }
    if local == nil { return .now(.leading(to: setup.base + "/" + request.queryText, status: 308)) }
    hub.settle(now: clock())
    let cookies = request.values(of: "Cookie")
    let cookie = cookies.isEmpty ? nil : cookies.joined(separator: ";")
    let verdict = gate.verdict(
      authorization: request.header("Authorization"), cookie: cookie, from: client)
    switch (request.method, path) {
    case (_, "/health"): return .now(health(isKnown: verdict == .known))
    case ("POST", "/login"): return .now(logIn(request, from: client))
    case ("POST", "/logout"):
      gate.logOut(cookie: cookie)
      hub.wake()
      return .now(leave(to: "login", cookie: ""))
    case (_, "/login"):
      return .now(
        verdict == .known ? .leading(to: ".") : loginForm(request.query["wrong"].map { _ in "wrong" }))
    case (_, "/app.css"), (_, "/icon.svg"): return .now(file(String(path.dropFirst())))
    case (_, "/") where verdict != .known: return .now(.leading(to: "login"))
    default: break
    }
    switch verdict {
    case .known: return content(request, path, cookie: cookie)
    case .limited: return .now(Self.tooMany)
    case .anonymous:
      let reason = "a token is needed: Authorization: Bearer TOKEN, or /login"
      return .now(.refusal(401, reason, [("WWW-Authenticate", "Bearer")]))
    }
  }

  private func facts(of request: PageRequest, _ path: String) -> AccessPolicy.Request {
    var facts = AccessPolicy.Request(request.method, path)
    facts.host = request.host
    facts.origin = request.header("Origin")
    facts.site = request.header("Sec-Fetch-Site")
    facts.mode = request.header("Sec-Fetch-Mode")
    facts.destination = request.header("Sec-Fetch-Dest")
    facts.isAuthorized = request.header("Authorization") != nil
    return facts
  }

  private func content(_ request: PageRequest, _ path: String, cookie: String?) -> Answer {
    switch path {
    case "/api/write" where request.method == "POST": return change(request.body)
    case "/": return .now(file("index.html"))
    case "/metrics":
      let text = hub.metrics(version: setup.version, command: setup.command)
      return .now(PageAnswer(200, "text/plain; version=0.0.4; charset=utf-8", .bytes(text)))
    case "/api/records": return .now(records(request, cookie: cookie))
    case "/api/devices": return .now(PageAnswer(200, "application/json", .bytes(devices)))
    case "/api/values":
      guard let query = Self.valuesQuery(request) else {
        return .now(
          .refusal(
            400,
            "since is a time such as 2026-11-21T05:11:03Z, or seconds since 1970; points is a number"))
      }
      return .now(PageAnswer(200, "application/json", .values(ValuesText(query, from: hub))))
    default: return .now(file(String(path.dropFirst())))
    }
  }

  // MARK: What is known

  private var devices: [UInt8] {
    hub.object { model, json in
      json.field("command", setup.command)
      json.field("version", setup.version)
      json.field("controls", setup.controls)
      json.field("conditions", setup.conditions)
      json.field("time", time)
      json.field("token", setup.token != nil)
      model.writePast(to: &json)
      model.writeListening(to: &json)
      model.writeDevices(to: &json)
    }
  }

  private func records(_ request: PageRequest, cookie: String?) -> PageAnswer {
    let after = request.header("Last-Event-ID") ?? request.query["after"]
    // A stream of a browser ends with its session.
    let isAllowed = { [gate] in gate.isKnown(cookie: cookie) }
    let endsWithSession = setup.token != nil && isAllowed()
    var answer = PageAnswer(
      200, "text/event-stream",
      .records(
        after: after.map { hub.place(named: $0) } ?? hub.last,
        isAllowed: endsWithSession ? isAllowed : { true }))
    // A proxy must not gather what is sent.
    answer.headers.append(("X-Accel-Buffering", "no"))
    return answer
  }

  private static func valuesQuery(_ request: PageRequest) -> ValuesQuery? {
    var query = ValuesQuery()
    if let text = request.query["since"] {
      guard let seconds = PageTime.seconds(text) else { return nil }
      query.since = seconds
    }
    if let text = request.query["points"] {
      guard let points = Int(text), points > 0 else { return nil }
      query.points = points
    }
    query.host = request.query["host"]
    query.address = request.query["address"]
    query.source = request.query["source"]
    query.field = request.query["field"]
    return query
  }

  /// Says whether anything can be heard, for supervisors; how, only to those who may know more.
  private func health(isKnown: Bool) -> PageAnswer {
    let isWell = hub.model.canHear || !setup.hears && hub.model.listening == .unknown
    var json = JSONWriter()
    json.object { json in
      json.field("status", isWell ? "ok" : "interrupted")
      if isKnown { hub.model.writeListening(to: &json) }
    }
    json.endRecord()
    return PageAnswer(isWell ? 200 : 503, "application/json", .bytes(json.bytes))
  }

  private func file(_ name: String) -> PageAnswer {
    guard let file = PageFile(named: name) else { return .refusal(404, "there is no such page") }
    return PageAnswer(200, file.type, .bytes(file.bytes))
  }

  // MARK: Writing

  private func change(_ body: [UInt8]) -> Answer {
    guard let node = try? JSONReader.read(body), let address = node["address"]?.string,
      let characteristic = node["characteristic"]?.string, let value = node["value"]?.string
    else { return .now(Self.outcome(400, "an object with address, characteristic and value is needed")) }
    guard writes.count < Self.mostWrites else {
      return .now(Self.outcome(503, "too many writes are waiting"))
    }
    let wanted = PageWrite(address: address, characteristic: characteristic, value: value)
    return .later { [self] send in
      nextWrite += 1
      let number = nextWrite
      writes[number] = send
      let site = NIOLoopBound(self, eventLoop: thread.loop)
      write(wanted) { [thread] outcome in thread.post { site.value.finish(number, outcome) } }
    }
  }

  /// Answers the writes that are under way, whose outcome comes too late.
  func endWrites() {
    for send in writes.values {
      send(Self.outcome(503, "blectl is ending; it is unknown whether the value was written"))
    }
    writes = [:]
  }

  private func finish(_ number: Int, _ outcome: PageOutcome) {
    guard let send = writes.removeValue(forKey: number) else { return }
    switch outcome {
    case .written: send(Self.outcome(200, nil))
    case .failed(let reason): send(Self.outcome(502, reason))
    }
  }

  private static func outcome(_ status: Int, _ error: String?) -> PageAnswer {
    var json = JSONWriter()
    json.object { json in
      json.field("status", error == nil ? "written" : "failed")
      json.field("error", error)
    }
    json.endRecord()
    return PageAnswer(status, "application/json", .bytes(json.bytes))
  }

  // MARK: Login

  private func logIn(_ request: PageRequest, from client: String) -> PageAnswer {
    switch gate.logIn(FormText.field("token", of: request.body), from: client) {
    case .session(let session):
      return leave(to: ".", cookie: session, isSecure: request.header("Origin")?.hasPrefix("https:") ?? false)
    case .wrong: return .leading(to: "login?wrong=1")
    case .limited:
      var answer = loginForm("limited")
      answer.status = 429
      answer.headers.append(("Retry-After", "60"))
      return answer
    }
  }

  /// The form, with one of its notices.
  private func loginForm(_ notice: String?) -> PageAnswer {
    var answer = file("login.html")
    if let notice, case .bytes(let bytes) = answer.body {
      let beginning = #"<p id="\#(notice)" class="notice" role="alert""#
      let text = String(decoding: bytes, as: UTF8.self).replacing(beginning + " hidden", with: beginning)
      answer.body = .bytes(Array(text.utf8))
    }
    return answer
  }

  private static var tooMany: PageAnswer {
    .refusal(429, "too many wrong tokens came from there: wait a minute", [("Retry-After", "60")])
  }

  private func leave(to place: String, cookie: String, isSecure: Bool = false) -> PageAnswer {
    var answer = PageAnswer.leading(to: place)
    let age = cookie.isEmpty ? 0 : AccessGate.sessionTime.components.seconds
    answer.headers.append(
      (
        "Set-Cookie",
        "\(gate.cookieName)=\(cookie); Path=\(setup.base)/; HttpOnly; SameSite=Lax; Max-Age=\(age)"
          + (isSecure ? "; Secure" : "")
      ))
    return answer
  }
}

/// A value to write, as it was typed.
package struct PageWrite: Sendable, Equatable {
  package let address: String
  package let characteristic: String
  package let value: String
}

/// The outcome of a write of the page.
package enum PageOutcome: Sendable {
  case written
  case failed(String)
}

/// Writes a value for the page, and gives the outcome once, on any thread.
package typealias PageWriter = @Sendable (PageWrite, _ end: @escaping @Sendable (PageOutcome) -> Void) -> Void
