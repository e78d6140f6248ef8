// SPDX-License-Identifier: MIT
import Testing

@testable import WebModel

@Suite("AccessPolicy")
struct AccessPolicyTests {
  private let token = "0123456789abcdef"
  private let session = "fedcba9876543210"

  private func policy(token: String? = nil, isWritable: Bool = false) -> AccessPolicy {
    AccessPolicy(names: ["attic.example"], token: token, session: session, isWritable: isWritable)
  }

  private func request(
    _ method: String = "GET", _ path: String = "/api/devices", host: String? = "localhost:8080",
    _ change: (inout AccessPolicy.Request) -> Void = { _ in }
  ) -> AccessPolicy.Request {
    var request = AccessPolicy.Request(method, path)
    request.host = host
    change(&request)
    return request
  }

  private func status(_ verdict: AccessPolicy.Verdict) -> Int? {
    if case .refused(let status, _) = verdict { status } else { nil }
  }

  @Test(
    "The names of a page, localhost and addresses are allowed in the header Host, with any port",
    arguments: [
      "localhost", "localhost:8080", "LocalHost:1", "127.0.0.1:8080", "192.168.1.7", "[::1]:8080",
      "[fe80::1]",
      "attic.example", "ATTIC.example:443",
    ])
  func names(host: String) { #expect(policy().verdict(on: request(host: host)) == .allowed) }

  @Test(
    "A name that somebody else has given our address is refused",
    arguments: [
      nil, "", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
      "127.0.0",
      "1.2.3.4.5", "256.1.1.1", "localhost:8080:1", "localhost:", "localhost:x", "[::1", "[::1]x", "[evil]",
      "attic.example.", "user@localhost",
    ])
  func rebinding(host: String?) { #expect(status(policy().verdict(on: request(host: host))) == 421) }

  @Test(
    "A request of another page is refused, also with the cookie",
    arguments: [
      "http://evil.example", "null", "http://localhost", "http://localhost:9090", "https://localhost:8081",
      "file://", "localhost:8080", "http://localhost:8080.evil.example",
    ])
  func origins(origin: String) {
    let verdict = policy(token: token).verdict(
      on: request {
        $0.origin = origin
        $0.cookie = "blectl_session=\(session)"
      })
    #expect(status(verdict) == 403)
  }

  @Test("The page itself may ask, also behind a proxy with TLS")
  func sameOrigin() {
    #expect(policy().verdict(on: request { $0.origin = "http://localhost:8080" }) == .allowed)
    let proxied = request(host: "attic.example") { $0.origin = "https://Attic.example" }
    #expect(policy().verdict(on: proxied) == .allowed)
  }

  @Test("A page elsewhere can link to this one, but embed nothing of it")
  func sites() {
    for site in ["cross-site", "same-site"] {
      #expect(status(policy().verdict(on: request { $0.site = site })) == 403)
      #expect(policy().verdict(on: request("GET", "/") { $0.site = site }) == .allowed)
    }
    for site in ["same-origin", "none"] {
      #expect(policy().verdict(on: request { $0.site = site }) == .allowed)
    }
  }

  @Test("Without the token, a client is nobody; with it, or the cookie, it is known")
  func tokens() {
    let policy = policy(token: token)
    #expect(policy.verdict(on: request()) == .anonymous)
    for wrong in [
      "Bearer ", "Bearer x", "Bearer \(token)0", "Bearer \(token.dropLast())", "Basic \(token)", token,
    ] {
      #expect(policy.verdict(on: request { $0.authorization = wrong }) == .anonymous, "\(wrong)")
    }
    #expect(policy.verdict(on: request { $0.authorization = "Bearer \(token)" }) == .allowed)
    #expect(policy.verdict(on: request { $0.authorization = "bearer \(token)" }) == .allowed)
    for wrong in [
      "blectl_session=", "blectl_session=x", "other=\(session)", "blectl_session=\(session)0", session,
    ] {
      #expect(policy.verdict(on: request { $0.cookie = wrong }) == .anonymous, "\(wrong)")
    }
    #expect(policy.verdict(on: request { $0.cookie = "a=b; blectl_session=\(session); c=d" }) == .allowed)
    #expect(policy.accepts(token.utf8))
    #expect(!policy.accepts("".utf8))
  }

  @Test(
    "Nothing can be written unless that was allowed",
    arguments: ["PUT", "DELETE", "POST", "OPTIONS", "TRACE"])
  func readOnly(method: String) {
    #expect(status(policy().verdict(on: request(method, "/api/write"))) == 405)
    #expect(status(policy().verdict(on: request(method, "/api/devices"))) == 405)
  }

  @Test("A form elsewhere cannot write, nor a request that hides where it comes from")
  func forgery() {
    let policy = policy(token: token, isWritable: true)
    func post(_ change: (inout AccessPolicy.Request) -> Void) -> AccessPolicy.Verdict {
      policy.verdict(on: request("POST", "/api/write", change))
    }
    let cookie = "blectl_session=\(session)"
    #expect(status(post { $0.cookie = cookie }) == 403)
    #expect(status(post { ($0.cookie, $0.site) = (cookie, "same-site") }) == 403)
    #expect(status(post { ($0.cookie, $0.origin) = (cookie, "http://evil.example") }) == 403)
    #expect(post { ($0.cookie, $0.origin) = (cookie, "http://localhost:8080") } == .allowed)
    #expect(post { $0.authorization = "Bearer \(token)" } == .allowed)
    #expect(post { $0.origin = "http://localhost:8080" } == .anonymous)
  }
}
