// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import WebServer

@Suite("AccessGate")
struct AccessGateTests {
  private let token = "0123456789abcdef"
  private let time = Lock(ContinuousClock.now)

  private func gate(token: String? = "0123456789abcdef") -> AccessGate {
    let gate = AccessGate(token: token) { [time] in time.withLock(\.self) }
    gate.port = 8080
    return gate
  }

  private func session(_ login: AccessGate.Login) throws -> String {
    guard case .session(let session) = login else {
      Issue.record("\(login)")
      return ""
    }
    return session
  }

  @Test("Without the token, a client is nobody; with it, it is known")
  func tokens() {
    let gate = gate()
    func verdict(_ authorization: String?) -> AccessGate.Verdict {
      gate.verdict(authorization: authorization, cookie: nil, from: "a")
    }
    #expect(verdict(nil) == .anonymous)
    for wrong in [
      "Bearer ", "Bearer x", "Bearer \(token)0", "Bearer \(token.dropLast())", "Basic \(token)", token,
    ] { #expect(verdict(wrong) == .anonymous, "\(wrong)") }
    #expect(verdict("Bearer \(token)") == .known)
    #expect(verdict("bearer \(token)") == .known)
    #expect(self.gate(token: nil).verdict(authorization: nil, cookie: nil, from: "a") == .known)
  }

  @Test("Each browser has a session of its own, which ends on the server")
  func sessions() throws {
    let gate = gate()
    let first = "blectl_session_8080=" + (try session(gate.logIn(Array(token.utf8), from: "a")))
    let second = "blectl_session_8080=" + (try session(gate.logIn(Array(token.utf8), from: "a")))
    #expect(first != second)
    func verdict(_ cookie: String) -> AccessGate.Verdict {
      gate.verdict(authorization: nil, cookie: cookie, from: "a")
    }
    #expect(verdict("a=b; \(first); c=d") == .known)
    for wrong in [
      "", "\(first)0", String(first.dropLast()), first.replacing("8080", with: "8081"),
      "blectl_session_8080=",
    ] {
      #expect(verdict(wrong) == .anonymous, "\(wrong)")
    }
    gate.logOut(cookie: first)
    #expect(verdict(first) == .anonymous)
    #expect(verdict(second) == .known)
    time.withLock { $0 += AccessGate.sessionTime + .seconds(1) }
    #expect(verdict(second) == .anonymous)
  }

  @Test("Ten different wrong secrets, wherever they stand, and the address waits a minute; others do not")
  func guesses() throws {
    let gate = gate()
    let known = "blectl_session_8080=" + (try session(gate.logIn(Array(token.utf8), from: "a")))
    for number in 0..<3 {
      #expect(gate.verdict(authorization: "Bearer \(number)", cookie: nil, from: "a") == .anonymous)
      #expect(
        gate.verdict(authorization: nil, cookie: "blectl_session_8080=x\(number)", from: "a") == .anonymous)
      #expect(gate.logIn(Array("y\(number)".utf8), from: "a") == .wrong)
    }
    // An old cookie comes with each request.
    for _ in 0..<50 {
      #expect(gate.verdict(authorization: nil, cookie: "blectl_session_8080=x1", from: "a") == .anonymous)
    }
    #expect(gate.logIn(Array("z".utf8), from: "a") == .wrong)
    let right = "Bearer \(token)"
    #expect(gate.verdict(authorization: right, cookie: nil, from: "a") == .limited)
    #expect(gate.verdict(authorization: nil, cookie: "blectl_session_8080=w", from: "a") == .limited)
    #expect(gate.logIn(Array(token.utf8), from: "a") == .limited)
    // Who is logged in, and everybody elsewhere, notices nothing.
    #expect(gate.verdict(authorization: nil, cookie: known, from: "a") == .known)
    #expect(gate.verdict(authorization: right, cookie: nil, from: "b") == .known)
    time.withLock { $0 += .seconds(61) }
    #expect(gate.verdict(authorization: right, cookie: nil, from: "a") == .known)
  }
}
