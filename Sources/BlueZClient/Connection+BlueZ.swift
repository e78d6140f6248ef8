// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECore
package import DBus
package import Logging

extension Connection {
  /// Connects to the bus that BlueZ is on.
  ///
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied`, `timedOut` or `cancelled`.
  package static func open(
    to bus: Bus, on loop: EventLoop, timeout: Duration?, logger: Logger
  ) async throws(BLEError) -> Connection {
    do {
      return try await open(bus.busAddress, on: loop, timeout: timeout, gathersMessages: true, logger: logger)
    } catch {
      throw BLEError(reaching: bus, error)
    }
  }
}

extension BlueZ {
  /// The call for all objects; ``ObjectModel/init(answer:)`` takes the answer.
  package static var getManagedObjects: Message {
    Message(call: "GetManagedObjects", of: StandardInterface.objectManager, at: "/", to: service)
  }

  /// A call that bluetoothd answers after everything that it sent before.
  package static var ping: Message { Message(call: "Ping", of: StandardInterface.peer, at: "/", to: service) }

  /// Repeats `isDone` each second, until it returns true or the task is cancelled.
  package static func eachSecond(
    on loop: EventLoop, isolation: isolated (any Actor)? = #isolation, _ isDone: () async -> Bool
  ) async {
    while await !isDone() {
      guard (try? await loop.sleep(for: .seconds(1))) != nil else { return }
    }
  }
}
