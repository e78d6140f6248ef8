// SPDX-License-Identifier: MIT
import AsyncIO
import BlueZClient
import TestSupport

@testable import WebServer

/// A server with a page, on a free port, for the length of a closure.
struct ServedPage {
  let server: PageServer
  let writes: Lock<[PageWrite]>

  var probe: HTTPProbe { HTTPProbe(port: server.port) }

  /// The time of the page: records have it, too.
  private static let time = Timestamp(seconds: 1_795_237_860, nanoseconds: 0)

  static func with(
    token: String? = nil, controls: [String] = [], base: String = "",
    limits: (inout PageLimits) -> Void = { _ in },
    write: (@Sendable (PageWrite, @escaping @Sendable (PageOutcome) -> Void) -> Void)? = nil,
    _ body: (ServedPage) async throws -> Void
  ) async throws {
    var setup = PageSetup(host: "127.0.0.1", port: 0)
    (setup.token, setup.controls, setup.base) = (token, controls, base)
    (setup.command, setup.version) = ("listen", "1.2.3")
    limits(&setup.limits)
    let writes = Lock<[PageWrite]>([])
    let server = try PageServer(
      setup, clock: { time },
      write: { wanted, end in
        writes.withLock { $0.append(wanted) }
        if let write { write(wanted, end) } else { end(.written) }
      })
    defer { server.close(within: .milliseconds(200)) }
    try await body(ServedPage(server: server, writes: writes))
  }

  /// Lets the page take values of a device.
  func take(_ numbers: ClosedRange<Int>) {
    server.take(
      numbers.map { number in
        Array(
          #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"C5:EA:50:00:00:01","type":"bthome","decoded":{"temperature_celsius":\#(number)}}"#
            .utf8)
      })
  }

  func take(_ record: String) { server.take([Array(record.utf8)]) }

  /// Sends bytes, and returns what has come when the other end closes, or `isEnough`.
  func exchange(
    _ text: String, until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async -> String {
    let bytes = await probe.exchange(Array(text.utf8)) { isEnough(String(decoding: $0, as: UTF8.self)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
