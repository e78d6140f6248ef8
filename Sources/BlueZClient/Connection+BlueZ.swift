// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECore
package import DBus
package import Logging

/// Follows bluetoothd over a connection: its objects, its end and its return.
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

  /// Calls `handler` on the loop for each signal about BlueZ's objects or its name's owner.
  ///
  /// Other programs can send such signals too: see ``Message/isSent(by:)``.
  package func followBlueZ(_ handler: @escaping @Sendable (Message) -> Void) {
    let rules = [
      MatchRule(sender: BlueZ.service, interface: StandardInterface.objectManager, path: "/"),
      MatchRule(
        sender: BlueZ.service, interface: StandardInterface.properties, member: "PropertiesChanged",
        pathNamespace: BlueZ.rootPath),
      MatchRule(
        sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
        firstArgument: BlueZ.service),
    ]
    for rule in rules { _ = subscribe(rule, handler: handler) }
  }

  /// Reads all of BlueZ's objects (ObjectManager.GetManagedObjects).
  ///
  /// - Parameters:
  ///   - timeout: how long bluetoothd may take to answer; nil sets no limit.
  ///   - apply: gets the reply in order with the signals.
  /// - Returns: the outage, if bluetoothd is not running.
  /// - Throws: ``BLEError``: `accessDenied`, `timedOut` …
  package nonisolated func readBlueZObjects(
    timeout: Duration?, apply: @escaping @Sendable (Message) -> Void
  ) async throws(BLEError) -> BLEError? {
    do {
      try await self.call(BlueZ.getManagedObjects, timeout: timeout) { outcome in
        if case .success(let reply) = outcome { apply(reply) }
      }
      return nil
    } catch {
      let failure = BLEError(error, during: .queryService)
      guard failure.code == .serviceUnavailable else { throw failure }
      return failure
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

  /// Reads the objects of a restarted bluetoothd; retries each second until `learn` succeeds or the bus is
  /// lost.
  package static func learnAgain(
    on loop: EventLoop, logger: Logger, _ learn: @Sendable (Deadline) async throws(BLEError) -> Void
  ) async {
    await eachSecond(on: loop) {
      do throws(BLEError) {
        try await learn(Deadline(after: .seconds(20)))
        return true
      } catch {
        logger.debug("asking the Bluetooth service again: \(error)")
        return [.busUnavailable, .cancelled].contains(error.code)
      }
    }
  }

  /// Repeats `isDone` each second, until it returns true or the task is cancelled.
  package static func eachSecond(
    on loop: EventLoop, isolation: isolated (any Actor)? = #isolation, _ isDone: () async -> Bool
  ) async {
    while await !isDone() {
      guard (try? await loop.sleep(for: .seconds(1))) != nil else { return }
    }
  }
}
