// SPDX-License-Identifier: MIT
import AsyncIO
import TestSupport
import WebModel

@testable import WebServer

/// A server with a page, on a free port, for the length of a closure.
struct ServedPage {
  let hub: RecordHub
  let port: UInt16
  let writes: Lock<[WebWrite]>

  var probe: HTTPProbe { HTTPProbe(port: port) }

  static func with(
    token: String? = nil, controls: [String] = [], ring: Int = 1 << 20,
    limits: ConnectionGuard.Limits = ConnectionGuard.Limits(),
    answer: @escaping @Sendable (WebWrite) -> String? = { _ in nil },
    _ body: @escaping @Sendable (ServedPage) async throws -> Void
  ) async throws {
    var setup = WebSetup(host: "127.0.0.1", port: 0)
    (setup.token, setup.session, setup.controls) = (token, "fedcba98", controls)
    (setup.command, setup.version) = ("listen", "1.2.3")
    let hub = RecordHub(capacity: ring, epoch: "e")
    let writes = Lock<[WebWrite]>([])
    let ends = Promise<ValueWriting>()
    let writer = ValueWriting { line in
      guard case .write(let write)? = WebMessage(line: line.dropLast()) else { return }
      writes.withLock { $0.append(write) }
      Task { await ends.value.end(write.id, error: answer(write)) }
    }
    ends.fulfil(writer)
    let server = try PageServer(hub, setup, writer: writer, limits: limits)
    let listening = Promise<UInt16>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run { listening.fulfil($0) } }
      group.addTask { try await body(ServedPage(hub: hub, port: await listening.value, writes: writes)) }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Lets the page take values of a device.
  func take(_ numbers: ClosedRange<Int>) {
    hub.take(
      numbers.map { number in
        Array(
          #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"C5:EA:50:00:00:01","type":"bthome","decoded":{"temperature_celsius":\#(number)}}"#
            .utf8)
      })
  }
}
