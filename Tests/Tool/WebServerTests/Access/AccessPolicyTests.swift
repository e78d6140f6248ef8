// SPDX-License-Identifier: MIT
import Testing

@testable import WebServer

@Suite("AccessPolicy")
struct AccessPolicyTests {
  private func policy(isWritable: Bool = false, base: String = "") -> AccessPolicy {
    AccessPolicy(names: ["attic.example"], base: base, isWritable: isWritable)
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

  @Test(
    "The names of a page, localhost and addresses are allowed in the header Host, with any port",
    arguments: [
      "localhost", "localhost:8080", "LocalHost:1", "127.0.0.1:8080", "192.168.1.7", "[::1]:8080",
      "[fe80::1]",
      "attic.example", "ATTIC.example:443",
    ])
  func names(host: String) { #expect(policy().refusal(of: request(host: host)) == nil) }

  @Test(
    "A name that somebody else has given our address is refused",
    arguments: [
      nil, "", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
      "127.0.0",
      "1.2.3.4.5", "256.1.1.1", "localhost:8080:1", "localhost:", "localhost:x", "[::1", "[::1]x", "[evil]",
      "attic.example.", "user@localhost",
    ])
  func rebinding(host: String?) { #expect(policy().refusal(of: request(host: host))?.status == 421) }

  @Test(
    "A request of another page is refused, also with the cookie",
    arguments: [
      "http://evil.example", "null", "http://localhost", "http://localhost:9090", "https://localhost:8081",
      "file://", "localhost:8080", "http://localhost:8080.evil.example",
    ])
  func origins(origin: String) {
    #expect(policy().refusal(of: request { $0.origin = origin })?.status == 403)
  }

  @Test("The page itself may ask, also behind a proxy with TLS")
  func sameOrigin() {
    #expect(policy().refusal(of: request { $0.origin = "http://localhost:8080" }) == nil)
    let proxied = request(host: "attic.example") { $0.origin = "https://Attic.example" }
    #expect(policy().refusal(of: proxied) == nil)
  }

  @Test("A page elsewhere can lead to this one, also to its login, but embed nothing of it")
  func sites() {
    for site in ["cross-site", "same-site"] {
      #expect(policy().refusal(of: request { $0.site = site })?.status == 403)
      for path in ["/", "/login", "/api/devices"] {
        let link = request("GET", path) {
          ($0.site, $0.mode, $0.destination) = (site, "navigate", "document")
        }
        #expect(policy().refusal(of: link)?.status == (path == "/api/devices" ? 403 : nil), "\(path)")
        for (mode, destination) in [("navigate", "iframe"), ("no-cors", "image"), ("cors", "empty")] {
          let other = request("GET", path) { ($0.site, $0.mode, $0.destination) = (site, mode, destination) }
          #expect(policy().refusal(of: other)?.status == 403, "\(destination) of \(path)")
        }
      }
    }
    for site in ["same-origin", "none"] {
      #expect(policy().refusal(of: request { $0.site = site }) == nil)
    }
  }

  @Test(
    "Nothing can be written unless that was allowed",
    arguments: ["PUT", "DELETE", "POST", "OPTIONS", "TRACE"])
  func readOnly(method: String) {
    for path in ["/api/write", "/api/devices"] {
      let refusal = policy().refusal(of: request(method, path))
      #expect(refusal?.status == 405)
      #expect(refusal?.allowed == "GET, HEAD")
    }
    #expect(policy(isWritable: true).refusal(of: request("GET", "/api/write"))?.allowed == nil)
    #expect(policy(isWritable: true).refusal(of: request("PUT", "/api/write"))?.allowed == "POST")
  }

  @Test("A form elsewhere cannot write, nor a request that hides where it comes from")
  func forgery() {
    func status(_ change: (inout AccessPolicy.Request) -> Void) -> Int? {
      policy(isWritable: true).refusal(of: request("POST", "/api/write", change))?.status
    }
    #expect(status { _ in } == 403)
    #expect(status { $0.site = "same-site" } == 403)
    #expect(status { ($0.site, $0.mode, $0.destination) = ("cross-site", "navigate", "document") } == 403)
    #expect(status { $0.origin = "http://evil.example" } == 403)
    #expect(status { ($0.isAuthorized, $0.origin) = (true, "http://evil.example") } == 403)
    #expect(status { $0.origin = "http://localhost:8080" } == nil)
    #expect(status { $0.isAuthorized = true } == nil)
  }

  @Test("Under a base, a path has it or not, as the proxy likes, and the base alone is led to the page")
  func base() {
    let policy = policy(base: "/ble")
    #expect(policy.local("/ble/api/devices") == "/api/devices")
    #expect(policy.local("/api/devices") == "/api/devices")
    #expect(policy.local("/ble/") == "/")
    #expect(policy.local("/ble") == nil)
    #expect(policy.local("/bleak") == "/bleak")
    #expect(self.policy().local("/ble") == "/ble")
  }
}
