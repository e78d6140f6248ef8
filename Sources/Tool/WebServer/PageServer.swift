// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import FlyingFox
internal import FlyingSocks
internal import WebModel

/// The HTTP server of a page.
package struct PageServer: Sendable {
  private let hub: RecordHub
  private let server: HTTPServer
  private let connections: ConnectionGuard

  /// The maximum interval between writes to clients of the stream.
  private static let quietTime = Duration.seconds(15)

  init(
    _ hub: RecordHub, _ setup: WebSetup, writer: ValueWriting,
    limits: ConnectionGuard.Limits = ConnectionGuard.Limits(), attempts: LoginAttempts = LoginAttempts()
  ) throws {
    self.hub = hub
    connections = ConnectionGuard(limits)
    let handler = PageHandler(hub, setup, writer: writer, attempts: attempts) { Timestamp.now.utc }
    var configuration: HTTPServer.Configuration
    if setup.host.contains(":") {
      configuration = HTTPServer.Configuration(address: try .inet6(ip6: setup.host, port: setup.port))
    } else {
      configuration = HTTPServer.Configuration(address: try .inet(ip4: setup.host, port: setup.port))
    }
    configuration.logger = .disabled
    server = HTTPServer(config: configuration, handler: handler)
  }

  /// Serves until the task is cancelled; calls `listens` with the port.
  func run(_ listens: @escaping @Sendable (UInt16) -> Void) async throws {
    defer { connections.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask {
        try await server.waitUntilListening(timeout: 10)
        switch await server.listeningAddress {
        case .ip4(_, let port), .ip6(_, let port):
          connections.start(port: port)
          listens(port)
        case .unix, nil: break
        }
        while true {
          try await Task.sleep(for: Self.quietTime)
          hub.tick(now: Double(Timestamp.now.seconds))
        }
      }
      defer {
        hub.end()
        group.cancelAll()
      }
      try await group.next()
    }
  }

  /// Returns the reason for a failure to listen.
  static func reason(_ error: any Error) -> String {
    if case .failed(_, _, let message)? = error as? FlyingSocks.SocketError { return message }
    return "\(error)"
  }
}
