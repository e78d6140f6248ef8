// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import FlyingFox
internal import FlyingSocks
internal import FoundationEssentials
internal import JSON
internal import WebModel

/// Answers the requests.
struct PageHandler: HTTPHandler {
  let hub: RecordHub
  let setup: WebSetup
  let policy: AccessPolicy
  let attempts: LoginAttempts
  let writer: ValueWriting
  /// The current time as in records.
  let now: @Sendable () -> String

  init(
    _ hub: RecordHub, _ setup: WebSetup, writer: ValueWriting, attempts: LoginAttempts,
    now: @escaping @Sendable () -> String
  ) {
    (self.hub, self.setup, self.writer, self.attempts, self.now) = (hub, setup, writer, attempts, now)
    policy = AccessPolicy(
      names: setup.names, token: setup.token, session: setup.session, isWritable: !setup.controls.isEmpty)
  }

  /// The most bytes of the body of a request.
  private static let longestBody = 16 * 1024

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    var response: HTTPResponse
    var isLast = Self.isLast(request)
    do {
      if let body = try await Self.body(of: request) {
        response = await answer(request, body)
      } else {
        response = Self.refusal(413, "the request is too long")
      }
      if request.method.rawValue == "HEAD" { response.payload = .httpBody(HTTPBodySequence()) }
    } catch {
      // Nobody knows where the next request begins.
      response = HTTPResponse(
        statusCode: .badRequest, body: HTTPBodySequence(from: ConnectionEnd(), count: 0))
      isLast = true
    }
    for (name, value) in Self.headers { response.headers[HTTPHeader(name)] = value }
    // Without one, the library returns that of the request as it came, even with a bare CR in it.
    response.headers[.connection] = isLast ? "close" : "keep-alive"
    return response
  }

  /// Reads the body of a request to its end, whatever the answer will be: the rest would be taken for the next request.
  ///
  /// - Returns: nil if it is too long.
  /// - Throws: if it has no such end.
  private static func body(of request: HTTPRequest) async throws -> [UInt8]? {
    var body: [UInt8] = []
    var isTooLong = false
    for try await part in request.bodySequence {
      isTooLong = isTooLong || body.count + part.count > longestBody
      if !isTooLong { body += part }
    }
    return isTooLong ? nil : body
  }

  /// Returns whether the library ends the connection behind the answer.
  private static func isLast(_ request: HTTPRequest) -> Bool {
    let words = (request.headers[.connection] ?? "").lowercased().split { $0 == "," || $0 == " " }
    return request.version == .http11 ? words.contains("close") : !words.contains("keep-alive")
  }

  /// Headers of every answer: nothing is loaded from elsewhere, framed elsewhere, or kept.
  ///
  /// Without a referrer at all, browsers would not name the origin of a form.
  private static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  private func answer(_ request: HTTPRequest, _ body: [UInt8]) async -> HTTPResponse {
    var wanted = AccessPolicy.Request(request.method.rawValue, request.path)
    wanted.host = request.headers[.host]
    wanted.origin = request.headers[HTTPHeader("Origin")]
    wanted.site = request.headers[HTTPHeader("Sec-Fetch-Site")]
    wanted.authorization = request.headers[.authorization]
    wanted.cookie = request.headers[.cookie]
    let isKnown: Bool
    switch policy.verdict(on: wanted) {
    case .refused(let status, let reason): return Self.refusal(status, reason)
    case .allowed: isKnown = true
    case .anonymous: isKnown = false
    }
    switch (request.method.rawValue, request.path) {
    case (_, "/health"): return health(isKnown)
    case ("POST", "/login"): return login(body, isSecure: wanted.origin?.hasPrefix("https:") ?? false)
    case ("POST", "/logout"): return Self.leave(to: "/login", cookie: "")
    case (_, "/login"): return isKnown ? Self.leave(to: "/") : Self.file("login.html") ?? Self.missing
    case (_, "/app.css"), (_, "/icon.svg"): return Self.file(String(request.path.dropFirst())) ?? Self.missing
    case (_, "/") where !isKnown: return Self.leave(to: "/login")
    default: break
    }
    guard isKnown else {
      var refusal = Self.refusal(401, "a token is needed: Authorization: Bearer TOKEN, or /login")
      refusal.headers[HTTPHeader("WWW-Authenticate")] = "Bearer"
      return refusal
    }
    return await content(request, body)
  }

  private func content(_ request: HTTPRequest, _ body: [UInt8]) async -> HTTPResponse {
    switch (request.method.rawValue, request.path) {
    case ("POST", "/api/write"):
      let (status, answer) = await writer.answer(body)
      return Self.response(status, "application/json", answer)
    case (_, "/"): return Self.file("index.html") ?? Self.missing
    case (_, "/metrics"):
      return Self.response(
        200, "text/plain; version=0.0.4; charset=utf-8",
        hub.metrics(version: setup.version, command: setup.command))
    case (_, "/api/records"): return stream(request)
    case (_, "/api/devices"):
      return Self.response(
        200, "application/json",
        hub.object { model, json in
          json.field("command", setup.command)
          json.field("version", setup.version)
          json.field("controls", setup.controls)
          json.field("conditions", setup.conditions)
          json.field("time", now())
          json.field("token", setup.token != nil)
          model.writePast(to: &json)
          model.writeListening(to: &json)
          model.writeDevices(to: &json)
        })
    case (_, "/api/values"):
      guard let query = Self.valuesQuery(request) else {
        return Self.refusal(
          400, "since is a time such as 2026-11-21T05:11:03Z, or seconds since 1970; points is a number")
      }
      return Self.response(
        200, "application/json", hub.object { model, json in model.writeValues(query, to: &json) })
    default: return Self.file(String(request.path.dropFirst())) ?? Self.missing
    }
  }

  // MARK: Records and values

  private func stream(_ request: HTTPRequest) -> HTTPResponse {
    let after = request.headers[HTTPHeader("Last-Event-ID")] ?? request.query["after"]
    let feed = RecordFeed(hub: hub, place: after.map { hub.place(named: $0) } ?? hub.last, now: now)
    var response = HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: feed))
    response.headers[.contentType] = "text/event-stream"
    // A proxy must not gather what is sent.
    response.headers[HTTPHeader("X-Accel-Buffering")] = "no"
    return response
  }

  private static func valuesQuery(_ request: HTTPRequest) -> ValuesQuery? {
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

  private func health(_ isKnown: Bool) -> HTTPResponse {
    let listening = hub.listening
    let isWell = if case .interrupted = listening { false } else { true }
    let body = hub.object { model, json in
      json.field("status", isWell ? "ok" : "interrupted")
      if isKnown { model.writeListening(to: &json) }
    }
    return Self.response(isWell ? 200 : 503, "application/json", body)
  }

  // MARK: Login

  private func login(_ body: [UInt8], isSecure: Bool) -> HTTPResponse {
    guard attempts.take() else { return Self.refusal(429, "too many attempts: wait a minute") }
    guard let token = FormText.field("token", of: body), policy.accepts(token) else {
      return Self.leave(to: "/login#wrong")
    }
    attempts.forget()
    return Self.leave(to: "/", cookie: setup.session, isSecure: isSecure)
  }

  private static func leave(to path: String, cookie: String? = nil, isSecure: Bool = false) -> HTTPResponse {
    var response = HTTPResponse(statusCode: .seeOther)
    response.headers[.location] = path
    if let cookie {
      let age = cookie.isEmpty ? "; Max-Age=0" : "; Max-Age=31536000"
      response.headers[.setCookie] =
        "\(AccessPolicy.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict" + age
        + (isSecure ? "; Secure" : "")
    }
    return response
  }

  // MARK: Answers

  private static var missing: HTTPResponse { refusal(404, "there is no such page") }

  private static func file(_ name: String) -> HTTPResponse? {
    PageFile(named: name).map { response(200, $0.type, $0.bytes) }
  }

  private static func response(_ status: Int, _ type: String, _ body: [UInt8]) -> HTTPResponse {
    var response = HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: phrases[status] ?? "Refused"), body: Data(body))
    response.headers[.contentType] = type
    return response
  }

  private static func refusal(_ status: Int, _ reason: String) -> HTTPResponse {
    response(status, "text/plain; charset=utf-8", Array("\(status): \(reason)\n".utf8))
  }

  private static let phrases = [
    200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 413: "Content Too Large", 421: "Misdirected Request", 429: "Too Many Requests",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}

extension [HTTPRequest.QueryItem] {
  fileprivate subscript(name: String) -> String? { first { $0.name == name }?.value }
}

/// A body without bytes that fails: the library then ends the connection, behind the headers of the answer.
struct ConnectionEnd: AsyncBufferedSequence {
  typealias Element = UInt8

  func makeAsyncIterator() -> Iterator { Iterator() }

  struct Iterator: AsyncBufferedIteratorProtocol {
    func next() async throws -> UInt8? { throw CancellationError() }

    func nextBuffer(suggested count: Int) async throws -> [UInt8]? { throw CancellationError() }
  }
}
